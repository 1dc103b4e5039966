package dev.switchboard.dispatcher;

import com.typesafe.config.Config;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.dispatch.DispatcherPrerequisites;
import org.apache.pekko.dispatch.MessageDispatcher;
import org.apache.pekko.dispatch.MessageDispatcherConfigurator;
import scala.concurrent.duration.Duration;

/**
 * Makes an {@link AffinityDispatcher} from a dispatcher's block with
 * {@code type = "dev.switchboard.dispatcher.AffinityDispatcherConfigurator"}. Created and called by Pekko; thread-safe.
 *
 * <p>Of Pekko's own settings it follows {@code throughput}, {@code throughput-deadline-time} and {@code
 * shutdown-timeout}; its own stand in the block {@code affinity}, all with a default. A setting that is unknown or out of
 * its bounds fails the dispatcher's creation with a message that names it.
 */
public final class AffinityDispatcherConfigurator extends MessageDispatcherConfigurator {
    private final AffinityDispatcher dispatcher;

    /** For Pekko. */
    public AffinityDispatcherConfigurator(Config config, DispatcherPrerequisites prerequisites) {
        super(config, prerequisites);
        AffinitySettings settings =
                AffinitySettings.of(config, Runtime.getRuntime().availableProcessors());
        this.dispatcher = new AffinityDispatcher(
                this,
                config.getString("id"),
                config.getInt("throughput"),
                Duration.fromNanos(config.getDuration("throughput-deadline-time", TimeUnit.NANOSECONDS)),
                new Lanes(settings, MachineCosts.of(settings), SpinSlots.OF_PROCESS),
                Duration.fromNanos(config.getDuration("shutdown-timeout", TimeUnit.NANOSECONDS)));
    }

    @Override
    public MessageDispatcher dispatcher() {
        return dispatcher;
    }
}
