package dev.switchboard.delivery;

import org.apache.pekko.actor.typed.ActorRef;

/** What the operations of one node ask of another. At most once: whoever gets no answer in time asks again. */
public sealed interface NodeMessage {
    /**
     * A question, or something to do.
     *
     * @param what its name
     * @param by role and id of the operator who wants it; empty when nobody does
     * @param content what it needs to know, in JSON
     */
    record Ask(String what, String by, String content, ActorRef<Answer> replyTo) implements NodeMessage {}

    /**
     * The answer.
     *
     * @param status as over HTTP
     * @param content in JSON
     */
    record Answer(int status, String content) implements NodeMessage {}
}
