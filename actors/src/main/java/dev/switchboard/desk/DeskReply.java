package dev.switchboard.desk;

import dev.switchboard.conversation.Refusal;

/** What a desk answers to a person's request. */
public sealed interface DeskReply {
    /** Done, or asked for: the desk as it is now. */
    record Shown(DeskView view) implements DeskReply {}

    /** Not done, and nothing was changed. */
    record Refused(Refusal refusal) implements DeskReply {}
}
