package dev.switchboard.dispatcher;

import org.apache.pekko.dispatch.Dispatcher;
import org.apache.pekko.dispatch.MessageDispatcherConfigurator;
import scala.concurrent.duration.Duration;
import scala.concurrent.duration.FiniteDuration;

/**
 * A Pekko dispatcher whose sessions keep to one thread and whose threads choose how to wait. Thread-safe; made by Pekko
 * through {@link AffinityDispatcherConfigurator}. For its figures cast what {@code system.dispatchers().lookup(id)}
 * gives.
 *
 * <p>Pekko's {@link Dispatcher} keeps the mailboxes' states; only where a scheduled mailbox runs is decided here, by
 * {@link Lanes}.
 */
public final class AffinityDispatcher extends Dispatcher {
    private final Lanes lanes;

    AffinityDispatcher(
            MessageDispatcherConfigurator configurator,
            String id,
            int throughput,
            Duration throughputDeadline,
            Lanes lanes,
            FiniteDuration shutdownTimeout) {
        // The constructor asks the lanes for an executor's factory before this class has a field.
        super(configurator, id, throughput, throughputDeadline, lanes, shutdownTimeout);
        this.lanes = lanes;
    }

    /** The figures now. They go on counting when the dispatcher rests without actors and starts again. */
    public DispatcherView figures() {
        return lanes.view(id());
    }

    Lanes lanes() {
        return lanes;
    }
}
