package dev.switchboard.routing;

/** The agent who has neither taken nor ended a conversation for the longest time comes first. Stateless. */
public final class LongestIdle implements RoutingStrategy {
    @Override
    public String name() {
        return "longest-idle";
    }

    @Override
    public int compare(FreeDesk a, FreeDesk b) {
        int byAsked = Integer.compare(a.asked(), b.asked());
        return byAsked != 0 ? byAsked : a.idleSince().compareTo(b.idleSince());
    }

    @Override
    public String reason(FreeDesk chosen) {
        return "has had no new or ended conversation for the longest time";
    }
}
