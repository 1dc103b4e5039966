package dev.switchboard.routing;

import dev.switchboard.conversation.ConversationCommand.LineAcked;
import dev.switchboard.conversation.ConversationCommand.Positioned;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskCommand.Announced;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.WaitingRow;
import dev.switchboard.routing.LineCommand.DeskClosed;
import dev.switchboard.routing.LineCommand.DeskOpen;
import dev.switchboard.routing.LineCommand.Enqueue;
import dev.switchboard.routing.LineCommand.Explain;
import dev.switchboard.routing.LineCommand.Leave;
import dev.switchboard.routing.LineCommand.NotReserved;
import dev.switchboard.routing.LineCommand.Reserved;
import dev.switchboard.routing.LineCommand.SettingsChanged;
import dev.switchboard.routing.LineCommand.Show;
import dev.switchboard.routing.LineCommand.Stop;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

/**
 * The waiting line of one queue: a sharded actor that keeps nothing of its own. It is rebuilt from the directory's
 * waiting rows, which commit with the conversations' events, and from what desks announce; so losing it costs nothing
 * but the time to read the rows. What it decides is in {@link LineBook}; here is what it says and hears.
 *
 * <p>It only proposes: a desk refuses what it can't hold, a conversation what came too late. Every step may be lost: a
 * conversation repeats Enqueue until LineAcked, the line repeats Reserve, desks announce themselves again, and from
 * time to time the line compares itself with the rows.
 */
public final class WaitingLine extends AbstractBehavior<Object> {
    /** A page of rows came, or the database couldn't answer. */
    private record PageRead(List<WaitingRow> rows, Throwable failure) {}

    private record Due() {}

    private record TellPositions() {}

    private record Compare() {}

    private record ReadPage() {}

    private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);
    private static final int ALWAYS_TOLD = 100;

    private final String queue;
    private final Peers peers;
    private final QueueCatalog queues;
    private final Directory directory;
    private final LineSettings settings;
    private final TimerScheduler<Object> timers;
    private final LineBook book;
    private final Map<ActorRef<DeskCommand>, String> deskRefs = new HashMap<>();
    private final Map<String, ActorRef<DeskCommand>> refsByAgent = new HashMap<>();

    /** The comparison that is going on; null between two. The first one loads the line. */
    private Scan scan;

    private Duration retry;
    private Instant timerAt = Instant.MAX;
    private int tellFrom;

    private static final class Scan {
        private final Instant since;
        private final Map<String, Long> rows = new HashMap<>();
        private String after;

        Scan(Instant since) {
            this.since = since;
        }
    }

    private WaitingLine(
            ActorContext<Object> context,
            TimerScheduler<Object> timers,
            String queue,
            Peers peers,
            QueueCatalog queues,
            Directory directory,
            LineSettings settings) {
        super(context);
        this.queue = queue;
        this.peers = peers;
        this.queues = queues;
        this.directory = directory;
        this.settings = settings;
        this.timers = timers;
        this.retry = settings.loadRetry();
        this.book = new LineBook(settings, queueSettings());
        timers.startTimerWithFixedDelay(new TellPositions(), settings.tellPositionsEvery());
        beginScan();
    }

    /** The line of a queue. An unknown queue's line works with the settings of {@code default}. */
    public static Behavior<LineCommand> create(
            String queue, Peers peers, QueueCatalog queues, Directory directory, LineSettings settings) {
        return Behaviors.<Object>setup(context -> Behaviors.withTimers(
                        timers -> new WaitingLine(context, timers, queue, peers, queues, directory, settings)))
                .narrow();
    }

    private QueueSettings queueSettings() {
        return queues.find(queue)
                .or(() -> queues.find("default"))
                .or(() -> queues.all().stream().findAny())
                .orElseThrow(() -> new IllegalStateException("no queue is known, not even default"));
    }

    @Override
    public Receive<Object> createReceive() {
        return newReceiveBuilder()
                .onMessage(Enqueue.class, this::enqueue)
                .onMessage(Leave.class, leave -> settled(book -> book.leave(leave.conv(), leave.epoch(), now())))
                .onMessage(Reserved.class, r -> settled(book -> book.reserved(r.conv(), r.epoch(), r.agent(), now())))
                .onMessage(
                        NotReserved.class,
                        r -> settled(book -> book.notReserved(r.conv(), r.epoch(), r.agent(), r.reason(), now())))
                .onMessage(DeskOpen.class, this::deskOpen)
                .onMessage(DeskClosed.class, this::deskClosed)
                .onMessage(Show.class, this::show)
                .onMessage(Explain.class, this::explain)
                .onMessage(SettingsChanged.class, c -> settled(book -> book.settings(queueSettings(), now())))
                .onMessage(Due.class, this::due)
                .onMessage(TellPositions.class, this::tellPositions)
                .onMessage(Compare.class, this::compare)
                .onMessage(ReadPage.class, this::readPage)
                .onMessage(PageRead.class, this::pageRead)
                .onMessage(Stop.class, stop -> Behaviors.stopped())
                .onSignal(Terminated.class, this::ended)
                .build();
    }

    private Behavior<Object> enqueue(Enqueue enqueue) {
        peers.conversation(enqueue.conv(), new LineAcked(queue, enqueue.ticket().epoch()));
        return settled(book -> book.enqueue(enqueue, now()));
    }

    private Behavior<Object> deskOpen(DeskOpen open) {
        ActorRef<DeskCommand> before = refsByAgent.put(open.agent(), open.desk());
        if (!open.desk().equals(before)) {
            if (before != null) {
                deskRefs.remove(before);
                getContext().unwatch(before);
            }
            deskRefs.put(open.desk(), open.agent());
            getContext().watch(open.desk());
        }
        open.desk().tell(new Announced(queue, getContext().getSelf().narrow()));
        return settled(book -> book.deskOpen(open, now()));
    }

    private Behavior<Object> deskClosed(DeskClosed closed) {
        ActorRef<DeskCommand> before = refsByAgent.remove(closed.agent());
        if (before != null) {
            deskRefs.remove(before);
            getContext().unwatch(before);
        }
        return settled(book -> book.deskClosed(closed.agent(), closed.reason(), now()));
    }

    private Behavior<Object> ended(Terminated signal) {
        String agent = deskRefs.remove(signal.getRef().<DeskCommand>unsafeUpcast());
        if (agent == null) {
            return this;
        }
        refsByAgent.remove(agent);
        // It is started anew by its terminals and announces itself again.
        return settled(book -> book.deskClosed(agent, "restarting", now()));
    }

    private Behavior<Object> due(Due due) {
        timerAt = Instant.MAX;
        return settled(book -> {});
    }

    /** Carries out what the event led to, and sets the timer for what is due next. */
    private Behavior<Object> settled(java.util.function.Consumer<LineBook> event) {
        event.accept(book);
        Instant now = now();
        Instant next = book.due(now);
        QueueSettings current = book.queue();
        for (LineBook.Ask ask : book.takeAsks()) {
            peers.desk(
                    ask.agent(),
                    new DeskCommand.Reserve(
                            ask.conv(),
                            ask.epoch(),
                            queue,
                            current.autoAccept(),
                            current.offerTimeout(),
                            ask.direct(),
                            ask.decision()));
        }
        if (next.isBefore(timerAt)) {
            timerAt = next;
            timers.startSingleTimer(new Due(), Duration.between(now, next));
        }
        return this;
    }

    // ---- the rows ----

    private void beginScan() {
        scan = new Scan(now());
        getContext().getSelf().tell(new ReadPage());
    }

    private Behavior<Object> compare(Compare compare) {
        if (scan == null) {
            beginScan();
        }
        return this;
    }

    private Behavior<Object> readPage(ReadPage read) {
        getContext()
                .pipeToSelf(
                        directory.waiting(queue, scan.after, settings.pageSize()),
                        (rows, failure) -> new PageRead(rows, failure));
        return this;
    }

    private Behavior<Object> pageRead(PageRead page) {
        if (page.failure() != null) {
            getContext()
                    .getLog()
                    .warn(
                            "The line {} can't read who waits; it asks again in {}: {}",
                            queue,
                            retry,
                            page.failure().toString());
            timers.startSingleTimer(new ReadPage(), retry);
            Duration longer = retry.multipliedBy(2);
            retry = longer.compareTo(LONGEST_RETRY) < 0 ? longer : LONGEST_RETRY;
            return this;
        }
        retry = settings.loadRetry();
        for (WaitingRow row : page.rows()) {
            scan.rows.put(row.conv(), row.ticket().epoch());
            scan.after = row.conv();
        }
        boolean last = page.rows().size() < settings.pageSize();
        if (!last) {
            getContext().getSelf().tell(new ReadPage());
        }
        return settled(known -> {
            Instant now = now();
            page.rows().forEach(row -> known.load(row.conv(), row.ticket(), now));
            if (last) {
                known.keepOnly(scan.rows, scan.since, now);
                known.startMatching(now);
                scan = null;
                timers.startSingleTimer(new Compare(), settings.compareEvery());
            }
        });
    }

    // ---- what it says ----

    /** The first ones always, the others by turns: a line that moves by one changes everybody's place. */
    private Behavior<Object> tellPositions(TellPositions tell) {
        Departures.Pace pace = book.pace(now());
        int budget = settings.tellAtOnce();
        int position = 0;
        int lastTold = 0;
        for (Waiter waiter : book.inOrder()) {
            position++;
            if (position > ALWAYS_TOLD && position <= tellFrom) {
                continue;
            }
            if (budget <= 0) {
                break;
            }
            lastTold = position;
            if (tellPosition(waiter, position, pace.eta(position))) {
                budget--;
            }
        }
        tellFrom = budget <= 0 && lastTold > ALWAYS_TOLD ? lastTold : 0;
        return this;
    }

    private boolean tellPosition(Waiter waiter, int position, Departures.Eta eta) {
        boolean sameEta = (waiter.toldLow < 0) == (eta.lowSeconds() < 0);
        if (waiter.toldPosition == position && sameEta) {
            return false;
        }
        waiter.toldPosition = position;
        waiter.toldLow = eta.lowSeconds();
        waiter.toldHigh = eta.highSeconds();
        peers.conversation(
                waiter.conv, new Positioned(waiter.ticket.epoch(), position, eta.lowSeconds(), eta.highSeconds()));
        return true;
    }

    private Behavior<Object> show(Show show) {
        Instant oldest = null;
        for (Waiter waiter : book.inOrder()) {
            Instant since = waiter.ticket.since();
            oldest = oldest == null || since.isBefore(oldest) ? since : oldest;
        }
        int free = 0;
        for (FreeDesk desk : book.desks().values()) {
            free += Math.max(0, desk.room());
        }
        show.replyTo()
                .tell(new LineReply.Shown(
                        queue, book.size(), oldest, book.desks().size(), free));
        return this;
    }

    private Behavior<Object> explain(Explain explain) {
        explain.replyTo().tell(LineReasons.explain(book, explain.conv()));
        return this;
    }

    private Instant now() {
        return settings.clock().instant();
    }
}
