package dev.switchboard.desk;

import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineCommand.DeskClosed;
import dev.switchboard.routing.LineCommand.DeskOpen;
import dev.switchboard.routing.Peers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.ActorContext;

/**
 * What a desk tells the lines of its queues: on every change, again from time to time while it is open, and at once to
 * a line that ended, which starts it where it now belongs. Used by the desk's actor alone.
 */
final class DeskLines {
    private static final class Told {
        private LineCommand announcement;
        private Instant at;
        private ActorRef<LineCommand> line;
    }

    private final ActorContext<DeskCommand> context;
    private final Peers peers;
    private final Duration every;
    private final Map<String, Told> told = new HashMap<>();

    DeskLines(ActorContext<DeskCommand> context, Peers peers, Duration every) {
        this.context = context;
        this.peers = peers;
        this.every = every;
    }

    /**
     * Tells what the lines don't know yet. Returns when it must be called again at the latest.
     *
     * @param queues the queues that the agent serves
     * @param announcement the same for each of them
     */
    Instant announce(Set<String> queues, LineCommand announcement, Instant now) {
        Instant next = Instant.MAX;
        boolean open = announcement instanceof DeskOpen;
        Set<String> all = new HashSet<>(told.keySet());
        all.addAll(queues);
        for (String queue : all) {
            boolean served = queues.contains(queue);
            LineCommand what = served ? announcement : notServing(announcement);
            Told line = told.computeIfAbsent(queue, q -> new Told());
            boolean changed = !what.equals(line.announcement);
            boolean due = served && open && !now.isBefore(line.at == null ? now : line.at.plus(every));
            if (changed || due) {
                peers.line(queue, what);
                line.announcement = what;
                line.at = now;
            }
            if (!served) {
                unwatch(line);
                told.remove(queue);
            } else if (open && line.at.plus(every).isBefore(next)) {
                next = line.at.plus(every);
            }
        }
        return next;
    }

    private static LineCommand notServing(LineCommand announcement) {
        String agent = announcement instanceof DeskOpen open
                ? open.agent()
                : announcement instanceof DeskClosed closed ? closed.agent() : null;
        return new DeskClosed(agent, "not-serving");
    }

    /** A line has taken the announcement: it is watched from now on. */
    void taken(String queue, ActorRef<LineCommand> line) {
        Told entry = told.get(queue);
        if (entry != null && !line.equals(entry.line)) {
            unwatch(entry);
            entry.line = line;
            context.watch(line);
        }
    }

    /** A watched actor ended: true when it was a line, which must be told again. */
    boolean ended(ActorRef<?> ref) {
        boolean wasLine = false;
        for (Told entry : told.values()) {
            if (ref.equals(entry.line)) {
                entry.line = null;
                entry.announcement = null;
                wasLine = true;
            }
        }
        return wasLine;
    }

    /** After the actor came back: everything is told again. */
    void restart() {
        told.values().forEach(this::unwatch);
        told.clear();
    }

    private void unwatch(Told entry) {
        if (entry.line != null) {
            context.unwatch(entry.line);
            entry.line = null;
        }
    }
}
