package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Ack;
import dev.switchboard.conversation.ConversationCommand.Positioned;
import dev.switchboard.conversation.ConversationCommand.Request;
import dev.switchboard.conversation.ConversationCommand.Typing;
import dev.switchboard.conversation.WriteAdmission.Reason;

/** The entrance of a conversation. An ack is no request here: nobody sends it again. For that actor's thread alone. */
final class ConversationIntake extends Intake<ConversationCommand> {
    ConversationIntake(WriteAdmission admission, WritePermit permit) {
        super(ConversationCommand.class, admission, permit);
    }

    @Override
    protected boolean turnsAway(ConversationCommand command, Reason reason) {
        if (command instanceof Request request && !(command instanceof Ack)) {
            request.replyTo().tell(new ConversationReply.Refused(refusal(reason)));
            return true;
        }
        return reason == Reason.WAITING_FOR_ONE && (command instanceof Typing || command instanceof Positioned);
    }
}
