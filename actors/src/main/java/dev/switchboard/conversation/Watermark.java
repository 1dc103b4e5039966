package dev.switchboard.conversation;

/**
 * How far one receiver got: 0 ≤ read ≤ delivered. Immutable.
 *
 * @param delivered the highest seq that arrived at any of the receiver's terminals
 * @param read the highest seq that the receiver has read
 */
public record Watermark(long delivered, long read) {
    public static final Watermark NONE = new Watermark(0, 0);

    public Watermark {
        if (read < 0 || read > delivered) {
            throw new IllegalArgumentException("read " + read + " is not within 0.." + delivered);
        }
    }

    /** The higher of the two in each part: watermarks never move back. */
    public Watermark max(long otherDelivered, long otherRead) {
        long newRead = Math.max(read, otherRead);
        long newDelivered = Math.max(Math.max(delivered, otherDelivered), newRead);
        return newRead == read && newDelivered == delivered ? this : new Watermark(newDelivered, newRead);
    }
}
