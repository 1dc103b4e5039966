package dev.switchboard.routing;

import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.routing.LineCommand.DeskOpen;
import dev.switchboard.routing.LineCommand.Enqueue;
import dev.switchboard.routing.Waiter.Pair;
import dev.switchboard.routing.Waiter.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a waiting line knows and decides: who waits, which desks have room, who goes to whom. No actor, no clock: the
 * caller gives the time and carries out what {@link #takeAsks} returns. Used by one thread at a time.
 *
 * <p>An event touches one conversation or one desk, and only that one is matched: a conversation with the first free
 * desk in the strategy's order that has its skills, a desk with the first conversation in the line's order among the
 * heads of the buckets (one bucket for each set of needed skills). So an event costs the number of buckets or of free
 * desks, never the product of conversations and desks.
 *
 * <p>What becomes KEPT or READY is matched at once:
 *
 * <pre>
 * place of a conversation   Enqueue              Leave  Reserved   NotReserved     time
 * (unknown)                 KEPT or READY        –      –          –               –
 * READY                     exclusions updated   gone   –          –               skills relaxed, declines end
 * KEPT (prefers an agent)   exclusions updated   gone   –          –               READY at preferUntil
 * SUPPLIED: asked a desk    exclusions updated   gone   reserved   KEPT or READY   asked again once, then dropped
 * SUPPLIED: reserved        KEPT or READY if     gone   –          KEPT or READY   KEPT or READY long after the
 *                           that agent declined                                    offer's end
 * </pre>
 */
final class LineBook {
    /** Ask this desk to reserve a slot. */
    record Ask(String conv, long epoch, String agent, boolean direct, RoutingDecision decision) {}

    private record Review(Instant at, String conv, long epoch) {}

    /** Refusals that are about the desk as a whole: it is left alone until it announces itself again. */
    private static final Set<String> ABOUT_THE_DESK =
            Set.of("away", "offline", "unreachable", "full", "not-serving", "leaving");

    private static final Set<String> DECLINES = Set.of("declined", "timeout");

    /** After these the preferred agent isn't waited for, unless a person named it. */
    private static final Set<String> NOT_THERE = Set.of("offline", "unreachable", "not-serving");

    private static final int REMEMBERED = 20_000;

    private final LineSettings settings;
    private QueueSettings queue;
    private RoutingStrategy strategy;

    private final Map<String, Waiter> waiters = new HashMap<>();
    private TreeSet<Waiter> order = new TreeSet<>(Waiter.ORDER);
    private final Map<Set<String>, SortedSet<Waiter>> ready = new HashMap<>();
    private final Map<String, SortedSet<Waiter>> kept = new HashMap<>();
    private final Map<String, FreeDesk> desks = new HashMap<>();
    private TreeSet<FreeDesk> free;
    private final Map<String, String> closed = lru();
    private final Map<String, Long> left = lru();
    private final PriorityQueue<Review> reviews = new PriorityQueue<>((a, b) -> a.at.compareTo(b.at));
    private final Departures departures = new Departures();
    private List<Ask> asks = new ArrayList<>();
    /** Desks that got room, to be matched at the end of the event. */
    private final Set<String> roomier = new HashSet<>();

    private boolean matching;
    private long turns;

    LineBook(LineSettings settings, QueueSettings queue) {
        this.settings = settings;
        use(queue);
    }

    private static <V> Map<String, V> lru() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > REMEMBERED;
            }
        };
    }

    // ---- what the line is told ----

    /** The queue's settings, new or changed: everything is put in order anew. */
    void settings(QueueSettings changed, Instant now) {
        if (changed.equals(queue)) {
            return;
        }
        use(changed);
        Collection<Waiter> all = new ArrayList<>(waiters.values());
        waiters.clear();
        order = new TreeSet<>(Waiter.ORDER);
        ready.clear();
        kept.clear();
        for (Waiter old : all) {
            Waiter same = new Waiter(old.conv, old.ticket, queue.ageing(), old.enqueuedAt);
            same.pairs.putAll(old.pairs);
            same.apart.putAll(old.apart);
            same.declinedBy = old.declinedBy;
            same.offered = old.offered;
            same.offeredUntil = old.offeredUntil;
            same.toldPosition = old.toldPosition;
            waiters.put(same.conv, same);
            order.add(same);
        }
        matchAll(now);
    }

    private void use(QueueSettings settings) {
        queue = settings;
        strategy = RoutingStrategy.ofName(settings.strategy()).orElseGet(LongestIdle::new);
        free = new TreeSet<>(strategy.thenComparing(FreeDesk::agent));
        desks.values().stream().filter(desk -> desk.room() > 0).forEach(free::add);
    }

    /** From now on conversations and desks are matched; before, while the line loads, they are only noted. */
    void startMatching(Instant now) {
        if (!matching) {
            matching = true;
            matchAll(now);
        }
    }

    /** Reviews everybody in the line's order. */
    private void matchAll(Instant now) {
        for (Waiter waiter : new ArrayList<>(order)) {
            review(waiter, now);
        }
        matchRoomier(now);
    }

    void enqueue(Enqueue enqueue, Instant now) {
        Ticket ticket = enqueue.ticket();
        Waiter waiter = put(enqueue.conv(), ticket, now);
        if (waiter == null) {
            return;
        }
        waiter.enqueuedAt = now;
        if (!waiter.declinedBy.equals(enqueue.declinedBy())) {
            waiter.declinedBy = enqueue.declinedBy();
            waiter.declinesEndAt = null;
        }
        waiter.offered = enqueue.offered();
        waiter.offeredUntil = now.plus(offerNet());
        for (String agent : enqueue.declinedBy()) {
            unpair(waiter, agent);
        }
        review(waiter, now);
        matchRoomier(now);
    }

    /** A row of the directory: the conversation waits, if nothing newer is known of it. */
    void load(String conv, Ticket ticket, Instant now) {
        Waiter known = waiters.get(conv);
        if (known == null || known.ticket.epoch() < ticket.epoch()) {
            Waiter waiter = put(conv, ticket, now);
            if (waiter != null) {
                review(waiter, now);
            }
        }
    }

    /** Forgets those who were here before {@code since} and have no row of their epoch any more. */
    void keepOnly(Map<String, Long> rows, Instant since, Instant now) {
        for (Waiter waiter : new ArrayList<>(waiters.values())) {
            Long epoch = rows.get(waiter.conv);
            boolean gone = epoch == null || epoch > waiter.ticket.epoch();
            if (gone && waiter.enqueuedAt.isBefore(since)) {
                remove(waiter);
            }
        }
        matchRoomier(now);
    }

    private Waiter put(String conv, Ticket ticket, Instant now) {
        if (left.getOrDefault(conv, 0L) >= ticket.epoch()) {
            return null;
        }
        Waiter known = waiters.get(conv);
        if (known != null) {
            if (known.ticket.epoch() > ticket.epoch()) {
                return null;
            }
            if (known.ticket.equals(ticket)) {
                return known;
            }
            remove(known);
        }
        Waiter waiter = new Waiter(conv, ticket, queue.ageing(), now);
        waiters.put(conv, waiter);
        order.add(waiter);
        return waiter;
    }

    void leave(String conv, long epoch, Instant now) {
        left.merge(conv, epoch, Math::max);
        Waiter waiter = waiters.get(conv);
        if (waiter != null && waiter.ticket.epoch() <= epoch) {
            remove(waiter);
            departures.add(now);
            matchRoomier(now);
        }
    }

    private void remove(Waiter waiter) {
        unindex(waiter);
        for (String agent : List.copyOf(waiter.pairs.keySet())) {
            unpair(waiter, agent);
        }
        waiters.remove(waiter.conv);
        order.remove(waiter);
    }

    void deskOpen(DeskOpen open, Instant now) {
        closed.remove(open.agent());
        FreeDesk before = desks.get(open.agent());
        change(
                before,
                new FreeDesk(
                        open.agent(),
                        open.free(),
                        open.held(),
                        open.capacity(),
                        before == null ? 0 : before.asked(),
                        open.skills(),
                        open.idleSince(),
                        before == null ? 0 : before.turn()));
        roomier.add(open.agent());
        matchRoomier(now);
    }

    /** It can't take conversations now, or ended. */
    void deskClosed(String agent, String reason, Instant now) {
        closed.put(agent, reason);
        FreeDesk before = desks.remove(agent);
        if (before != null) {
            free.remove(before);
        }
        for (Waiter waiter : new ArrayList<>(kept.getOrDefault(agent, new TreeSet<>(Waiter.ORDER)))) {
            review(waiter, now);
        }
    }

    void reserved(String conv, long epoch, String agent, Instant now) {
        Waiter waiter = waiters.get(conv);
        if (waiter != null && waiter.ticket.epoch() == epoch) {
            unpair(waiter, agent);
            waiter.pairs.put(agent, new Pair(true, 0, now.plus(offerNet())));
            review(waiter, now);
            matchRoomier(now);
        }
    }

    void notReserved(String conv, long epoch, String agent, String reason, Instant now) {
        if (ABOUT_THE_DESK.contains(reason)) {
            leaveAlone(agent);
        }
        Waiter waiter = waiters.get(conv);
        if (waiter == null || waiter.ticket.epoch() != epoch) {
            return;
        }
        unpair(waiter, agent);
        if (DECLINES.contains(reason)) {
            Set<String> more = new HashSet<>(waiter.declinedBy);
            more.add(agent);
            waiter.declinedBy = more;
        }
        waiter.offered = Math.min(waiter.offered, waiter.pairs.size());
        waiter.apart.put(agent, now.plus(settings.apartFor()));
        review(waiter, now);
        matchRoomier(now);
    }

    /** Does what has become due. Returns when it must be called again; {@link Instant#MAX} for never. */
    Instant due(Instant now) {
        while (!reviews.isEmpty() && !reviews.peek().at().isAfter(now)) {
            Review review = reviews.poll();
            Waiter waiter = waiters.get(review.conv());
            if (waiter != null && waiter.ticket.epoch() == review.epoch() && waiter.reviewAt.equals(review.at())) {
                waiter.reviewAt = Instant.MAX;
                review(waiter, now);
            }
        }
        matchRoomier(now);
        return reviews.isEmpty() ? Instant.MAX : reviews.peek().at();
    }

    // ---- matching ----

    private void review(Waiter waiter, Instant now) {
        expire(waiter, now);
        index(waiter, now);
        if (matching) {
            match(waiter, now);
        }
        schedule(waiter, now);
    }

    private void expire(Waiter waiter, Instant now) {
        waiter.apart.values().removeIf(until -> !now.isBefore(until));
        for (Map.Entry<String, Pair> entry : List.copyOf(waiter.pairs.entrySet())) {
            Pair pair = entry.getValue();
            String agent = entry.getKey();
            if (now.isBefore(pair.until())) {
                continue;
            }
            if (!pair.reserved() && pair.tries() == 1) {
                waiter.pairs.put(agent, new Pair(false, 2, now.plus(settings.deskAnswerTime())));
                asks.add(ask(waiter, agent, now));
            } else {
                unpair(waiter, agent);
                if (!pair.reserved()) {
                    leaveAlone(agent);
                    waiter.apart.put(agent, now.plus(settings.apartFor()));
                }
            }
        }
        if (!now.isBefore(waiter.offeredUntil)) {
            waiter.offered = 0;
        }
        if (waiter.declinesEndAt != null && !now.isBefore(waiter.declinesEndAt)) {
            waiter.declinedBy = Set.of();
            waiter.declinesEndAt = null;
        }
    }

    private void index(Waiter waiter, Instant now) {
        unindex(waiter);
        if (wants(waiter, now) <= 0) {
            return;
        }
        if (isKept(waiter, now)) {
            waiter.place = Place.KEPT;
            kept.computeIfAbsent(waiter.ticket.prefer(), a -> new TreeSet<>(Waiter.ORDER))
                    .add(waiter);
        } else {
            waiter.place = Place.READY;
            waiter.needed = waiter.skillsNeededAt(now, queue.relaxSkillsAfter());
            ready.computeIfAbsent(waiter.needed, s -> new TreeSet<>(Waiter.ORDER))
                    .add(waiter);
        }
    }

    private void unindex(Waiter waiter) {
        if (waiter.place == Place.KEPT) {
            removeFrom(kept, waiter.ticket.prefer(), waiter);
        } else if (waiter.place == Place.READY) {
            removeFrom(ready, waiter.needed, waiter);
        }
        waiter.place = Place.SUPPLIED;
    }

    private static <K> void removeFrom(Map<K, SortedSet<Waiter>> index, K key, Waiter waiter) {
        Set<Waiter> set = index.get(key);
        if (set != null && set.remove(waiter) && set.isEmpty()) {
            index.remove(key);
        }
    }

    /** How many more offers it may have. */
    private int wants(Waiter waiter, Instant now) {
        int allowed = queue.autoAccept() || isKept(waiter, now) ? 1 : queue.offerTo();
        return allowed - Math.max(waiter.pairs.size(), waiter.offered);
    }

    /** True while it is left to the agent it prefers. */
    private boolean isKept(Waiter waiter, Instant now) {
        Ticket ticket = waiter.ticket;
        if (ticket.prefer() == null
                || !now.isBefore(ticket.preferUntil())
                || waiter.declinedBy.contains(ticket.prefer())) {
            return false;
        }
        if (ticket.direct()) {
            return true;
        }
        FreeDesk desk = desks.get(ticket.prefer());
        return desk == null
                ? !NOT_THERE.contains(closed.getOrDefault(ticket.prefer(), ""))
                : desk.skills().containsAll(ticket.skills());
    }

    private void match(Waiter waiter, Instant now) {
        if (waiter.place == Place.KEPT) {
            String agent = waiter.ticket.prefer();
            FreeDesk desk = desks.get(agent);
            // An agent that serves other queues never announces itself here: it is asked from time to time instead.
            boolean unknown = desk == null && "not-serving".equals(closed.getOrDefault(agent, "not-serving"));
            boolean open = desk != null && desk.room() > 0;
            if (waiter.mayGoTo(agent) && (open || (unknown && waiter.ticket.direct()))) {
                pair(waiter, agent, now);
            }
        } else if (waiter.place == Place.READY) {
            matchReady(waiter, now);
        }
    }

    private void matchReady(Waiter waiter, Instant now) {
        int wanted = wants(waiter, now);
        List<String> chosen = new ArrayList<>(wanted);
        for (FreeDesk desk : free) {
            if (chosen.size() >= wanted) {
                break;
            }
            if (!desk.skills().containsAll(waiter.needed)) {
                continue;
            }
            if (waiter.mayGoTo(desk.agent())) {
                chosen.add(desk.agent());
            } else if (waiter.declinedBy.contains(desk.agent())) {
                endDeclinesLater(waiter, now);
            }
        }
        chosen.forEach(agent -> pair(waiter, agent, now));
    }

    private void matchDesk(String agent, Instant now) {
        if (!matching) {
            return;
        }
        FreeDesk desk = desks.get(agent);
        while (desk != null && desk.room() > 0) {
            Waiter best = firstFor(kept.get(agent), agent, null, now);
            for (Map.Entry<Set<String>, SortedSet<Waiter>> bucket : ready.entrySet()) {
                if (desk.skills().containsAll(bucket.getKey())) {
                    best = firstFor(bucket.getValue(), agent, best, now);
                }
            }
            if (best == null) {
                return;
            }
            pair(best, agent, now);
            schedule(best, now);
            desk = desks.get(agent);
        }
    }

    /** The first of them that may go to that agent, if it comes before {@code best}. */
    private Waiter firstFor(Set<Waiter> candidates, String agent, Waiter best, Instant now) {
        if (candidates == null) {
            return best;
        }
        for (Waiter candidate : candidates) {
            if (best != null && Waiter.ORDER.compare(candidate, best) > 0) {
                return best;
            }
            if (candidate.mayGoTo(agent)) {
                return candidate;
            }
            if (candidate.declinedBy.contains(agent) && candidate.declinesEndAt == null) {
                endDeclinesLater(candidate, now);
                schedule(candidate, now);
            }
        }
        return best;
    }

    /** An agent with room declined it before: after a pause it is asked again, so that nobody waits for ever. */
    private void endDeclinesLater(Waiter waiter, Instant now) {
        if (waiter.declinesEndAt == null) {
            waiter.declinesEndAt = now.plus(settings.askAgainAfter());
        }
    }

    private void pair(Waiter waiter, String agent, Instant now) {
        FreeDesk desk = desks.get(agent);
        asks.add(ask(waiter, agent, now));
        waiter.pairs.put(agent, new Pair(false, 1, now.plus(settings.deskAnswerTime())));
        if (desk != null) {
            change(desk, asked(desk, 1, ++turns));
        }
        index(waiter, now);
    }

    private void unpair(Waiter waiter, String agent) {
        Pair pair = waiter.pairs.remove(agent);
        FreeDesk desk = desks.get(agent);
        if (pair != null && !pair.reserved() && desk != null) {
            change(desk, asked(desk, -1, desk.turn()));
        }
    }

    private static FreeDesk asked(FreeDesk desk, int more, long turn) {
        return new FreeDesk(
                desk.agent(),
                desk.free(),
                desk.held(),
                desk.capacity(),
                Math.max(0, desk.asked() + more),
                desk.skills(),
                desk.idleSince(),
                turn);
    }

    private void change(FreeDesk before, FreeDesk after) {
        if (before != null) {
            free.remove(before);
        }
        desks.put(after.agent(), after);
        if (after.room() > 0) {
            free.add(after);
            if (before == null || after.room() > before.room()) {
                roomier.add(after.agent());
            }
        }
    }

    private void matchRoomier(Instant now) {
        while (!roomier.isEmpty()) {
            List<String> agents = List.copyOf(roomier);
            roomier.clear();
            agents.forEach(agent -> matchDesk(agent, now));
        }
    }

    /** The desk gets nothing more until it announces itself again. */
    private void leaveAlone(String agent) {
        FreeDesk desk = desks.get(agent);
        if (desk != null) {
            change(
                    desk,
                    new FreeDesk(
                            agent,
                            0,
                            desk.held(),
                            desk.capacity(),
                            desk.asked(),
                            desk.skills(),
                            desk.idleSince(),
                            desk.turn()));
        }
    }

    private void schedule(Waiter waiter, Instant now) {
        Instant next = Instant.MAX;
        for (Pair pair : waiter.pairs.values()) {
            next = earlier(next, pair.until());
        }
        for (Instant until : waiter.apart.values()) {
            next = earlier(next, until);
        }
        if (waiter.offered > 0) {
            next = earlier(next, waiter.offeredUntil);
        }
        if (waiter.declinesEndAt != null) {
            next = earlier(next, waiter.declinesEndAt);
        }
        if (waiter.ticket.prefer() != null && now.isBefore(waiter.ticket.preferUntil())) {
            next = earlier(next, waiter.ticket.preferUntil());
        }
        next = earlier(next, waiter.nextRelaxation(now, queue.relaxSkillsAfter()));
        if (!next.equals(Instant.MAX) && next.isBefore(waiter.reviewAt)) {
            waiter.reviewAt = next;
            reviews.add(new Review(next, waiter.conv, waiter.ticket.epoch()));
        }
    }

    private Duration offerNet() {
        return queue.autoAccept()
                ? settings.offerMargin()
                : queue.offerTimeout().plus(settings.offerMargin());
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }

    // ---- what the line says ----

    /** What is to be asked of desks since the last call. */
    List<Ask> takeAsks() {
        if (asks.isEmpty()) {
            return List.of();
        }
        List<Ask> taken = asks;
        asks = new ArrayList<>();
        return taken;
    }

    private Ask ask(Waiter waiter, String agent, Instant now) {
        boolean direct = waiter.ticket.direct() && agent.equals(waiter.ticket.prefer());
        return new Ask(
                waiter.conv, waiter.ticket.epoch(), agent, direct, LineReasons.decision(this, waiter, agent, now));
    }

    int size() {
        return waiters.size();
    }

    Iterable<Waiter> inOrder() {
        return order;
    }

    Waiter waiter(String conv) {
        return waiters.get(conv);
    }

    /** Desks that announced themselves open, by agent. */
    Map<String, FreeDesk> desks() {
        return desks;
    }

    /** Desks with room, in the strategy's order. */
    Collection<FreeDesk> freeDesks() {
        return free;
    }

    /** Why agents' desks are closed to this line, as far as they told. */
    Map<String, String> closedDesks() {
        return closed;
    }

    RoutingStrategy strategy() {
        return strategy;
    }

    QueueSettings queue() {
        return queue;
    }

    /** How fast the line moves; unknown without a desk. */
    Departures.Pace pace(Instant now) {
        return desks.isEmpty() ? Departures.Pace.UNKNOWN : departures.pace(now);
    }
}
