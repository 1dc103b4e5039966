package dev.switchboard.dispatcher;

import java.util.concurrent.ThreadFactory;
import org.apache.pekko.actor.ActorCell;
import org.apache.pekko.dispatch.Mailbox;
import org.apache.pekko.dispatch.MessageQueue;
import org.apache.pekko.dispatch.MonitorableThreadFactory;

/**
 * Every call to what Pekko keeps for itself stands here, each held by a contract test: these may change with any
 * version of Pekko. Stateless.
 */
final class PekkoInternals {
    private PekkoInternals() {}

    /** The queue of a scheduled mailbox, or null for a task that is no mailbox. */
    static MessageQueue queueOf(Runnable task) {
        return task instanceof Mailbox mailbox ? mailbox.messageQueue() : null;
    }

    /** The hash of the session of a mailbox with another queue than ours; 0 for a mailbox without an actor. */
    static int sessionHash(Runnable mailbox) {
        ActorCell actor = ((Mailbox) mailbox).actor();
        return actor == null ? 0 : LaneHash.of(actor.self().path().name());
    }

    /** The factory, with a name that tells which dispatcher its threads serve. */
    static ThreadFactory named(ThreadFactory factory, String id) {
        return factory instanceof MonitorableThreadFactory pekkos ? pekkos.withName(pekkos.name() + "-" + id) : factory;
    }
}
