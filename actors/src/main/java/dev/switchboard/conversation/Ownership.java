package dev.switchboard.conversation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who has a conversation, or how it waits. Immutable.
 *
 * @param status where it is in its life
 * @param queue its queue, also while it is assigned or closed
 * @param owner the owner's agent id; null unless assigned
 * @param epoch the ownership epoch
 * @param ticket its place in line; null unless waiting or offered
 * @param offers the open offers, by id
 * @param endedOffers the offers of this epoch that can't be taken any more
 * @param declinedBy the agents who declined or let an offer lapse in this epoch
 * @param lastOwner the latest owner; null before the first
 */
public record Ownership(
        Status status,
        String queue,
        String owner,
        long epoch,
        Ticket ticket,
        Map<String, OpenOffer> offers,
        Set<String> endedOffers,
        Set<String> declinedBy,
        String lastOwner) {
    public Ownership {
        offers = Map.copyOf(offers);
        endedOffers = Set.copyOf(endedOffers);
        declinedBy = Set.copyOf(declinedBy);
    }

    static Ownership waiting(Ticket ticket) {
        return new Ownership(
                Status.WAITING, ticket.queue(), null, ticket.epoch(), ticket, Map.of(), Set.of(), Set.of(), null);
    }

    Ownership changed(ConversationEvent.OwnerChanged event) {
        String newOwner = event.entry().owner();
        return new Ownership(
                event.status(),
                event.queue(),
                newOwner,
                event.entry().epoch(),
                event.ticket(),
                Map.of(),
                Set.of(),
                Set.of(),
                newOwner == null ? lastOwner : newOwner);
    }

    Ownership offered(OpenOffer offer) {
        Map<String, OpenOffer> more = new java.util.HashMap<>(offers);
        more.put(offer.offer(), offer);
        return new Ownership(Status.OFFERED, queue, null, epoch, ticket, more, endedOffers, declinedBy, lastOwner);
    }

    Ownership offerEnded(ConversationEvent.OfferEnded event) {
        Map<String, OpenOffer> fewer = new java.util.HashMap<>(offers);
        fewer.remove(event.offer());
        Set<String> ended = new java.util.HashSet<>(endedOffers);
        ended.add(event.offer());
        Set<String> declined = new java.util.HashSet<>(declinedBy);
        if (event.reason().equals("declined") || event.reason().equals("timeout")) {
            declined.add(event.agent());
        }
        return new Ownership(event.status(), queue, owner, epoch, ticket, fewer, ended, declined, lastOwner);
    }

    /** The open offer to that agent, if there is one. */
    public Optional<OpenOffer> offerTo(String agent) {
        return offers.values().stream().filter(o -> o.agent().equals(agent)).findAny();
    }

    /** The agents with an open offer. */
    public List<String> offeredTo() {
        return offers.values().stream().map(OpenOffer::agent).toList();
    }
}
