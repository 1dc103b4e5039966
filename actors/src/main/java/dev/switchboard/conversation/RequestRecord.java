package dev.switchboard.conversation;

/**
 * The first answer to a request that changed something, by its client's id.
 *
 * @param clientMsgId the id
 * @param hash a keyed hash of what was asked, so that another request under the same id is refused
 * @param seq the seq of the entry it made
 * @param epoch the ownership epoch after it
 */
public record RequestRecord(String clientMsgId, long hash, long seq, long epoch) {}
