package dev.switchboard.conversation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * What has moved since the last event and is not persisted yet: watermarks and acknowledged steps. Not thread-safe: its
 * conversation's actor alone uses it. Losing it with the node is harmless: receivers acknowledge again what they have, and
 * desks acknowledge a repeated step again.
 */
final class Progress {
    private final Map<Person, Watermark> watermarks = new HashMap<>(4);
    private final Map<String, Long> settled = new HashMap<>(4);
    private Instant since;

    /** Moves a receiver's mark; true if it moved. */
    boolean mark(ConversationState state, Person person, long delivered, long read, Instant now) {
        Watermark before = effective(state, person);
        Watermark after = before.max(delivered, read);
        if (after.equals(before)) {
            return false;
        }
        watermarks.put(person, after);
        started(now);
        return true;
    }

    /** The highest known mark of a receiver. */
    Watermark effective(ConversationState state, Person person) {
        Watermark moved = watermarks.get(person);
        Watermark kept = state.watermark(person);
        return moved == null ? kept : kept.max(moved.delivered(), moved.read());
    }

    /** A desk acknowledged the steps up to that epoch. */
    void settled(String agent, long epoch, Instant now) {
        settled.merge(agent, epoch, Math::max);
        started(now);
    }

    /** True when that step was acknowledged. */
    boolean isSettled(DeskIntent intent) {
        Long epoch = settled.get(intent.agent());
        return epoch != null && intent.epoch() <= epoch;
    }

    /** Hands over what is to be persisted with the next event, and starts anew. */
    Marks take(ConversationState state) {
        if (since == null) {
            return Marks.NONE;
        }
        settled.keySet().removeIf(agent -> !state.intents().containsKey(agent));
        Marks marks = watermarks.isEmpty() && settled.isEmpty() ? Marks.NONE : new Marks(watermarks, settled);
        watermarks.clear();
        settled.clear();
        since = null;
        return marks;
    }

    boolean isDue(Instant now, Duration quiet) {
        return since != null && !now.isBefore(since.plus(quiet));
    }

    /** When it must be persisted by itself; {@link Instant#MAX} when nothing has moved. */
    Instant dueAt(Duration quiet) {
        return since == null ? Instant.MAX : since.plus(quiet);
    }

    private void started(Instant now) {
        if (since == null) {
            since = now;
        }
    }
}
