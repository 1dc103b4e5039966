package dev.switchboard.conversation;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A conversation as one reader may see it. Immutable.
 *
 * @param lastSeq the last seq that the reader may see
 * @param watermark how far the reader itself got
 * @param peer how far the other side got: the owner for the customer, the customer for staff
 */
public record ConversationView(
        String conv,
        String customer,
        Status status,
        String queue,
        String owner,
        long epoch,
        int priority,
        Set<String> skills,
        Set<String> labels,
        Map<String, String> attributes,
        Instant openedAt,
        long lastSeq,
        Watermark watermark,
        Watermark peer,
        List<RoutingDecision> decisions) {
    /** The same for a receiver who gets no more than that for now. */
    ConversationView withLastSeq(long last) {
        return new ConversationView(
                conv,
                customer,
                status,
                queue,
                owner,
                epoch,
                priority,
                skills,
                labels,
                attributes,
                openedAt,
                last,
                watermark,
                peer,
                decisions);
    }
}
