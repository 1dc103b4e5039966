package dev.switchboard.desk;

import dev.switchboard.conversation.Intake;
import dev.switchboard.conversation.WriteAdmission;
import dev.switchboard.conversation.WriteAdmission.Reason;
import dev.switchboard.conversation.WritePermit;
import dev.switchboard.desk.DeskCommand.ChooseAvailability;
import dev.switchboard.desk.DeskCommand.SetProfile;
import dev.switchboard.desk.DeskCommand.Show;
import org.apache.pekko.actor.typed.ActorRef;

/** The entrance of a desk. For that actor's thread alone. */
final class DeskIntake extends Intake<DeskCommand> {
    DeskIntake(WriteAdmission admission, WritePermit permit) {
        super(DeskCommand.class, admission, permit);
    }

    @Override
    protected boolean turnsAway(DeskCommand command, Reason reason) {
        ActorRef<DeskReply> asks = command instanceof Show show
                ? show.replyTo()
                : command instanceof ChooseAvailability choose
                        ? choose.replyTo()
                        : command instanceof SetProfile set ? set.replyTo() : null;
        if (asks == null) {
            return false;
        }
        asks.tell(new DeskReply.Refused(refusal(reason)));
        return true;
    }
}
