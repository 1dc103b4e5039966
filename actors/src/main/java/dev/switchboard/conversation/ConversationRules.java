package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Assign;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.Erase;
import dev.switchboard.conversation.ConversationCommand.Label;
import dev.switchboard.conversation.ConversationCommand.LookedUp;
import dev.switchboard.conversation.ConversationCommand.Note;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.Open;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationCommand.Transfer;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.Opened;
import dev.switchboard.conversation.ConversationEvent.Succeeded;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import dev.switchboard.routing.QueueSettings.WhenClosed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a conversation says to people's requests: pure decisions over its state. Thread-safe; the {@code Conversation} carries
 * them out. What happens at each status:
 *
 * <pre>
 *                waiting            offered            assigned                closed
 * customer posts appended           appended           appended                reopened + appended, successor, refused
 * owner posts    –                  –                  appended                closed
 * accept         offer-ended        assigned           not-owner (or repeat)   offer-ended
 * decline        offer-ended        offer ends         offer-ended             offer-ended
 * assign         desk asked         desk asked         supervisor: desk asked  closed
 * transfer       supervisor: moved  supervisor: moved  owner, supervisor: moved closed
 * close          closed             closed             closed                  closed (refused)
 * note, label    supervisor         supervisor         owner, supervisor       supervisor
 * erase          operator           operator           operator                operator
 * open           as it is           as it is           as it is                reopened, successor, refused
 * owner gone     –                  –                  front of the line       –
 * abandoned      closed             closed             –                       –
 * idle           –                  –                  closed                  –
 * closed long    –                  –                  –                       reduced
 * </pre>
 *
 * <p>Before any cell a stranger is told {@code not-found}, and a request that was made before gets its first answer.
 */
final class ConversationRules {
    /** When to try a full queue again. */
    private static final Duration FULL_QUEUE_RETRY = Duration.ofSeconds(10);

    private final String conv;
    private final QueueCatalog queues;
    private final Transitions transitions;

    ConversationRules(String conv, QueueCatalog queues, ConversationSettings settings) {
        this.conv = conv;
        this.queues = queues;
        this.transitions = new Transitions(queues, settings);
    }

    Transitions transitions() {
        return transitions;
    }

    // ---- opening and posting ----

    Verdict open(ConversationState state, Open open, Instant now) {
        if (!state.isOpened()) {
            Verdict.Refuse no = mayOpen(open.by(), open.customer(), open.queue());
            return no != null
                    ? no
                    : new Verdict.Persist(
                            List.of(opened(open.by(), open.customer(), open.queue(), open.attributes(), now)));
        }
        Relation relation = Relation.of(open.by(), state);
        if (relation != Relation.CUSTOMER && relation != Relation.SERVICE) {
            return notFound();
        }
        if (state.ownership().status() != Status.CLOSED) {
            return new Verdict.AsIs();
        }
        return switch (whenClosed(state)) {
            case OPEN_NEW -> new Verdict.GoTo(successor(state), state.successor() == null);
            case REFUSE -> Verdict.Refuse.of(ErrorCode.CLOSED, "The conversation is closed.");
            case REOPEN ->
                new Verdict.Persist(
                        List.of(transitions.reopened(state, state.identity().customerPerson(), now)));
        };
    }

    Verdict post(ConversationState state, Post post, Instant now) {
        return post(state, post, now, null);
    }

    /** The same after the journal was asked. */
    Verdict post(ConversationState state, Post post, Instant now, LookedUp found) {
        if (!state.isOpened()) {
            return firstPost(post, now);
        }
        Relation relation = Relation.of(post.by(), state);
        boolean asCustomer = post.sender().equals(state.identity().customerPerson());
        if (relation == Relation.STRANGER || relation == Relation.OPERATOR) {
            return notFound();
        }
        if (asCustomer != (relation == Relation.CUSTOMER || relation == Relation.SERVICE)) {
            return Verdict.Refuse.of(
                    ErrorCode.FORBIDDEN,
                    "The caller can't write as " + post.sender().id() + ".");
        }
        long hash = RequestHash.of(state.identity().hashKey(), post.body());
        Optional<Verdict> before = before(state, post.sender(), post.clientMsgId(), hash);
        if (before.isEmpty() && found != null && found.known().isPresent()) {
            before = Optional.of(answerTo(found.known().get(), hash));
        }
        if (before.isPresent()) {
            return before.get();
        }
        boolean forgotten = found == null && state.log().hasForgotten(post.sender());
        if (forgotten && post.repeat()) {
            return new Verdict.AskJournal();
        }
        if (post.after() != null
                && state.log().request(post.sender(), post.after()).isEmpty()
                && (found == null || !found.afterKnown())) {
            return forgotten ? new Verdict.AskJournal() : outOfOrder(post.after());
        }
        if (!asCustomer) {
            Verdict.Refuse no = mayWriteAsOwner(state, relation, post.epoch());
            return no != null ? no : new Verdict.Persist(List.of(appended(state, post, hash, now, 1)));
        }
        if (state.ownership().status() != Status.CLOSED) {
            return new Verdict.Persist(List.of(appended(state, post, hash, now, 1)));
        }
        return switch (whenClosed(state)) {
            case OPEN_NEW -> new Verdict.GoTo(successor(state), state.successor() == null);
            case REFUSE -> Verdict.Refuse.of(ErrorCode.CLOSED, "The conversation is closed.");
            case REOPEN ->
                new Verdict.Persist(
                        List.of(transitions.reopened(state, post.sender(), now), appended(state, post, hash, now, 2)));
        };
    }

    private Verdict firstPost(Post post, Instant now) {
        String customer = post.sender().id();
        Verdict.Refuse no =
                post.sender().role() == Role.CUSTOMER ? mayOpen(post.by(), customer, post.queue()) : notFound();
        if (no != null) {
            return no;
        }
        if (post.after() != null) {
            return outOfOrder(post.after());
        }
        Opened opened = opened(post.by(), customer, post.queue(), Map.of(), now);
        long hash = RequestHash.of(opened.hashKey(), post.body());
        Entry entry = Entry.message(1, post.sender(), now, post.clientMsgId(), post.body());
        return new Verdict.Persist(List.of(opened, new EntryAppended(entry, hash, post.viaSocket(), Marks.NONE, null)));
    }

    private Verdict.Refuse mayOpen(Principal by, String customer, String queue) {
        boolean own = by.role() == Role.CUSTOMER && by.id().equals(customer);
        if (!(own || by.role() == Role.SERVICE)
                || !ConversationIds.customerOf(conv).equals(customer)) {
            return notFound();
        }
        if (queues.find(queue).isEmpty()) {
            return new Verdict.Refuse(Refusal.of(ErrorCode.UNKNOWN_QUEUE, "There is no queue " + queue + ".")
                    .withFact("queue", queue));
        }
        return queues.admits(queue)
                ? null
                : new Verdict.Refuse(
                        Refusal.of(ErrorCode.QUEUE_FULL, "The queue " + queue + " takes no more conversations now.")
                                .withFact("queue", queue)
                                .retryAfter(FULL_QUEUE_RETRY));
    }

    private Opened opened(Principal by, String customer, String queue, Map<String, String> attributes, Instant now) {
        Ticket ticket = new Ticket(queue, 1, customer, by.priority(), by.skills(), now, false, null, null, false);
        Instant deadline = transitions.firstDeadline(ticket, now);
        return new Opened(now, customer, by.person(), ticket, attributes, RequestHash.newKey(), deadline);
    }

    private EntryAppended appended(ConversationState state, Post post, long hash, Instant now, int offset) {
        Entry entry =
                Entry.message(state.log().lastSeq() + offset, post.sender(), now, post.clientMsgId(), post.body());
        return new EntryAppended(entry, hash, post.viaSocket(), Marks.NONE, transitions.deadlineAfterEntry(state, now));
    }

    private WhenClosed whenClosed(ConversationState state) {
        return queues.find(state.ownership().queue())
                .map(QueueSettings::whenClosed)
                .orElse(WhenClosed.REOPEN);
    }

    private String successor(ConversationState state) {
        return state.successor() == null ? ConversationIds.successorOf(conv) : state.successor();
    }

    Succeeded succeeded(ConversationState state) {
        return new Succeeded(successor(state), Marks.NONE);
    }

    // ---- offers ----

    Verdict accept(ConversationState state, Principal by, OfferId offer, Instant now) {
        Ownership ownership = state.ownership();
        if (!offer.agent().equals(by.id())) {
            return Verdict.Refuse.of(ErrorCode.UNKNOWN_OFFER, "There is no such offer to " + by.id() + ".");
        }
        OpenOffer open = ownership.offers().get(offer.toString());
        if (open != null) {
            return new Verdict.Persist(List.of(transitions.assigned(state, by.person(), open, null, 0, now)));
        }
        if (ownership.status() == Status.ASSIGNED) {
            return by.id().equals(ownership.owner()) ? new Verdict.AsIs() : notOwner(ownership);
        }
        return offerEnded();
    }

    Verdict decline(ConversationState state, Principal by, OfferId offer, Instant now) {
        if (!offer.agent().equals(by.id())) {
            return Verdict.Refuse.of(ErrorCode.UNKNOWN_OFFER, "There is no such offer to " + by.id() + ".");
        }
        OpenOffer open = state.ownership().offers().get(offer.toString());
        return open == null
                ? offerEnded()
                : new Verdict.Persist(List.of(transitions.offerEnded(state, open.offer(), by.id(), "declined", now)));
    }

    private static Verdict.Refuse offerEnded() {
        return Verdict.Refuse.of(ErrorCode.OFFER_ENDED, "The offer is over.");
    }

    // ---- changes of owner that people ask for ----

    Verdict assign(ConversationState state, Assign assign, Instant now) {
        Ownership ownership = state.ownership();
        Relation relation = Relation.of(assign.by(), state);
        if (relation == Relation.STRANGER) {
            return notFound();
        }
        Optional<Verdict> before =
                before(state, assign.by().person(), assign.clientMsgId(), assignHash(state, assign.agent()));
        if (before.isPresent()) {
            return before.get();
        }
        boolean supervises =
                assign.by().role() == Role.SUPERVISOR && assign.by().claimsQueue(ownership.queue());
        boolean toItself = assign.by().role() == Role.AGENT
                && assign.agent().equals(assign.by().id());
        if (!supervises && !toItself) {
            return Verdict.Refuse.of(ErrorCode.FORBIDDEN, "Only a supervisor of the queue assigns to others.");
        }
        if (ownership.status() == Status.CLOSED) {
            return Verdict.Refuse.of(ErrorCode.CLOSED, "The conversation is closed.");
        }
        if (ownership.status() == Status.ASSIGNED) {
            if (assign.agent().equals(ownership.owner())) {
                return alreadyOwner(ownership);
            }
            if (!supervises) {
                return notOwner(ownership);
            }
        } else if (!supervises && !assign.by().claimsQueue(ownership.queue())) {
            return notFound();
        }
        return new Verdict.AskDesk(
                assign.agent(),
                new RoutingDecision(
                        now,
                        assign.agent(),
                        "direct",
                        "Assigned by " + assign.by().person() + ".",
                        List.of()));
    }

    /** A desk has the slot that {@link #assign} asked for. */
    Verdict assignOffered(ConversationState state, OfferSlot slot, Instant now) {
        Ownership ownership = state.ownership();
        Principal by = slot.request().by();
        if (ownership.status() == Status.CLOSED) {
            return Verdict.Refuse.of(ErrorCode.CLOSED, "The conversation is closed.");
        }
        if (ownership.epoch() != slot.epoch()) {
            return ownership.status() == Status.ASSIGNED
                    ? notOwner(ownership)
                    : Verdict.Refuse.of(ErrorCode.STALE_EPOCH, "The conversation changed hands meanwhile.");
        }
        if (ownership.endedOffers().contains(slot.offer())) {
            return offerEnded();
        }
        OpenOffer taken = new OpenOffer(slot.offer(), slot.agent(), now, slot.decision());
        long hash = assignHash(state, slot.agent());
        return new Verdict.Persist(List.of(
                transitions.assigned(state, by.person(), taken, slot.request().clientMsgId(), hash, now)));
    }

    Verdict transfer(ConversationState state, Transfer transfer, Instant now) {
        Relation relation = Relation.of(transfer.by(), state);
        if (relation == Relation.STRANGER || relation == Relation.OPERATOR) {
            return notFound();
        }
        Person by = transfer.by().person();
        long hash = RequestHash.of(
                state.identity().hashKey(), "transfer", transfer.toAgent(), transfer.toQueue(), transfer.note());
        Optional<Verdict> before = before(state, by, transfer.clientMsgId(), hash);
        if (before.isPresent()) {
            return before.get();
        }
        Ownership ownership = state.ownership();
        Verdict.Refuse no = mayDirect(state, relation, transfer.epoch());
        if (no != null) {
            return no;
        }
        if (ownership.status() == Status.CLOSED) {
            return Verdict.Refuse.of(ErrorCode.CLOSED, "The conversation is closed.");
        }
        if (transfer.toAgent() != null && transfer.toAgent().equals(ownership.owner())) {
            return alreadyOwner(ownership);
        }
        if (transfer.toQueue() != null && queues.find(transfer.toQueue()).isEmpty()) {
            return new Verdict.Refuse(
                    Refusal.of(ErrorCode.UNKNOWN_QUEUE, "There is no queue " + transfer.toQueue() + ".")
                            .withFact("queue", transfer.toQueue()));
        }
        List<ConversationEvent> events = new ArrayList<>(2);
        long seq = state.log().lastSeq();
        if (transfer.note() != null && !transfer.note().isEmpty()) {
            Entry note = Entry.note(++seq, by, now, null, transfer.note());
            events.add(new EntryAppended(note, 0, false, Marks.NONE, null));
        }
        events.add(transitions.transferred(state, transfer, ++seq, hash, now));
        return new Verdict.Persist(events);
    }

    Verdict close(ConversationState state, Close close, Instant now) {
        Relation relation = Relation.of(close.by(), state);
        if (relation == Relation.STRANGER || relation == Relation.OPERATOR) {
            return notFound();
        }
        Person by = close.by().person();
        long hash = RequestHash.of(state.identity().hashKey(), "close", close.reason());
        Optional<Verdict> before = before(state, by, close.clientMsgId(), hash);
        if (before.isPresent()) {
            return before.get();
        }
        if (relation != Relation.CUSTOMER && relation != Relation.SERVICE) {
            Verdict.Refuse no = mayDirect(state, relation, close.epoch());
            if (no != null) {
                return no;
            }
        }
        if (state.ownership().status() == Status.CLOSED) {
            return Verdict.Refuse.of(ErrorCode.CLOSED, "The conversation is closed already.");
        }
        return new Verdict.Persist(
                List.of(transitions.closed(state, by, close.clientMsgId(), hash, close.reason(), now)));
    }

    // ---- what only staff sees ----

    Verdict note(ConversationState state, Note note, Instant now) {
        long hash = RequestHash.of(state.identity().hashKey(), "note", note.text());
        return staffEntry(
                state,
                note.by(),
                note.epoch(),
                note.clientMsgId(),
                hash,
                now,
                seq -> Entry.note(seq, note.by().person(), now, note.clientMsgId(), note.text()));
    }

    Verdict label(ConversationState state, Label label, Instant now) {
        long hash = RequestHash.of(
                state.identity().hashKey(), "label", String.join("\n", label.add()), String.join("\n", label.remove()));
        return staffEntry(
                state,
                label.by(),
                label.epoch(),
                label.clientMsgId(),
                hash,
                now,
                seq -> Entry.label(seq, label.by().person(), now, label.clientMsgId(), label.add(), label.remove()));
    }

    private Verdict staffEntry(
            ConversationState state,
            Principal by,
            long epoch,
            String clientMsgId,
            long hash,
            Instant now,
            java.util.function.LongFunction<Entry> entry) {
        Relation relation = Relation.of(by, state);
        if (relation == Relation.STRANGER || relation == Relation.OPERATOR) {
            return notFound();
        }
        Optional<Verdict> before = before(state, by.person(), clientMsgId, hash);
        if (before.isPresent()) {
            return before.get();
        }
        Verdict.Refuse no = mayDirect(state, relation, epoch);
        return no != null
                ? no
                : new Verdict.Persist(List.of(new EntryAppended(
                        entry.apply(state.log().lastSeq() + 1),
                        hash,
                        false,
                        Marks.NONE,
                        transitions.deadlineAfterStaffEntry(state, now))));
    }

    // ---- erasure ----

    /** An operator may, whatever the status. What was erased already, with nothing said since, is not erased again. */
    Verdict erase(ConversationState state, Erase erase, Instant now) {
        if (Relation.of(erase.by(), state) != Relation.OPERATOR) {
            return Verdict.Refuse.of(ErrorCode.FORBIDDEN, "Only an operator erases conversations.");
        }
        Optional<Verdict> before = before(state, erase.by().person(), erase.clientMsgId(), 0);
        if (before.isPresent()) {
            return before.get();
        }
        long lastSeq = state.log().lastSeq();
        return lastSeq > 0 && state.log().past().erasedAt() == lastSeq
                ? new Verdict.AsIs()
                : new Verdict.Persist(
                        List.of(transitions.erased(state, erase.by().person(), erase.clientMsgId(), now)));
    }

    // ---- what the cells share ----

    private static long assignHash(ConversationState state, String agent) {
        return RequestHash.of(state.identity().hashKey(), "assign", agent);
    }

    /** The first answer, if that id was used before: again for the same request, a refusal for another one. */
    private static Optional<Verdict> before(ConversationState state, Person sender, String clientMsgId, long hash) {
        return clientMsgId == null
                ? Optional.empty()
                : state.log().request(sender, clientMsgId).map(known -> answerTo(known, hash));
    }

    private static Verdict answerTo(RequestRecord known, long hash) {
        return known.fits(hash)
                ? new Verdict.Again(known)
                : Verdict.Refuse.of(
                        ErrorCode.ID_REUSED, "The id " + known.clientMsgId() + " was used for another request.");
    }

    /** Null when an owner may write under that epoch. */
    private static Verdict.Refuse mayWriteAsOwner(ConversationState state, Relation relation, long epoch) {
        return switch (relation) {
            case OWNER -> epochProblem(state.ownership(), epoch, true);
            case COLLEAGUE -> notOwnerOrClosed(state.ownership());
            default ->
                Verdict.Refuse.of(
                        ErrorCode.FORBIDDEN, "A supervisor writes a note, or takes the conversation over first.");
        };
    }

    /** Null when the caller may direct the conversation: its owner by epoch, a supervisor of its queue without one. */
    private static Verdict.Refuse mayDirect(ConversationState state, Relation relation, long epoch) {
        return switch (relation) {
            case OWNER -> epochProblem(state.ownership(), epoch, true);
            case SUPERVISOR -> epochProblem(state.ownership(), epoch, false);
            case COLLEAGUE -> notOwnerOrClosed(state.ownership());
            default -> Verdict.Refuse.of(ErrorCode.FORBIDDEN, "Only its owner or a supervisor may do that.");
        };
    }

    private static Verdict.Refuse epochProblem(Ownership ownership, long epoch, boolean required) {
        if (epoch == 0 && required) {
            return Verdict.Refuse.of(ErrorCode.INVALID, "An agent's request names the ownership epoch.");
        }
        return epoch == 0 || epoch == ownership.epoch()
                ? null
                : new Verdict.Refuse(owned(
                        Refusal.of(ErrorCode.STALE_EPOCH, "The epoch is " + ownership.epoch() + ", not " + epoch + "."),
                        ownership));
    }

    private static Verdict.Refuse notOwnerOrClosed(Ownership ownership) {
        return ownership.status() == Status.CLOSED
                ? new Verdict.Refuse(owned(Refusal.of(ErrorCode.CLOSED, "The conversation is closed."), ownership))
                : notOwner(ownership);
    }

    private static Verdict.Refuse notOwner(Ownership ownership) {
        String message = ownership.owner() == null
                ? "Nobody owns the conversation now."
                : "The owner is " + ownership.owner() + ".";
        return new Verdict.Refuse(owned(Refusal.of(ErrorCode.NOT_OWNER, message), ownership));
    }

    private static Verdict.Refuse alreadyOwner(Ownership ownership) {
        return new Verdict.Refuse(owned(
                Refusal.of(ErrorCode.ALREADY_OWNER, ownership.owner() + " owns the conversation already."), ownership));
    }

    private static Refusal owned(Refusal refusal, Ownership ownership) {
        Refusal withEpoch = refusal.withFact("epoch", ownership.epoch());
        return ownership.owner() == null ? withEpoch : withEpoch.withFact("owner", ownership.owner());
    }

    static Verdict.Refuse notFound() {
        return Verdict.Refuse.of(ErrorCode.NOT_FOUND, "There is no such conversation.");
    }

    private static Verdict.Refuse outOfOrder(String after) {
        return new Verdict.Refuse(Refusal.of(ErrorCode.OUT_OF_ORDER, "The message " + after + " was not accepted yet.")
                .withFact("after", after));
    }
}
