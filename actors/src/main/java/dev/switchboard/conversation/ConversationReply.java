package dev.switchboard.conversation;

import java.util.Objects;

/** What a conversation answers. Every request gets exactly one, or none when the node dies; then it is repeated. */
public sealed interface ConversationReply {
    /**
     * The request is done and persisted.
     *
     * @param seq the seq of the entry it made, or the last one when it made none
     * @param epoch the ownership epoch after it
     * @param lastSeq the last seq that the requester may see
     * @param duplicate true when it had been done before: the first answer again
     */
    record Done(String conv, long seq, long epoch, long lastSeq, boolean duplicate) implements ConversationReply {}

    /** The conversation exists; {@code created} tells if it is new or lives again. */
    record Opened(ConversationView view, boolean created) implements ConversationReply {}

    /** The conversation as the requester may see it. */
    record Described(ConversationView view) implements ConversationReply {
        public Described {
            Objects.requireNonNull(view, "view");
        }
    }

    /**
     * A letter as it is now.
     *
     * @param letter null when the refusal of an entry made none
     * @param duplicate true when the request changed nothing
     */
    record OfLetter(Letter letter, boolean duplicate) implements ConversationReply {}

    /** Not done, and nothing was changed. */
    record Refused(Refusal refusal) implements ConversationReply {
        public static Refused of(ErrorCode code, String message) {
            return new Refused(Refusal.of(code, message));
        }
    }

    /**
     * What was said before the entry {@code seq} is erased.
     *
     * @param complete true when the database has forgotten it too; false: it is being done, also after a restart
     * @param duplicate true when there was nothing new to do
     */
    record Erased(String conv, long seq, boolean complete, boolean duplicate) implements ConversationReply {}

    /** A customer's post is on a node's disk, and goes into the conversation when the journal is back. */
    record Spooled(String conv, String clientMsgId, boolean duplicate) implements ConversationReply {}

    /** A successor took this conversation's place: ask there. */
    record Moved(String successor) implements ConversationReply {}
}
