package dev.switchboard.desk;

import java.time.Instant;
import java.util.List;
import java.util.Set;

/** A desk as it can be read. Immutable. */
public record DeskView(
        String agent,
        Availability availability,
        boolean reachable,
        int capacity,
        Set<String> queues,
        Set<String> skills,
        boolean profiled,
        List<Slot> slots,
        Instant idleSince) {
    public DeskView {
        slots = List.copyOf(slots);
    }
}
