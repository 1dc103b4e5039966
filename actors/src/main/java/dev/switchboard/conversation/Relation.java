package dev.switchboard.conversation;

/** What somebody is to one conversation: it decides what they may do. A role alone allows nothing. */
public enum Relation {
    /** The customer whose conversation it is. */
    CUSTOMER,
    /** A service that opened it or may act for its customer. */
    SERVICE,
    /** The agent, or a supervisor who took over, to whom it is assigned. */
    OWNER,
    /** A supervisor of its queue who doesn't own it. */
    SUPERVISOR,
    /** An agent of its queue, or one who had to do with it before. */
    COLLEAGUE,
    /** An operator: facts, no content. */
    OPERATOR,
    /** Anybody else: the conversation doesn't exist for them. */
    STRANGER;

    /** The relation of a principal whose queues are resolved (see {@link Principal#queues()}). */
    public static Relation of(Principal by, ConversationState state) {
        Ownership ownership = state.ownership();
        return switch (by.role()) {
            case CUSTOMER -> by.id().equals(state.identity().customer()) ? CUSTOMER : STRANGER;
            case SERVICE ->
                by.person().equals(state.identity().openedBy())
                                || by.actsFor(state.identity().customer())
                        ? SERVICE
                        : STRANGER;
            case AGENT ->
                isOwner(by, ownership)
                        ? OWNER
                        : by.claimsQueue(ownership.queue()) || wasInvolved(by, state) ? COLLEAGUE : STRANGER;
            case SUPERVISOR ->
                isOwner(by, ownership)
                        ? OWNER
                        : by.claimsQueue(ownership.queue())
                                ? SUPERVISOR
                                : wasInvolved(by, state) ? COLLEAGUE : STRANGER;
            case OPERATOR -> OPERATOR;
        };
    }

    private static boolean isOwner(Principal by, Ownership ownership) {
        return ownership.status() == Status.ASSIGNED && by.id().equals(ownership.owner());
    }

    private static boolean wasInvolved(Principal by, ConversationState state) {
        Ownership ownership = state.ownership();
        return by.id().equals(ownership.lastOwner())
                || state.watermarks().containsKey(by.person())
                || ownership.declinedBy().contains(by.id())
                || ownership.offeredTo().contains(by.id());
    }

    /** Which entries this relation may read; null for none. */
    public Entry.Visibility reads() {
        return switch (this) {
            case CUSTOMER, SERVICE -> Entry.Visibility.ALL;
            case OWNER, SUPERVISOR -> Entry.Visibility.STAFF;
            case COLLEAGUE, OPERATOR, STRANGER -> null;
        };
    }
}
