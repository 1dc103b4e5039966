package dev.switchboard.routing;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.ports.Deadlines;
import dev.switchboard.ports.Deadlines.Due;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.EntityKind;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

/**
 * Wakes entities whose deadline row is due, and keeps the lines running in which somebody waits. A cluster singleton.
 * It changes nothing: the woken entity does what is due and moves its row. So two sweepers at once do no harm, and
 * neither does one that repeats itself. While the database is down it asks at growing intervals.
 */
public final class DeadlineSweeper extends AbstractBehavior<DeadlineSweeper.Command> {
    /** What the sweeper tells itself. */
    public sealed interface Command {}

    private record Look() implements Command {}

    private record Found(List<Due> due, Throwable failure) implements Command {}

    private record StartLines() implements Command {}

    private record LinesFound(Set<String> queues, Throwable failure) implements Command {}

    /** Sent when the singleton is handed over. */
    public record Stop() implements Command {}

    private record Woken(EntityKind kind, String id, Instant due) {}

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final int LONGEST_LOOK = 16;

    private final Peers peers;
    private final Directory directory;
    private final Deadlines deadlines;
    private final SweeperSettings settings;
    private final TimerScheduler<Command> timers;
    private final Map<Woken, Instant> woken = new HashMap<>();
    private Duration pause;
    private Duration linesPause;

    /** Grows while the oldest rows are those of entities that were woken and haven't moved them yet. */
    private int look = 1;

    private DeadlineSweeper(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            Peers peers,
            Directory directory,
            Deadlines deadlines,
            SweeperSettings settings) {
        super(context);
        this.peers = peers;
        this.directory = directory;
        this.deadlines = deadlines;
        this.settings = settings;
        this.timers = timers;
        this.pause = settings.every();
        this.linesPause = settings.every();
        context.getSelf().tell(new StartLines());
        context.getSelf().tell(new Look());
    }

    /** A sweeper; made once a cluster. */
    public static Behavior<Command> create(
            Peers peers, Directory directory, Deadlines deadlines, SweeperSettings settings) {
        return Behaviors.setup(context -> Behaviors.withTimers(
                timers -> new DeadlineSweeper(context, timers, peers, directory, deadlines, settings)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Look.class, this::look)
                .onMessage(Found.class, this::found)
                .onMessage(StartLines.class, this::startLines)
                .onMessage(LinesFound.class, this::linesFound)
                .onMessage(Stop.class, stop -> Behaviors.stopped())
                .build();
    }

    private Behavior<Command> look(Look now) {
        getContext().pipeToSelf(deadlines.due(settings.clock().instant(), settings.wakeAtOnce() * look), Found::new);
        return this;
    }

    private Behavior<Command> found(Found found) {
        if (found.failure() != null) {
            getContext()
                    .getLog()
                    .warn(
                            "The due deadlines can't be read; next try in {}: {}",
                            pause,
                            found.failure().toString());
            timers.startSingleTimer(new Look(), pause);
            pause = doubled(pause);
            return this;
        }
        pause = settings.every();
        Instant now = settings.clock().instant();
        woken.values().removeIf(at -> !now.isBefore(at.plus(settings.wakeAgainAfter())));
        int count = 0;
        for (Due due : found.due()) {
            if (count >= settings.wakeAtOnce()) {
                break;
            }
            if (woken.putIfAbsent(new Woken(due.entity(), due.id(), due.at()), now) == null) {
                wake(due);
                count++;
            }
        }
        boolean allWoken = count == 0 && found.due().size() >= settings.wakeAtOnce() * look;
        look = allWoken ? Math.min(LONGEST_LOOK, look * 2) : found.due().size() < settings.wakeAtOnce() ? 1 : look;
        timers.startSingleTimer(new Look(), settings.every());
        return this;
    }

    private void wake(Due due) {
        switch (due.entity()) {
            case CONVERSATION -> peers.conversation(due.id(), new ConversationCommand.WakeUp(due.at()));
            case DESK -> peers.desk(due.id(), new DeskCommand.WakeUp(due.at()));
            default -> throw new IllegalStateException("unknown kind of entity: " + due.entity());
        }
    }

    private Behavior<Command> startLines(StartLines start) {
        getContext().pipeToSelf(directory.waitingQueues(), LinesFound::new);
        return this;
    }

    private Behavior<Command> linesFound(LinesFound found) {
        if (found.failure() != null) {
            getContext()
                    .getLog()
                    .warn(
                            "The queues in which somebody waits can't be read; next try in {}: {}",
                            linesPause,
                            found.failure().toString());
            timers.startSingleTimer(new StartLines(), linesPause);
            linesPause = doubled(linesPause);
            return this;
        }
        linesPause = settings.every();
        // Any message starts a line that isn't running; this one does nothing to one that is.
        found.queues().forEach(queue -> peers.line(queue, new LineCommand.SettingsChanged()));
        timers.startSingleTimer(new StartLines(), settings.startLinesEvery());
        return this;
    }

    private static Duration doubled(Duration duration) {
        Duration twice = duration.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }
}
