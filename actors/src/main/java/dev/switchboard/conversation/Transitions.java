package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Transfer;
import dev.switchboard.conversation.ConversationEvent.OfferEnded;
import dev.switchboard.conversation.ConversationEvent.Offered;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.DeskIntent.Kind;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the events that change the owner, or the offers, of a conversation: each with the steps that are owed to desks and
 * the time at which the conversation must be awake. Pure; thread-safe.
 *
 * <p>The epoch grows by one at every assign, return, transfer, close and reopening. A desk's slot is released under the new
 * epoch, so that a confirmation of an older one that comes late does nothing.
 */
final class Transitions {
    /** How long after a step was owed the conversation is woken if it has gone: well above the time that repeats take. */
    private static final Duration STEP_NET = Duration.ofSeconds(60);

    /** How long after an offer's deadline the conversation is woken if it has gone. */
    private static final Duration OFFER_NET = Duration.ofSeconds(5);

    private final QueueCatalog queues;
    private final ConversationSettings settings;

    Transitions(QueueCatalog queues, ConversationSettings settings) {
        this.queues = queues;
        this.settings = settings;
    }

    OwnerChanged assigned(
            ConversationState state, Person by, OpenOffer taken, String clientMsgId, long hash, Instant now) {
        Ownership before = state.ownership();
        long epoch = before.epoch() + 1;
        Entry entry = Entry.lifecycle(
                state.log().lastSeq() + 1,
                Entry.Kind.ASSIGNED,
                by,
                now,
                clientMsgId,
                taken.agent(),
                epoch,
                before.queue(),
                null,
                null);
        List<DeskIntent> intents = new ArrayList<>();
        intents.addAll(releaseAll(before, epoch, taken.agent()));
        intents.add(new DeskIntent(taken.agent(), epoch, Kind.CONFIRM, taken.offer()));
        return settle(
                state,
                new OwnerChanged(
                        entry,
                        hash,
                        Status.ASSIGNED,
                        before.queue(),
                        null,
                        taken.offer(),
                        taken.decision(),
                        intents,
                        Marks.NONE,
                        null),
                now);
    }

    /** The owner can't go on: to the front of the line that it came from. */
    OwnerChanged returned(ConversationState state, String reason, Instant now) {
        Ownership before = state.ownership();
        long epoch = before.epoch() + 1;
        Ticket ticket = ticket(state, before.queue(), epoch, now, true, null, null, false);
        return waitingAgain(
                state, Entry.Kind.RETURNED, null, null, 0, state.log().lastSeq() + 1, ticket, null, reason, now);
    }

    OwnerChanged transferred(ConversationState state, Transfer transfer, long seq, long hash, Instant now) {
        Ownership before = state.ownership();
        String queue = transfer.toQueue() == null ? before.queue() : transfer.toQueue();
        Instant until = transfer.toAgent() == null
                ? null
                : now.plus(settingsOf(queue).map(QueueSettings::preferTargetFor).orElse(Duration.ofMinutes(1)));
        Ticket ticket = ticket(
                state, queue, before.epoch() + 1, now, true, transfer.toAgent(), until, transfer.toAgent() != null);
        return waitingAgain(
                state,
                Entry.Kind.TRANSFERRED,
                transfer.by().person(),
                transfer.clientMsgId(),
                hash,
                seq,
                ticket,
                transfer.toAgent(),
                null,
                now);
    }

    OwnerChanged reopened(ConversationState state, Person by, Instant now) {
        Ownership before = state.ownership();
        Duration prefer = settingsOf(before.queue())
                .map(QueueSettings::preferLastAgentFor)
                .orElse(Duration.ZERO);
        boolean prefers = before.lastOwner() != null && !prefer.isZero();
        Ticket ticket = ticket(
                state,
                before.queue(),
                before.epoch() + 1,
                now,
                false,
                prefers ? before.lastOwner() : null,
                prefers ? now.plus(prefer) : null,
                false);
        return waitingAgain(
                state, Entry.Kind.REOPENED, by, null, 0, state.log().lastSeq() + 1, ticket, null, null, now);
    }

    OwnerChanged closed(ConversationState state, Person by, String clientMsgId, long hash, String reason, Instant now) {
        Ownership before = state.ownership();
        long epoch = before.epoch() + 1;
        Entry entry = Entry.lifecycle(
                state.log().lastSeq() + 1,
                Entry.Kind.CLOSED,
                by,
                now,
                clientMsgId,
                null,
                epoch,
                before.queue(),
                null,
                reason);
        return settle(
                state,
                new OwnerChanged(
                        entry,
                        hash,
                        Status.CLOSED,
                        before.queue(),
                        null,
                        null,
                        null,
                        releaseAll(before, epoch, null),
                        Marks.NONE,
                        null),
                now);
    }

    Offered offered(ConversationState state, OpenOffer offer, Instant now) {
        Ownership before = state.ownership();
        Instant deadline = earliest(state.deadline(), offer.deadline().plus(OFFER_NET));
        return new Offered(offer, before.queue(), before.epoch(), now, Marks.NONE, deadline);
    }

    /** An offer ends, or is barred before it came. */
    OfferEnded offerEnded(ConversationState state, String offer, String agent, String reason, Instant now) {
        Ownership before = state.ownership();
        boolean others = before.offers().keySet().stream().anyMatch(open -> !open.equals(offer));
        return new OfferEnded(
                offer,
                agent,
                reason,
                others ? Status.OFFERED : Status.WAITING,
                before.queue(),
                before.epoch(),
                now,
                new DeskIntent(agent, before.epoch(), Kind.RELEASE, offer),
                Marks.NONE,
                earliest(state.deadline(), now.plus(STEP_NET)));
    }

    // ---- deadlines ----

    /** The deadline of a conversation that waits for the first time; null for none. */
    Instant firstDeadline(Ticket ticket, Instant now) {
        Duration abandon =
                settingsOf(ticket.queue()).map(QueueSettings::abandonAfter).orElse(Duration.ZERO);
        return abandon.isZero() ? null : now.plus(abandon).plus(settings.attachTime());
    }

    /** The deadline that an entry without a change of owner needs: null when the row is early enough. */
    Instant deadlineAfterEntry(ConversationState state, Instant now) {
        Ownership ownership = state.ownership();
        if (state.deadline() != null || ownership.status() != Status.ASSIGNED) {
            return null;
        }
        Duration idle =
                settingsOf(ownership.queue()).map(QueueSettings::closeIdleAfter).orElse(Duration.ZERO);
        return idle.isZero() ? null : now.plus(idle);
    }

    /** When a conversation in that state must be awake at the latest; {@link Instant#MAX} when nothing is owed. */
    Instant needed(ConversationState state, Instant now) {
        Ownership ownership = state.ownership();
        Instant needed = Instant.MAX;
        if (!state.intents().isEmpty() || state.log().past().erasing()) {
            needed = now.plus(STEP_NET);
        }
        for (OpenOffer offer : ownership.offers().values()) {
            needed = earliest(needed, offer.deadline().plus(OFFER_NET));
        }
        needed = earliest(needed, reduceAt(state));
        needed = earliest(needed, state.letters().nextDue(now));
        Optional<QueueSettings> queue = settingsOf(ownership.queue());
        if (queue.isEmpty()) {
            return needed;
        }
        Duration abandon = queue.get().abandonAfter();
        Duration idle = queue.get().closeIdleAfter();
        boolean waits = ownership.status() == Status.WAITING || ownership.status() == Status.OFFERED;
        if (waits && !abandon.isZero() && state.customerOnSocket()) {
            needed = earliest(needed, now.plus(abandon).plus(settings.attachTime()));
        }
        if (ownership.status() == Status.ASSIGNED && !idle.isZero()) {
            needed = earliest(needed, now.plus(idle));
        }
        return needed;
    }

    /** The event with the deadline that the state after it needs; null where the row is right as it is. */
    private OwnerChanged settle(ConversationState state, OwnerChanged event, Instant now) {
        // Behind another event of the same write the state before this one isn't at hand: the net is early enough.
        boolean next = event.entry().seq() == state.log().lastSeq() + 1;
        Instant needed = next ? needed(state.apply(event), now) : now.plus(STEP_NET);
        Instant row = needed.equals(Instant.MAX) && state.deadline() == null ? null : needed;
        return new OwnerChanged(
                event.entry(),
                event.hash(),
                event.status(),
                event.queue(),
                event.ticket(),
                event.offer(),
                event.decision(),
                event.intents(),
                event.marks(),
                row);
    }

    /** The same for a note or a label, which a closed conversation takes too. */
    Instant deadlineAfterStaffEntry(ConversationState state, Instant now) {
        boolean closed = state.ownership().status() == Status.CLOSED;
        return closed
                        && state.deadline() == null
                        && !settings.reduceClosedAfter().isZero()
                ? now.plus(settings.reduceClosedAfter())
                : deadlineAfterEntry(state, now);
    }

    /** Everything said up to now is to be erased; {@code by} and the id of the request are null when time alone asks. */
    ConversationEvent.Erased erased(ConversationState state, Person by, String requestId, Instant now) {
        return ConversationEvent.Erased.asked(
                now,
                state.log().lastSeq() + 1,
                by,
                requestId,
                RequestHash.newKey(),
                earliest(state.deadline(), now.plus(STEP_NET)));
    }

    /** When a closed conversation is reduced by itself; {@link Instant#MAX} for never, or when nothing was said since. */
    Instant reduceAt(ConversationState state) {
        RecentLog log = state.log();
        boolean open = state.ownership().status() != Status.CLOSED;
        if (settings.reduceClosedAfter().isZero()
                || open
                || log.recent().isEmpty()
                || log.past().startsAt() == log.lastSeq()) {
            return Instant.MAX;
        }
        Instant last = log.recent().get(log.recent().size() - 1).at();
        return last.plus(settings.reduceClosedAfter());
    }

    /** The deadline of the event that ends an erasure: what is still owed without it; null where the row is right. */
    Instant deadlineAfterErasure(ConversationState state, Instant now) {
        Instant needed = needed(state.apply(ConversationEvent.Erased.carriedOut(now, null)), now);
        return needed.equals(Instant.MAX) && state.deadline() == null ? null : needed;
    }

    // ---- parts ----

    private OwnerChanged waitingAgain(
            ConversationState state,
            Entry.Kind kind,
            Person by,
            String clientMsgId,
            long hash,
            long seq,
            Ticket ticket,
            String agent,
            String reason,
            Instant now) {
        Entry entry =
                Entry.lifecycle(seq, kind, by, now, clientMsgId, null, ticket.epoch(), ticket.queue(), agent, reason);
        return settle(
                state,
                new OwnerChanged(
                        entry,
                        hash,
                        Status.WAITING,
                        ticket.queue(),
                        ticket,
                        null,
                        null,
                        releaseAll(state.ownership(), ticket.epoch(), null),
                        Marks.NONE,
                        null),
                now);
    }

    private static Ticket ticket(
            ConversationState state,
            String queue,
            long epoch,
            Instant now,
            boolean front,
            String prefer,
            Instant preferUntil,
            boolean direct) {
        Ticket before = state.ownership().ticket();
        Identity who = state.identity();
        return new Ticket(
                queue,
                epoch,
                who.customer(),
                who.priority(),
                who.skills(),
                before == null ? now : before.since(),
                front,
                prefer,
                preferUntil,
                direct);
    }

    /** Release for the owner and for everybody with an open offer, except the one who gets the conversation. */
    private static List<DeskIntent> releaseAll(Ownership before, long epoch, String except) {
        List<DeskIntent> intents = new ArrayList<>();
        for (OpenOffer offer : before.offers().values()) {
            if (!offer.agent().equals(except)) {
                intents.add(new DeskIntent(offer.agent(), epoch, Kind.RELEASE, offer.offer()));
            }
        }
        if (before.owner() != null && !before.owner().equals(except)) {
            intents.add(new DeskIntent(before.owner(), epoch, Kind.RELEASE, null));
        }
        return intents;
    }

    private Optional<QueueSettings> settingsOf(String queue) {
        return queues.find(queue);
    }

    private static Instant earliest(Instant a, Instant b) {
        return a == null || b.isBefore(a) ? b : a;
    }
}
