package dev.switchboard.routing;

/** One agent after the other, whatever they do: the one chosen longest ago comes first. Stateless. */
public final class RoundRobin implements RoutingStrategy {
    @Override
    public String name() {
        return "round-robin";
    }

    @Override
    public int compare(FreeDesk a, FreeDesk b) {
        return Long.compare(a.turn(), b.turn());
    }

    @Override
    public String reason(FreeDesk chosen) {
        return "is next in turn";
    }
}
