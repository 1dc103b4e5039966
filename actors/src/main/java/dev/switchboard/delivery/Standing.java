package dev.switchboard.delivery;

/**
 * Whether this node may still speak for its actors. A node that stood still for long may have been replaced meanwhile:
 * what its actors say then is old. Asked by the edge before anything leaves it. Implementations are thread-safe, never
 * block and cost no more than reading a clock.
 */
public interface Standing {
    /** False from the first moment after a standstill until it is known that nobody took over. */
    boolean holds();
}
