package dev.switchboard.socket;

import dev.switchboard.api.JsonFields;
import dev.switchboard.api.RefusedException;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.routing.QueueCatalog;

/**
 * Reads the fields that many requests have, and knows whom they mean. Not thread-safe; lives in the connection's stage.
 * What can't be is refused by a {@link RefusedException}.
 */
final class RequestFields {
    /** The largest seq that a client may name. */
    static final long MAX_SEQ = Long.MAX_VALUE - 1;

    private static final String DEFAULT_QUEUE = "default";

    private final Terminal terminal;
    private final QueueCatalog queues;

    RequestFields(Terminal terminal, QueueCatalog queues) {
        this.terminal = terminal;
        this.queues = queues;
    }

    String queueOf(JsonFields frame) {
        String queue = frame.matching("queue", ConversationIds.QUEUE);
        if (queue == null) {
            return DEFAULT_QUEUE;
        }
        if (queues.find(queue).isEmpty()) {
            throw unknownQueue(queue);
        }
        return queue;
    }

    static RefusedException unknownQueue(String queue) {
        return new RefusedException(Refusal.of(ErrorCode.UNKNOWN_QUEUE, "there is no queue " + queue)
                .withFact("queue", queue));
    }

    static long epoch(JsonFields frame) {
        return frame.integer("epoch", 0, Long.MAX_VALUE, 0);
    }

    static String conv(JsonFields frame) {
        String conv = frame.requiredText("conv", 256);
        if (!ConversationIds.isWellFormed(conv)) {
            throw notFound();
        }
        return conv;
    }

    /** The conversation that a frame without {@code conv} means: a customer's own, or that of the customer it names. */
    String ownThread(JsonFields frame) {
        Principal by = terminal.principal();
        if (by.role() == Role.CUSTOMER) {
            return ConversationIds.ofCustomer(by.id());
        }
        if (by.role() == Role.SERVICE) {
            String customer = frame.requiredMatching("customer", ConversationIds.PERSON_ID);
            if (!by.actsFor(customer)) {
                throw refuse(ErrorCode.FORBIDDEN, "your token doesn't let you act for " + customer);
            }
            return ConversationIds.ofCustomer(customer);
        }
        throw frame.invalid("conv", "is missing");
    }

    /** True for a thread that its customer's first message opens; anything else has to exist. */
    boolean mayBeNew(String conv, JsonFields frame) {
        Principal by = terminal.principal();
        return switch (by.role()) {
            case CUSTOMER -> conv.equals(ConversationIds.ofCustomer(by.id()));
            case SERVICE ->
                !frame.has("conv") || (conv.indexOf('~') < 0 && by.actsFor(ConversationIds.customerOf(conv)));
            case AGENT, SUPERVISOR, OPERATOR -> false;
        };
    }

    static void requireStaff(Principal by) {
        if (!by.role().isStaff()) {
            throw refuse(ErrorCode.FORBIDDEN, "this is for agents");
        }
    }

    void requireSupervisor() {
        if (terminal.principal().role() != Role.SUPERVISOR) {
            throw refuse(ErrorCode.FORBIDDEN, "this is for supervisors");
        }
    }

    static RefusedException refuse(ErrorCode code, String message) {
        return new RefusedException(Refusal.of(code, message));
    }

    static RefusedException notFound() {
        return refuse(ErrorCode.NOT_FOUND, "there is no such conversation");
    }
}
