package dev.switchboard.delivery;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.ports.Unreadable;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.typed.EventAdapter;
import org.apache.pekko.persistence.typed.EventSeq;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;

/**
 * Whether one entity could be read as a whole. Confined to its actor.
 *
 * <p>An event that can't be read doesn't fail the recovery: that would start the actor again and again, and leave those
 * who wait without an answer. The journal gives an {@link Unreadable} in its place; so does an event that can't follow
 * what was before it. From then on nothing changes the state: the actor is there, refuses, persists nothing, and after a
 * while leaves memory, so that who needs it next finds out if the row was mended.
 */
public final class Recovered<E> extends EventAdapter<E, Object> {
    private final String persistenceId;
    private final Incidents incidents;
    private Unreadable damage;
    private Incidents.Incident incident;
    private boolean replaying = true;

    public Recovered(String persistenceId, ActorSystem<?> system) {
        this.persistenceId = persistenceId;
        incidents = Incidents.of(system);
    }

    @Override
    public Object toJournal(E event) {
        return event;
    }

    @Override
    public String manifest(E event) {
        return "";
    }

    @Override
    @SuppressWarnings("unchecked") // What is no such event fails where it is applied, and is damage then.
    public EventSeq<E> fromJournal(Object stored, String manifest) {
        if (stored instanceof Unreadable unreadable && damage == null) {
            damage = unreadable;
        }
        return damage == null ? EventSeq.single((E) stored) : EventSeq.empty();
    }

    /**
     * The handler, which during a replay takes an event that can't follow for damage.
     *
     * @param sequenceNr the number of the event that is being replayed
     */
    public <S> EventHandler<S, E> guarded(EventHandler<S, E> handler, LongSupplier sequenceNr) {
        return (state, event) -> {
            if (!replaying) {
                return handler.apply(state, event);
            }
            try {
                return handler.apply(state, event);
            } catch (RuntimeException e) {
                damage = new Unreadable(
                        persistenceId, sequenceNr.getAsLong(), "it can't follow what was before it: " + e);
                return state;
            }
        };
    }

    /** The replay has ended; damage is told to the log. */
    public void completed() {
        replaying = false;
        if (damage == null) {
            incidents.readable(persistenceId);
        } else {
            incident = incidents.met(damage);
        }
    }

    /** A failed write makes the actor read everything again, in place. */
    public void replayAgain() {
        replaying = true;
    }

    /** True when something could not be read. */
    public boolean isUnreadable() {
        return damage != null;
    }

    /** After how long it may be tried again; only when unreadable. */
    public Duration retryAfter() {
        return incident.retryAfter();
    }

    /** What everybody is told; only when unreadable. */
    public Refusal refusal() {
        return Refusal.of(
                        ErrorCode.UNREADABLE,
                        "What is stored can't be read; an operator must look at incident " + incident.id() + ".")
                .withFact("incident", incident.id());
    }
}
