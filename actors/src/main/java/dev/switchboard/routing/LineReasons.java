package dev.switchboard.routing;

import dev.switchboard.conversation.RoutingDecision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Says in a sentence why a conversation goes to an agent, or why it still waits. Reads a {@link LineBook}; no state.
 */
final class LineReasons {
    /** Agents listed with a verdict, at most. */
    private static final int CONSIDERED = 10;

    private LineReasons() {}

    static RoutingDecision decision(LineBook book, Waiter waiter, String agent, Instant now) {
        FreeDesk chosen = book.desks().get(agent);
        List<String> verdicts = new ArrayList<>(CONSIDERED);
        verdicts.add(agent + ": chosen");
        verdicts(book, waiter, agent, verdicts);
        if (waiter.ticket.direct() && agent.equals(waiter.ticket.prefer())) {
            return new RoutingDecision(now, agent, "direct", agent + " was named by a person.", verdicts);
        }
        if (waiter.place == Waiter.Place.KEPT && agent.equals(waiter.ticket.prefer())) {
            return new RoutingDecision(now, agent, "last-agent", agent + " had this conversation before.", verdicts);
        }
        int others = book.freeDesks().size();
        String reason = chosen == null || others <= 1
                ? agent + " is the only agent with room."
                : agent + " " + book.strategy().reason(chosen) + ", of " + others + " agents with room.";
        return new RoutingDecision(now, agent, book.strategy().name(), reason, verdicts);
    }

    /** Why it still waits, in one sentence; and the verdicts. */
    static LineReply.Explained explain(LineBook book, String conv) {
        Waiter waiter = book.waiter(conv);
        if (waiter == null) {
            return new LineReply.Explained(0, "The conversation is not in this line.", List.of());
        }
        int position = 1;
        for (Waiter other : book.inOrder()) {
            if (other == waiter) {
                break;
            }
            position++;
        }
        List<String> verdicts = new ArrayList<>(CONSIDERED);
        verdicts(book, waiter, null, verdicts);
        return new LineReply.Explained(position, why(book, waiter, position), verdicts);
    }

    private static String why(LineBook book, Waiter waiter, int position) {
        if (!waiter.pairs.isEmpty()) {
            return "It is being offered to " + String.join(", ", new TreeSet<>(waiter.pairs.keySet())) + ".";
        }
        if (waiter.offered > 0) {
            return "It is being offered to an agent.";
        }
        if (waiter.place == Waiter.Place.KEPT) {
            return "It is left to " + waiter.ticket.prefer() + " until " + waiter.ticket.preferUntil() + ".";
        }
        if (book.desks().isEmpty()) {
            return "No agent of this queue is available.";
        }
        if (book.freeDesks().isEmpty()) {
            return "Every available agent is full; " + (position - 1) + " go before it.";
        }
        boolean skilled = false;
        for (FreeDesk desk : book.freeDesks()) {
            if (desk.skills().containsAll(waiter.needed)) {
                skilled = true;
                break;
            }
        }
        if (!skilled) {
            return "No agent with room has the skills it needs: " + String.join(", ", new TreeSet<>(waiter.needed))
                    + ".";
        }
        return waiter.declinedBy.isEmpty()
                ? "It is about to be offered."
                : "Every agent with room declined it; they are asked again "
                        + (waiter.declinesEndAt == null ? "later." : "at " + waiter.declinesEndAt + ".");
    }

    private static void verdicts(LineBook book, Waiter waiter, String chosen, List<String> verdicts) {
        for (FreeDesk desk : book.freeDesks()) {
            if (verdicts.size() >= CONSIDERED) {
                return;
            }
            if (!desk.agent().equals(chosen)) {
                verdicts.add(desk.agent() + ": " + verdict(waiter, desk));
            }
        }
        for (FreeDesk desk : book.desks().values()) {
            if (verdicts.size() >= CONSIDERED) {
                return;
            }
            if (desk.room() <= 0 && !desk.agent().equals(chosen)) {
                verdicts.add(desk.agent() + ": busy (" + desk.held() + " of " + desk.capacity() + ")");
            }
        }
        for (Map.Entry<String, String> closed : book.closedDesks().entrySet()) {
            if (verdicts.size() >= CONSIDERED) {
                return;
            }
            if (!closed.getKey().equals(chosen)) {
                verdicts.add(closed.getKey() + ": " + closed.getValue());
            }
        }
    }

    private static String verdict(Waiter waiter, FreeDesk desk) {
        if (waiter.declinedBy.contains(desk.agent())) {
            return "declined";
        }
        if (waiter.pairs.containsKey(desk.agent())) {
            return "asked";
        }
        if (!desk.skills().containsAll(waiter.needed)) {
            TreeSet<String> lacks = new TreeSet<>(waiter.needed);
            lacks.removeAll(desk.skills());
            return "lacks " + String.join(", ", lacks);
        }
        return "has room (" + desk.held() + " of " + desk.capacity() + ")";
    }
}
