package dev.switchboard.conversation;

/**
 * The first answer to a request that changed something, by its client's id.
 *
 * @param clientMsgId the id
 * @param hash a keyed hash of what was asked, so that another request under the same id is refused; 0 once it was erased
 * @param seq the seq of the entry it made
 * @param epoch the ownership epoch after it
 */
public record RequestRecord(String clientMsgId, long hash, long seq, long epoch) {
    /** The same without what tells of its content: from now on every repeat of the id counts as the same request. */
    RequestRecord erased() {
        return new RequestRecord(clientMsgId, 0, seq, epoch);
    }

    /** True when a request of that hash is the same one, as far as can still be told. */
    boolean fits(long other) {
        return hash == 0 || hash == other;
    }
}
