package dev.switchboard.api;

import dev.switchboard.auth.RevocationList;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/** The calls by which operators stop taking a person's tokens, and take them again. Thread-safe. */
final class RevocationCalls {
    private final Edge edge;
    private final RevocationList revocations;
    private final InstantSource clock;

    RevocationCalls(Edge edge, RevocationList revocations, InstantSource clock) {
        this.edge = edge;
        this.revocations = revocations;
        this.clock = clock;
    }

    RouteTable addTo(RouteTable table) {
        return table.add("GET", "/revocations", this::list)
                .add("PUT", "/revocations/{role}/{id}", this::revoke)
                .add("DELETE", "/revocations/{role}/{id}", this::unrevoke);
    }

    private CompletionStage<HttpResponse> list(Call call) {
        call.requireRole(Role.OPERATOR);
        int limit = call.limit();
        String after = call.query("cursor").orElse("");
        return edge.services()
                .storage()
                .directory()
                .revoked()
                .thenApplyAsync(
                        keys -> {
                            List<String> rest = List.copyOf(new TreeSet<>(keys).tailSet(after, false));
                            List<String> page = rest.subList(0, Math.min(limit, rest.size()));
                            return Answers.object(200, out -> {
                                out.writeArrayFieldStart("items");
                                for (String key : page) {
                                    WireJson.writePerson(out, Person.ofKey(key));
                                }
                                out.writeEndArray();
                                if (rest.size() > page.size()) {
                                    out.writeStringField("cursor", page.get(page.size() - 1));
                                }
                            });
                        },
                        edge.executor());
    }

    private CompletionStage<HttpResponse> revoke(Call call) {
        call.requireRole(Role.OPERATOR);
        Person person = person(call);
        if (person.equals(call.principal().person())) {
            throw new RefusedException(Refusal.of(ErrorCode.FORBIDDEN, "an operator can't revoke itself"));
        }
        return revocations.revoke(person, clock.instant()).thenApply(stored -> Answers.empty());
    }

    private CompletionStage<HttpResponse> unrevoke(Call call) {
        call.requireRole(Role.OPERATOR);
        return revocations.unrevoke(person(call)).thenApply(stored -> Answers.empty());
    }

    private static Person person(Call call) {
        Role role = Role.ofWireName(call.pathText("role"))
                .orElseThrow(() -> RefusedException.invalid("role", "is not a role"));
        return new Person(role, call.personId("id", ErrorCode.INVALID));
    }
}
