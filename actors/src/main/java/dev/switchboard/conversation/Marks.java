package dev.switchboard.conversation;

import java.util.Map;

/**
 * Progress that is not worth an event of its own: it rides along with the next one.
 *
 * @param watermarks the watermarks that moved since the last event
 * @param settled the desks whose intent was acknowledged since the last event, each with the epoch acknowledged
 */
public record Marks(Map<Person, Watermark> watermarks, Map<String, Long> settled) {
    public static final Marks NONE = new Marks(Map.of(), Map.of());

    public Marks {
        watermarks = Map.copyOf(watermarks);
        settled = Map.copyOf(settled);
    }

    public boolean isEmpty() {
        return watermarks.isEmpty() && settled.isEmpty();
    }
}
