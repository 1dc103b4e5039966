package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.ConversationFilter;
import dev.switchboard.ports.Directory.ConversationRow;
import dev.switchboard.ports.Directory.Rows;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The list of conversations, narrowed to what the caller may see: a customer its own, an agent those it owns and
 * those that
 * wait in its queues, a supervisor those of its queues, a service those it opened or may act for, an operator all.
 * Thread-safe.
 *
 * <p>An agent's list is several lists of the directory one after the other, so its cursor says in which one it is. A
 * service's list is filtered after reading, so that a page may be short although more follow.
 */
final class ConversationList {
    private static final List<String> STATUSES =
            Arrays.stream(Status.values()).map(Status::wireName).toList();

    /** How many pages are read at most in search of the first row that a service may see. */
    private static final int MAX_ROUNDS = 10;

    private final Edge edge;

    ConversationList(Edge edge) {
        this.edge = edge;
    }

    RouteTable addTo(RouteTable table) {
        return table.add("GET", "/conversations", this::list);
    }

    /** What a caller asked for. Null and empty narrow nothing. */
    private record Asked(Status status, String owner, String queue, String customer) {
        static Asked of(Call call) {
            return new Asked(
                    call.queryOneOf("status", STATUSES).map(Status::ofWireName).orElse(null),
                    call.query("owner", ConversationIds.PERSON_ID).orElse(null),
                    call.query("queue", ConversationIds.QUEUE).orElse(null),
                    call.query("customer", ConversationIds.PERSON_ID).orElse(null));
        }
    }

    private CompletionStage<HttpResponse> list(Call call) {
        Asked asked = Asked.of(call);
        Principal who = call.principal();
        List<ConversationFilter> lists = lists(who, asked);
        Predicate<ConversationRow> visible = who.role() == Role.SERVICE
                ? row -> who.person().key().equals(row.openedBy()) || who.actsFor(row.customer())
                : row -> true;
        Position position = Position.parse(call.query("cursor"), lists.size());
        return fill(lists, position, visible, new ArrayList<>(), call.limit(), MAX_ROUNDS)
                .thenApplyAsync(ConversationList::answer, edge.executor());
    }

    /** The directory's lists that together are what this caller may see of what was asked. */
    private static List<ConversationFilter> lists(Principal who, Asked asked) {
        return switch (who.role()) {
            case CUSTOMER ->
                asked.customer() == null || asked.customer().equals(who.id())
                        ? List.of(filter(asked, asked.status(), asked.owner(), null, who.id()))
                        : List.of();
            case SUPERVISOR -> List.of(filter(asked, asked.status(), asked.owner(), queues(who), asked.customer()));
            case SERVICE, OPERATOR -> List.of(filter(asked, asked.status(), asked.owner(), null, asked.customer()));
            case AGENT -> agentLists(who, asked);
        };
    }

    private static List<ConversationFilter> agentLists(Principal who, Asked asked) {
        List<ConversationFilter> lists = new ArrayList<>(3);
        if (asked.owner() == null || asked.owner().equals(who.id())) {
            lists.add(filter(asked, asked.status(), who.id(), null, asked.customer()));
        }
        for (Status waiting : List.of(Status.WAITING, Status.OFFERED)) {
            if (asked.owner() == null && (asked.status() == null || asked.status() == waiting)) {
                lists.add(filter(asked, waiting, null, queues(who), asked.customer()));
            }
        }
        return lists;
    }

    private static ConversationFilter filter(
            Asked asked, Status status, String owner, Set<String> queues, String customer) {
        return new ConversationFilter(status, owner, asked.queue(), queues, customer);
    }

    /** The queues that narrow a list; null when the principal has all. */
    private static Set<String> queues(Principal who) {
        return who.queues().contains("*") ? null : who.queues();
    }

    /** Where a list goes on: in which of the directory's lists, and at which cursor of it. */
    private record Position(int list, Optional<String> cursor) {
        static Position parse(Optional<String> text, int lists) {
            if (text.isEmpty()) {
                return new Position(0, Optional.empty());
            }
            try {
                String plain = new String(Base64.getUrlDecoder().decode(text.get()), StandardCharsets.UTF_8);
                int colon = plain.indexOf(':');
                int list = Integer.parseInt(plain.substring(0, Math.max(colon, 0)));
                if (list >= 0 && list < lists) {
                    String rest = plain.substring(colon + 1);
                    return new Position(list, rest.isEmpty() ? Optional.empty() : Optional.of(rest));
                }
            } catch (IllegalArgumentException e) {
                throw RefusedException.invalid("cursor", "was not given by this list");
            }
            throw RefusedException.invalid("cursor", "was not given by this list");
        }

        String text() {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString((list + ":" + cursor.orElse("")).getBytes(StandardCharsets.UTF_8));
        }
    }

    private record Filled(List<ConversationRow> rows, Position next) {}

    /** Reads on until the page is full, everything is read, or enough was read in vain. */
    private CompletionStage<Filled> fill(
            List<ConversationFilter> lists,
            Position at,
            Predicate<ConversationRow> visible,
            List<ConversationRow> rows,
            int limit,
            int rounds) {
        if (at.list() >= lists.size()) {
            return CompletableFuture.completedFuture(new Filled(rows, null));
        }
        if (rows.size() >= limit || rounds == 0) {
            return CompletableFuture.completedFuture(new Filled(rows, at));
        }
        return read(lists.get(at.list()), at.cursor(), limit - rows.size()).thenCompose(page -> {
            page.items().stream().filter(visible).forEach(rows::add);
            Position next = page.cursor().isPresent()
                    ? new Position(at.list(), page.cursor())
                    : new Position(at.list() + 1, Optional.empty());
            return fill(lists, next, visible, rows, limit, rounds - 1);
        });
    }

    private CompletionStage<Rows<ConversationRow>> read(ConversationFilter filter, Optional<String> cursor, int limit) {
        Directory directory = edge.services().storage().directory();
        try {
            return directory.conversations(filter, cursor, limit);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid("cursor", "was not given by this list");
        }
    }

    private static HttpResponse answer(Filled filled) {
        return Answers.object(200, out -> {
            out.writeArrayFieldStart("items");
            for (ConversationRow row : filled.rows()) {
                out.writeStartObject();
                writeRowFields(out, row);
                out.writeEndObject();
            }
            out.writeEndArray();
            if (filled.next() != null) {
                out.writeStringField("cursor", filled.next().text());
            }
        });
    }

    /** Writes what the directory knows of a conversation: facts, no content. */
    static void writeRowFields(JsonGenerator out, ConversationRow row) throws IOException {
        out.writeStringField("conv", row.conv());
        out.writeStringField("customer", row.customer());
        out.writeStringField("status", row.status().wireName());
        out.writeStringField("queue", row.queue());
        WireJson.writeText(out, "owner", row.owner());
        out.writeNumberField("epoch", row.epoch());
        out.writeNumberField("priority", row.priority());
        out.writeStringField("openedAt", WireJson.time(row.openedAt()));
        out.writeStringField("updatedAt", WireJson.time(row.updatedAt()));
    }
}
