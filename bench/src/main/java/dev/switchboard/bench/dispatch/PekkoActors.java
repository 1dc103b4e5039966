package dev.switchboard.bench.dispatch;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.UntypedAbstractActor;
import scala.concurrent.Await;
import scala.concurrent.duration.Duration;

/**
 * An actor for each session, on a dispatcher given by settings. Everything else of the actor system is as Pekko ships
 * it, so an idle contender of this kind carries the system's own timer.
 */
final class PekkoActors implements Contender {
    private static final String DISPATCHER = "contender-dispatcher";
    private static final String MAILBOX = "contender-mailbox";

    private final ActorSystem system;
    private final List<ActorRef> actors = new ArrayList<>();

    /** {@code settings} hold {@code contender-dispatcher} and, if the mailbox isn't Pekko's, {@code contender-mailbox}. */
    PekkoActors(Sessions sessions, String settings) {
        Config config = ConfigFactory.parseString(settings)
                .withFallback(ConfigFactory.parseString("pekko { loglevel = WARNING, stdout-loglevel = WARNING"
                        + ", coordinated-shutdown.run-by-jvm-shutdown-hook = off }"))
                .withFallback(ConfigFactory.defaultReference())
                .resolve();
        system = ActorSystem.create("bench", config);
        Props props = Props.create(SessionActor.class, () -> new SessionActor(sessions))
                .withDispatcher(DISPATCHER);
        if (config.hasPath(MAILBOX)) {
            props = props.withMailbox(MAILBOX);
        }
        for (int i = 0; i < sessions.count(); i++) {
            actors.add(system.actorOf(props, "session-" + i));
        }
    }

    @Override
    public void send(Message message) {
        actors.get(message.session()).tell(message, ActorRef.noSender());
    }

    @Override
    public void close() throws InterruptedException {
        try {
            Await.ready(system.terminate(), Duration.create(30, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            throw new IllegalStateException("the actor system did not end within 30 s", e);
        }
    }

    private static final class SessionActor extends UntypedAbstractActor {
        private final Sessions sessions;

        SessionActor(Sessions sessions) {
            this.sessions = sessions;
        }

        @Override
        public void onReceive(Object message) {
            sessions.handle((Message) message);
        }
    }
}
