package dev.switchboard.dispatcher;

import com.typesafe.config.Config;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.dispatch.MailboxType;
import org.apache.pekko.dispatch.MessageQueue;
import org.apache.pekko.dispatch.ProducesMessageQueue;
import scala.Option;

/**
 * The mailbox of actors on an affinity dispatcher: unbounded, and it knows its session. Created by Pekko from the
 * configuration {@code mailbox-type = "dev.switchboard.dispatcher.SessionMailbox"}; thread-safe.
 *
 * <p>The session is the name of the actor, which for a sharded entity is its entity id. Typed actors don't take the
 * mailbox from the dispatcher's block: select it with {@code MailboxSelector.fromConfig}. On other dispatchers it works
 * as a plain unbounded mailbox.
 */
public final class SessionMailbox implements MailboxType, ProducesMessageQueue<SessionQueue> {
    /** For Pekko. */
    public SessionMailbox(ActorSystem.Settings settings, Config config) {}

    @Override
    public MessageQueue create(Option<ActorRef> owner, Option<ActorSystem> system) {
        return new SessionQueue(
                owner.isDefined() ? LaneHash.of(owner.get().path().name()) : 0);
    }
}
