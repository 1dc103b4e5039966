package dev.switchboard.desk;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.OwnerGone;
import dev.switchboard.conversation.ConversationCommand.Requested;
import dev.switchboard.conversation.ConversationCommand.SlotQuery;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.delivery.TerminalPush.OfferMade;
import dev.switchboard.routing.Peers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * The steps that a desk owes the conversations of its slots: what to say to each, and when to repeat it. What is owed
 * follows from the persisted slot and the time, so nothing of this is persisted. Used by the desk's actor alone.
 *
 * <pre>
 * slot                                          owed to the conversation
 * reserved, not yet recorded as an offer        OfferSlot
 * reserved, the conversation has it open        nothing; OfferSlot if a person has asked for it since
 * reserved, its time and the margin are over    SlotQuery(withdraw = false)
 * reserved, the agent can't take it any more    SlotQuery(withdraw = true); not for a slot that a person asked for
 * confirmed, the agent is there                 nothing
 * confirmed, the agent left or is past grace    OwnerGone
 * </pre>
 *
 * Each is repeated, at growing intervals, until {@code Confirm} or {@code Release} changes the slot.
 */
final class SlotSteps {
    enum Owed {
        NOTHING,
        OFFER,
        QUERY,
        WITHDRAW,
        GONE
    }

    /** What is known of a slot's conversation since this actor began. */
    private static final class Talk {
        private final String offer;
        private Requested request;
        private Instant openUntil;
        private OfferMade made;
        private Owed owed = Owed.NOTHING;
        private Instant nextAt = Instant.MIN;
        private Duration interval = Duration.ZERO;

        Talk(String offer) {
            this.offer = offer;
        }
    }

    private final String agent;
    private final Peers peers;
    private final DeskSettings settings;
    private final Map<String, Talk> talks = new HashMap<>();

    /** True when some conversation was last told that its owner is gone. */
    private boolean ownersWereGone;

    SlotSteps(String agent, Peers peers, DeskSettings settings) {
        this.agent = agent;
        this.peers = peers;
        this.settings = settings;
    }

    /** What is owed for a slot; the table above. */
    static Owed owed(
            Slot slot,
            boolean personal,
            Instant openUntil,
            boolean serving,
            boolean gone,
            Instant now,
            Duration margin) {
        if (slot.confirmed()) {
            return gone ? Owed.GONE : Owed.NOTHING;
        }
        if (!serving && !personal) {
            return Owed.WITHDRAW;
        }
        if (!now.isBefore(end(slot, openUntil).plus(margin))) {
            return Owed.QUERY;
        }
        return openUntil == null || personal ? Owed.OFFER : Owed.NOTHING;
    }

    private static Instant end(Slot slot, Instant openUntil) {
        return openUntil != null && openUntil.isAfter(slot.deadline()) ? openUntil : slot.deadline();
    }

    /** When the agent's time to answer ends. */
    Instant end(Slot slot) {
        return end(slot, talk(slot).openUntil);
    }

    /** The slot is one that a person asked for: offered to be taken at once, with that request. */
    void requested(Slot slot, Requested request) {
        Talk talk = talk(slot);
        talk.request = request;
        talk.owed = Owed.NOTHING;
    }

    /** The conversation has recorded the offer; the push to the terminals, or null when they have it already. */
    OfferMade opened(Slot slot, Instant deadline, TerminalPush.Preview preview) {
        Talk talk = talk(slot);
        OfferMade made = new OfferMade(slot.offer(), slot.conv(), deadline, preview);
        boolean told = made.equals(talk.made);
        talk.openUntil = deadline;
        talk.made = made;
        return told ? null : made;
    }

    /** The offers that the agent has before it. */
    Iterable<OfferMade> openOffers(DeskState state) {
        return state.slots().values().stream()
                .filter(slot -> !slot.confirmed())
                .map(slot -> talk(slot).made)
                .filter(made -> made != null)
                .toList();
    }

    /** After the actor came back: everything owed is said again at once. */
    void restart() {
        talks.clear();
    }

    /**
     * Says what is due now. Returns when it must be called again at the latest, {@link Instant#MAX} for never.
     *
     * @param serving false when the agent can't take new conversations now
     * @param goneAt from when the owner of a confirmed slot counts as gone; {@link Instant#MAX} for never
     */
    Instant run(DeskState state, Instant now, boolean serving, BiFunction<DeskState, Slot, Instant> goneAt) {
        Instant next = Instant.MAX;
        boolean ownersAreGone = false;
        for (Slot slot : state.slots().values()) {
            Instant gone = goneAt.apply(state, slot);
            if (slot.confirmed() && gone.equals(Instant.MAX)) {
                // Most slots, at every event: nothing is owed, and nothing will be by itself.
                if (ownersWereGone) {
                    talk(slot).owed = Owed.NOTHING;
                }
                continue;
            }
            Talk talk = talk(slot);
            Owed owed = owed(
                    slot,
                    talk.request != null,
                    talk.openUntil,
                    serving,
                    !now.isBefore(gone),
                    now,
                    settings.answerMargin());
            ownersAreGone |= owed == Owed.GONE;
            if (owed != talk.owed) {
                talk.owed = owed;
                talk.nextAt = now;
                talk.interval = settings.repeatMin();
            }
            if (owed != Owed.NOTHING && !now.isBefore(talk.nextAt)) {
                peers.conversation(slot.conv(), step(state, slot, talk));
                talk.nextAt = now.plus(talk.interval);
                Duration longer = talk.interval.multipliedBy(2);
                talk.interval = longer.compareTo(settings.repeatMax()) < 0 ? longer : settings.repeatMax();
            }
            if (owed != Owed.NOTHING) {
                next = earlier(next, talk.nextAt);
            }
            if (slot.confirmed()) {
                next = owed == Owed.GONE ? next : earlier(next, gone);
            } else if (owed == Owed.NOTHING || owed == Owed.OFFER) {
                next = earlier(next, end(slot, talk.openUntil).plus(settings.answerMargin()));
            }
        }
        ownersWereGone = ownersAreGone;
        if (talks.size() > state.slots().size()) {
            talks.keySet().retainAll(state.slots().keySet());
        }
        return next;
    }

    private ConversationCommand step(DeskState state, Slot slot, Talk talk) {
        boolean auto = slot.auto() || talk.request != null;
        return switch (talk.owed) {
            case OFFER ->
                new OfferSlot(
                        agent,
                        slot.offer(),
                        slot.epoch(),
                        slot.queue(),
                        auto,
                        auto ? null : slot.deadline(),
                        slot.decision(),
                        talk.request);
            case QUERY -> new SlotQuery(agent, slot.offer(), slot.epoch(), false);
            case WITHDRAW -> new SlotQuery(agent, slot.offer(), slot.epoch(), true);
            case GONE ->
                new OwnerGone(
                        agent, slot.epoch(), state.availability() == Availability.OFFLINE ? "offline" : "unreachable");
            case NOTHING -> throw new IllegalStateException("nothing is owed to " + slot.conv());
        };
    }

    private Talk talk(Slot slot) {
        Talk talk = talks.get(slot.conv());
        if (talk == null || !java.util.Objects.equals(talk.offer, slot.offer())) {
            talk = new Talk(slot.offer());
            talks.put(slot.conv(), talk);
        }
        return talk;
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
