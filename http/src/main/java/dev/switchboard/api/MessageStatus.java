package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.switchboard.api.AccessCheck.Sight;
import dev.switchboard.conversation.ConversationCommand.Describe;
import dev.switchboard.conversation.ConversationCommand.FindLetter;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Ledger;
import dev.switchboard.delivery.Ledger.Step;
import dev.switchboard.delivery.Ledgers;
import dev.switchboard.ports.Directory.DeadLetterFilter;
import dev.switchboard.ports.Directory.DeadLetterRow;
import dev.switchboard.ports.Directory.Rows;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The delivery ledger of one message, for whoever sent it. Thread-safe. What the journal holds is exact: that it was accepted,
 * how far the other side got, which attempts failed. The passing steps are those that the nodes still remember: one that must
 * have been, or may have been, without being remembered is {@code unknown}.
 */
final class MessageStatus {
    /** The most letters of one conversation that are looked through. */
    private static final int MAX_LETTERS = 200;

    private record Known(Person sender, RequestRecord request, Optional<Entry> entry, Optional<Letter> settled) {}

    private record Line(Step step, String name, Ledger.Seen seen, String node) {}

    private final Edge edge;

    MessageStatus(Edge edge) {
        this.edge = edge;
    }

    CompletionStage<HttpResponse> show(Call call) {
        String conv = call.conv();
        String clientMsgId = call.pathText("clientMsgId");
        JsonFields.checkRequestId("clientMsgId", clientMsgId);
        Principal by = call.principal();
        Optional<HttpResponse> spooled = spooled(by, conv, clientMsgId);
        if (spooled.isPresent()) {
            return Edge.done(spooled.get());
        }
        return edge.row(conv).thenCompose(row -> {
            Sight sight = AccessCheck.sight(AccessCheck.relation(by, row), row.status());
            if (sight != Sight.ALL && sight != Sight.VISIBLE) {
                throw new RefusedException(ConversationCalls.notFound());
            }
            Person sender = ConversationCalls.actsAs(by, conv);
            return edge.services()
                    .storage()
                    .entryLog()
                    .findRequest(conv, sender, clientMsgId)
                    .thenCompose(found -> found.isEmpty()
                            ? Edge.done(Answers.problem(
                                    Refusal.of(ErrorCode.NOT_FOUND, "There is no such message of this sender.")))
                            : trace(by, conv, clientMsgId, sender, found.get()));
        });
    }

    /** What this node's spool knows of it, also while the database is away: told to its customer, and who acts for him. */
    private Optional<HttpResponse> spooled(Principal by, String conv, String clientMsgId) {
        Person sender = ConversationCalls.actsAs(by, conv);
        boolean own = sender.role() == Role.CUSTOMER
                && sender.id().equals(ConversationIds.customerOf(conv))
                && (by.role() != Role.SERVICE || by.actsFor(sender.id()));
        return !own
                ? Optional.empty()
                : edge.services()
                        .gateway()
                        .spooling()
                        .flatMap(spooling -> spooling.state(conv, sender, clientMsgId))
                        .map(known -> Answers.object(200, out -> {
                            out.writeStringField("conv", conv);
                            out.writeStringField("clientMsgId", clientMsgId);
                            out.writeStringField("state", known.state());
                            WireJson.writeText(out, "reason", known.reason());
                        }));
    }

    private CompletionStage<HttpResponse> trace(
            Principal by, String conv, String clientMsgId, Person sender, RequestRecord request) {
        long seq = request.seq();
        Entry.Visibility reader = by.role().isStaff() ? Entry.Visibility.STAFF : Entry.Visibility.ALL;
        CompletionStage<Known> known = edge.services()
                .storage()
                .entryLog()
                .readUpwards(conv, reader, seq, seq + 1, 1)
                .thenCombine(
                        settledLetters(conv),
                        (page, letters) -> new Known(
                                sender,
                                request,
                                page.entries().stream().findFirst(),
                                letters.items().stream()
                                        .map(DeadLetterRow::letter)
                                        .filter(letter -> letter.seq() == seq)
                                        .max(Comparator.comparing(Letter::at))));
        CompletionStage<ConversationReply> open =
                edge.services().gateway().conversation(conv, by.person(), ref -> new FindLetter(by, seq, ref));
        CompletionStage<Ledgers.Traced> traced = edge.services().ledgers().find(conv, seq, sender);
        return known.thenCombine(
                        open,
                        (all, letter) -> letter instanceof ConversationReply.OfLetter found
                                ? new Known(
                                        sender,
                                        request,
                                        all.entry(),
                                        found.letter() == null ? all.settled() : Optional.of(found.letter()))
                                : all)
                .thenCombine(
                        traced, (all, steps) -> (Answering) reply -> answer(by, conv, clientMsgId, all, steps, reply))
                .thenCompose(answer ->
                        edge.askKnown(conv, by.person(), replyTo -> new Describe(by, replyTo), answer::answer));
    }

    private interface Answering {
        HttpResponse answer(ConversationReply reply);
    }

    private CompletionStage<Rows<DeadLetterRow>> settledLetters(String conv) {
        return edge.services()
                .storage()
                .directory()
                .deadLetters(new DeadLetterFilter(null, null, null, conv), Optional.empty(), MAX_LETTERS);
    }

    private static HttpResponse answer(
            Principal by,
            String conv,
            String clientMsgId,
            Known known,
            Ledgers.Traced traced,
            ConversationReply reply) {
        ConversationView view = ConversationCalls.expect(ConversationReply.Described.class, reply)
                .view();
        long seq = known.request().seq();
        boolean delivered = view.peer().delivered() >= seq;
        boolean read = view.peer().read() >= seq;
        // What a terminal is called, where it is, and its own words are no business of the customer.
        boolean inside = by.role() != Role.CUSTOMER;
        return Answers.object(200, out -> {
            out.writeStringField("conv", conv);
            out.writeStringField("clientMsgId", clientMsgId);
            out.writeNumberField("seq", seq);
            out.writeStringField("state", state(delivered, read, known.settled()));
            if (known.settled().isPresent()) {
                out.writeNumberField("attempt", known.settled().get().count());
            }
            out.writeArrayFieldStart("steps");
            writeSteps(out, inside, known, traced, delivered, read);
            out.writeEndArray();
            out.writeArrayFieldStart("attempts");
            if (known.settled().isPresent()) {
                for (Letter.Attempt attempt : known.settled().get().attempts()) {
                    out.writeStartObject();
                    out.writeNumberField("attempt", attempt.number());
                    out.writeStringField("at", WireJson.time(attempt.at()));
                    out.writeStringField("code", attempt.code());
                    WireJson.writeText(out, "terminal", inside ? attempt.terminal() : null);
                    WireJson.writeText(out, "reason", inside ? attempt.reason() : null);
                    out.writeEndObject();
                }
            }
            out.writeEndArray();
        });
    }

    private static String state(boolean delivered, boolean read, Optional<Letter> letter) {
        if (read) {
            return "read";
        }
        if (letter.isPresent() && !letter.get().state().isFinal()) {
            return letter.get().state().wireName();
        }
        if (letter.isPresent() && letter.get().state() == Letter.State.DISCARDED) {
            return letter.get().state().wireName();
        }
        return delivered ? "delivered" : "accepted";
    }

    private static void writeSteps(
            JsonGenerator out, boolean inside, Known known, Ledgers.Traced traced, boolean delivered, boolean read)
            throws IOException {
        Instant accepted = known.entry().map(Entry::at).orElse(null);
        List<Line> lines = lines(traced);
        writeStep(out, "accepted", "done", accepted, null, null, 0, null);
        boolean sure = accepted != null && traced.covers(accepted);
        for (Step step : List.of(Step.ROUTED, Step.QUEUED, Step.WRITTEN, Step.ACKNOWLEDGED, Step.READ)) {
            List<Line> seen = lines.stream().filter(line -> line.step() == step).toList();
            boolean acknowledged = step == Step.ACKNOWLEDGED;
            boolean byJournal = acknowledged ? delivered : step == Step.READ && read;
            boolean exact = acknowledged || step == Step.READ;
            if (exact) {
                // The watermark alone decides; the ledger knows when.
                Line first = byJournal && !seen.isEmpty() ? seen.get(0) : null;
                writeStep(
                        out,
                        first == null ? name(step) : first.name(),
                        byJournal ? "done" : "open",
                        first == null ? null : first.seen().at(),
                        first == null || !inside ? null : first.node(),
                        null,
                        0,
                        null);
                continue;
            }
            boolean later =
                    delivered || lines.stream().anyMatch(line -> line.step().compareTo(step) > 0);
            if (seen.isEmpty()) {
                String open = later || !sure ? "unknown" : "open";
                if (step == Step.QUEUED) {
                    writeStep(out, "converted", open, null, null, null, 0, null);
                }
                writeStep(out, name(step), open, null, null, null, 0, null);
            }
            for (Line line : seen) {
                String node = inside ? line.node() : null;
                String terminal = inside ? line.seen().terminal() : null;
                int attempt = line.seen().attempt();
                if (step == Step.QUEUED) {
                    writeStep(out, "converted", "done", line.seen().at(), node, terminal, attempt, null);
                }
                writeStep(out, line.name(), "done", line.seen().at(), node, terminal, attempt, null);
            }
        }
        for (Line line : lines) {
            if (line.step() == Step.REFUSED) {
                Ledger.Seen seen = line.seen();
                writeStep(
                        out,
                        line.name(),
                        "done",
                        seen.at(),
                        inside ? line.node() : null,
                        null,
                        seen.attempt(),
                        seen.code());
            }
        }
    }

    private static String name(Step step) {
        return switch (step) {
            case ROUTED -> "routed";
            case QUEUED -> "queued";
            case WRITTEN -> "written";
            case ACKNOWLEDGED -> "acknowledged";
            case READ -> "read";
            case REFUSED -> "refused";
        };
    }

    /** What all nodes have seen, by time. */
    private static List<Line> lines(Ledgers.Traced traced) {
        List<Line> lines = new ArrayList<>();
        for (Ledgers.Message.Found node : traced.nodes()) {
            for (Ledger.Seen seen : node.steps()) {
                lines.add(new Line(seen.step(), name(seen.step()), seen, node.node()));
            }
        }
        lines.sort(Comparator.comparing(line -> line.seen().at()));
        return lines;
    }

    private static void writeStep(
            JsonGenerator out,
            String step,
            String state,
            Instant at,
            String node,
            String terminal,
            int attempt,
            String code)
            throws IOException {
        out.writeStartObject();
        out.writeStringField("step", step);
        out.writeStringField("state", state);
        if (at != null) {
            out.writeStringField("at", WireJson.time(at));
        }
        WireJson.writeText(out, "node", node);
        WireJson.writeText(out, "terminal", terminal);
        if (attempt > 0) {
            out.writeNumberField("attempt", attempt);
        }
        WireJson.writeText(out, "code", code);
        out.writeEndObject();
    }
}
