package dev.switchboard.ports;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import java.time.Instant;
import java.util.Objects;

/**
 * A customer's post as the spool keeps it: all that is needed to send it again. Immutable.
 *
 * @param conv the conversation it was sent to
 * @param by who made the call, as the token said then
 * @param sender whose message it is: a customer
 * @param queue the queue that a first message opens the conversation in
 * @param clientMsgId the sender's id of it
 * @param after the sender's previous id, or null
 * @param lookUp true when it was not known whether the conversation exists: to be found out before it is sent
 * @param viaSocket true when it came over a socket
 * @param at when it came
 */
public record SpooledPost(
        String conv,
        Principal by,
        Person sender,
        String queue,
        String clientMsgId,
        Body body,
        String after,
        boolean lookUp,
        boolean viaSocket,
        Instant at) {
    public SpooledPost {
        Objects.requireNonNull(conv, "conv");
        Objects.requireNonNull(by, "by");
        Objects.requireNonNull(sender, "sender");
        Objects.requireNonNull(clientMsgId, "clientMsgId");
        Objects.requireNonNull(body, "body");
        Objects.requireNonNull(at, "at");
    }
}
