package dev.switchboard.routing;

/** The agent with the lowest share of its capacity in use comes first, then the longest idle one. Stateless. */
public final class LeastLoaded implements RoutingStrategy {
    @Override
    public String name() {
        return "least-loaded";
    }

    @Override
    public int compare(FreeDesk a, FreeDesk b) {
        // a's share < b's share, without division: (held + asked) / capacity; a desk with room has a capacity above 0.
        long left = (long) (a.held() + a.asked()) * b.capacity();
        long right = (long) (b.held() + b.asked()) * a.capacity();
        return left != right ? Long.compare(left, right) : a.idleSince().compareTo(b.idleSince());
    }

    @Override
    public String reason(FreeDesk chosen) {
        return "has the lowest share of its capacity in use (" + (chosen.held() + chosen.asked()) + " of "
                + chosen.capacity() + ")";
    }
}
