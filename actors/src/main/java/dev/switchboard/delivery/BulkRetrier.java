package dev.switchboard.delivery;

import dev.switchboard.ports.BulkRetries;
import dev.switchboard.ports.BulkRetries.Job;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.slf4j.Logger;

/**
 * Carries out the bulk retries that are not finished, each by an actor of its own. A cluster singleton: when its node dies,
 * the next one finds in the database what is left. It learns of new ones by looking, so the edge of any node can take a
 * request without sending it anywhere. Two of them at once do no harm, see {@link BulkRetry}.
 */
public final class BulkRetrier extends AbstractBehavior<BulkRetrier.Command> {
    /** What it tells itself. */
    public sealed interface Command {}

    private record Look() implements Command {}

    private record Found(List<Job> jobs, Throwable failure) implements Command {}

    private record Ended(String job) implements Command {}

    /** Sent when the singleton is handed over. */
    public record Stop() implements Command {}

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration FORGET_EVERY = Duration.ofHours(1);

    private final TimerScheduler<Command> timers;
    private final BulkRetries retries;
    private final Gateway gateway;
    private final BulkRetrySettings settings;
    private final Set<String> running = new HashSet<>();
    private Duration pause;
    private long forgotAt = System.nanoTime() - FORGET_EVERY.toNanos();

    private BulkRetrier(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            BulkRetries retries,
            Gateway gateway,
            BulkRetrySettings settings) {
        super(context);
        this.timers = timers;
        this.retries = retries;
        this.gateway = gateway;
        this.settings = settings;
        this.pause = settings.lookEvery();
        context.getSelf().tell(new Look());
    }

    /** One of them; made once a cluster. */
    public static Behavior<Command> create(BulkRetries retries, Gateway gateway, BulkRetrySettings settings) {
        return Behaviors.setup(context ->
                Behaviors.withTimers(timers -> new BulkRetrier(context, timers, retries, gateway, settings)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Look.class, this::look)
                .onMessage(Found.class, this::found)
                .onMessage(Ended.class, this::ended)
                .onMessage(Stop.class, stop -> Behaviors.stopped())
                .build();
    }

    private Behavior<Command> look(Look now) {
        getContext().pipeToSelf(retries.open(), Found::new);
        return this;
    }

    private Behavior<Command> found(Found found) {
        if (found.failure() != null) {
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            getContext()
                    .getLog()
                    .warn(
                            "The bulk retries can't be read; next try in {}: {}",
                            pause,
                            found.failure().toString());
            timers.startSingleTimer(new Look(), pause);
            return this;
        }
        pause = settings.lookEvery();
        for (Job job : found.jobs()) {
            if (running.add(job.id())) {
                // Watched by a message: an actor that fails is started again at the next look.
                getContext()
                        .watchWith(
                                getContext().spawnAnonymous(BulkRetry.create(job, retries, gateway, settings.clock())),
                                new Ended(job.id()));
            }
        }
        forget();
        timers.startSingleTimer(new Look(), settings.lookEvery());
        return this;
    }

    private Behavior<Command> ended(Ended ended) {
        running.remove(ended.job());
        return this;
    }

    private void forget() {
        if (System.nanoTime() - forgotAt >= FORGET_EVERY.toNanos()) {
            forgotAt = System.nanoTime();
            Logger log = getContext().getSystem().log();
            retries.forget(settings.clock().instant().minus(settings.keep())).whenComplete((count, failure) -> {
                if (failure == null && count > 0) {
                    log.info("Forgot {} finished bulk retries", count);
                }
            });
        }
    }
}
