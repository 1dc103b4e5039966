package dev.switchboard.routing;

import java.time.Instant;
import java.util.Set;

/**
 * A desk with room, as a waiting line knows it. Immutable.
 *
 * @param free how many slots the desk announced as free
 * @param held how many it announced as held
 * @param asked how many of the free ones this line has asked for and not yet been answered about
 * @param idleSince when it last took or gave back a slot
 * @param turn grows each time the line chooses a desk: the higher, the more recently this one was chosen; 0 for never
 */
public record FreeDesk(
        String agent, int free, int held, int capacity, int asked, Set<String> skills, Instant idleSince, long turn) {
    /** How many slots this line may still ask for. */
    public int room() {
        return free - asked;
    }
}
