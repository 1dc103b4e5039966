package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.desk.Profile;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.AgentRow;
import dev.switchboard.ports.Directory.Rows;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The calls about agents. Thread-safe. Staff and operators see who is there; a whole desk is shown to its agent, to
 * supervisors of one of its queues and to operators. An agent chooses its own status; supervisors and operators may
 * do it
 * for an agent, and set profiles.
 */
final class AgentCalls {
    private static final List<String> AVAILABILITIES =
            Arrays.stream(Availability.values()).map(Availability::wireName).toList();

    private static final int MAX_SKILLS = 100;
    private static final int MAX_QUEUES = 100;

    private final Edge edge;

    AgentCalls(Edge edge) {
        this.edge = edge;
    }

    RouteTable addTo(RouteTable table) {
        return table.add("GET", "/agents", this::list)
                .add("GET", "/agents/{agent}", this::show)
                .add("PUT", "/agents/{agent}/status", this::choose)
                .add("PUT", "/agents/{agent}/profile", this::profile);
    }

    private CompletionStage<HttpResponse> list(Call call) {
        call.requireRole(Role.AGENT, Role.SUPERVISOR, Role.OPERATOR);
        String queue = call.query("queue", ConversationIds.QUEUE).orElse(null);
        String availability = call.queryOneOf("availability", AVAILABILITIES).orElse(null);
        return page(queue, availability, call.query("cursor"), call.limit())
                .thenApplyAsync(
                        rows -> Answers.object(200, out -> {
                            out.writeArrayFieldStart("items");
                            for (AgentRow row : rows.items()) {
                                out.writeStartObject();
                                writeRowFields(out, row);
                                out.writeEndObject();
                            }
                            out.writeEndArray();
                            WireJson.writeText(out, "cursor", rows.cursor().orElse(null));
                        }),
                        edge.executor());
    }

    private CompletionStage<Rows<AgentRow>> page(
            String queue, String availability, Optional<String> cursor, int limit) {
        Directory directory = edge.services().storage().directory();
        try {
            return directory.agents(queue, availability, cursor, limit);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid("cursor", "was not given by this list");
        }
    }

    private static void writeRowFields(JsonGenerator out, AgentRow row) throws IOException {
        out.writeStringField("agent", row.agent());
        out.writeStringField("availability", row.availability());
        out.writeNumberField("capacity", row.capacity());
        out.writeNumberField("held", row.held());
        WireJson.writeTexts(out, "queues", new TreeSet<>(row.queues()));
        WireJson.writeTexts(out, "skills", new TreeSet<>(row.skills()));
        out.writeBooleanField("profiled", row.profiled());
        out.writeStringField("updatedAt", WireJson.time(row.updatedAt()));
    }

    private CompletionStage<HttpResponse> show(Call call) {
        call.requireRole(Role.AGENT, Role.SUPERVISOR, Role.OPERATOR);
        String agent = call.personId("agent", ErrorCode.UNKNOWN_AGENT);
        return edge.agent(agent).thenCompose(found -> {
            AgentRow row = found.orElseThrow(() -> new RefusedException(Edge.unknownAgent(agent)));
            return isItself(call.principal(), agent) || AccessCheck.directs(call.principal(), row)
                    ? ask(agent, DeskCommand.Show::new)
                    : Edge.done(Answers.object(200, out -> writeRowFields(out, row)));
        });
    }

    private CompletionStage<HttpResponse> choose(Call call) {
        call.requireRole(Role.AGENT, Role.SUPERVISOR, Role.OPERATOR);
        String agent = call.personId("agent", ErrorCode.UNKNOWN_AGENT);
        String named = call.fields().oneOf("availability", AVAILABILITIES);
        if (named == null) {
            throw RefusedException.invalid("availability", "is missing");
        }
        Availability availability = Availability.ofWireName(named).orElseThrow();
        Function<ActorRef<DeskReply>, DeskCommand> request =
                replyTo -> new DeskCommand.ChooseAvailability(availability, replyTo);
        if (isItself(call.principal(), agent)) {
            return ask(agent, request);
        }
        return edge.agent(agent).thenCompose(found -> {
            requireDirects(call.principal(), found, agent);
            if (found.isEmpty()) {
                throw new RefusedException(Edge.unknownAgent(agent));
            }
            return ask(agent, request);
        });
    }

    private CompletionStage<HttpResponse> profile(Call call) {
        call.requireRole(Role.SUPERVISOR, Role.OPERATOR);
        String agent = call.personId("agent", ErrorCode.INVALID);
        JsonFields fields = call.fields();
        int capacity = (int) fields.requiredInteger("capacity", 0, 1000);
        List<String> skills = fields.texts("skills", MAX_SKILLS, WireJson.SKILL);
        List<String> queues = fields.texts("queues", MAX_QUEUES, ConversationIds.QUEUE);
        Set<String> served = queues == null ? Set.of("default") : new HashSet<>(queues);
        for (String queue : served) {
            if (edge.services().queues().find(queue).isEmpty()) {
                throw new RefusedException(Edge.unknownQueue(queue));
            }
        }
        Profile profile = new Profile(capacity, skills == null ? Set.of() : new HashSet<>(skills), served);
        return edge.agent(agent).thenCompose(found -> {
            requireMayProfile(call.principal(), found, served);
            return ask(agent, replyTo -> new DeskCommand.SetProfile(profile, replyTo));
        });
    }

    /**
     * A supervisor sets profiles within its own queues only: neither takes an agent from others' nor gives it to
     * them.
     */
    private static void requireMayProfile(Principal who, Optional<AgentRow> before, Set<String> queues) {
        boolean within = queues.stream().allMatch(who::claimsQueue)
                && before.filter(AgentRow::profiled).stream()
                        .flatMap(row -> row.queues().stream())
                        .allMatch(who::claimsQueue);
        if (who.role() == Role.SUPERVISOR && !within) {
            throw new RefusedException(
                    Refusal.of(ErrorCode.FORBIDDEN, "a supervisor sets profiles within its own queues only"));
        }
    }

    private static void requireDirects(Principal who, Optional<AgentRow> row, String agent) {
        boolean directs = who.role() == Role.OPERATOR
                || (who.role() == Role.SUPERVISOR && (row.isEmpty() || AccessCheck.directs(who, row.get())));
        if (!directs) {
            throw new RefusedException(Refusal.of(
                    ErrorCode.FORBIDDEN, "the status of " + agent + " is its own or its supervisor's choice"));
        }
    }

    private static boolean isItself(Principal who, String agent) {
        return who.role() == Role.AGENT && who.id().equals(agent);
    }

    private CompletionStage<HttpResponse> ask(String agent, Function<ActorRef<DeskReply>, DeskCommand> request) {
        return edge.services().gateway().desk(agent, request).thenApplyAsync(AgentCalls::answer, edge.executor());
    }

    private static HttpResponse answer(DeskReply reply) {
        if (reply instanceof DeskReply.Shown shown) {
            return Answers.object(200, out -> WireJson.writeDeskFields(out, shown.view()));
        }
        if (reply instanceof DeskReply.Refused refused) {
            return Answers.problem(refused.refusal());
        }
        throw new IllegalStateException("not an answer to this request: " + reply);
    }
}
