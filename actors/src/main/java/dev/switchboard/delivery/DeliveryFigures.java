package dev.switchboard.delivery;

import dev.switchboard.conversation.Letter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a node counts of its conversations: refused entries, and the load of its shards. Thread-safe. */
public final class DeliveryFigures {
    /** Why an attempt failed: the codes of this side, and one for whatever code a terminal gave. */
    public static final List<String> FAILURES = List.of("refused", "conversion", "no-answer", "away");

    private final LongAdder[] failedByCode = {new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()};
    private final TrafficFigures traffic = new TrafficFigures();
    private final Map<String, ShardFigures> shards = new ConcurrentHashMap<>();
    private final LongAdder[] becameByState = new LongAdder[Letter.State.values().length];

    private final ShardLoad load;
    private final Ledger ledger;

    /** All zero, for conversations that nobody moves. */
    public DeliveryFigures() {
        this(new ShardLoad(1), Ledger.NONE);
    }

    /** All zero, with the node's ledger of steps. */
    public DeliveryFigures(ShardLoad load, Ledger ledger) {
        this.load = load;
        this.ledger = ledger;
        for (int i = 0; i < becameByState.length; i++) {
            becameByState[i] = new LongAdder();
        }
    }

    /** The steps that messages took on this node. */
    public Ledger ledger() {
        return ledger;
    }

    /** A letter has changed. {@code failed}: by one more failed attempt. */
    @SuppressWarnings("EnumOrdinal") // An index into an array of as many counters, of this process alone.
    public void count(Letter letter, boolean failed) {
        if (failed) {
            String code = letter.attempts().isEmpty()
                    ? ""
                    : letter.attempts().get(letter.attempts().size() - 1).code();
            failedByCode[Math.max(0, FAILURES.indexOf(code))].increment();
        }
        becameByState[letter.state().ordinal()].increment();
    }

    /** How many attempts failed for that one of {@link #FAILURES}. */
    public long failedAttempts(String failure) {
        return failedByCode[FAILURES.indexOf(failure)].sum();
    }

    /** What is done with the shards of that type. */
    public ShardFigures shards(String type) {
        return shards.computeIfAbsent(type, unused -> new ShardFigures());
    }

    /** What is accepted, delivered and waits. */
    public TrafficFigures traffic() {
        return traffic;
    }

    /** What its shards have to do. */
    public ShardLoad load() {
        return load;
    }

    /** How often a letter came into that state; {@code RETRYING} and {@code DEAD} once for each failed attempt. */
    @SuppressWarnings("EnumOrdinal") // As above.
    public long became(Letter.State state) {
        return becameByState[state.ordinal()].sum();
    }
}
