package dev.switchboard.desk;

import dev.switchboard.conversation.ConversationCommand.SlotRefused;
import dev.switchboard.delivery.Recovered;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand.AttachTerminal;
import dev.switchboard.desk.DeskCommand.ChooseAvailability;
import dev.switchboard.desk.DeskCommand.Reserve;
import dev.switchboard.desk.DeskCommand.ReserveFor;
import dev.switchboard.desk.DeskCommand.SetProfile;
import dev.switchboard.desk.DeskCommand.Show;
import dev.switchboard.routing.LineCommand.NotReserved;
import dev.switchboard.routing.Peers;

/**
 * What a desk answers that can't be read: people get a refusal, lines and conversations that ask for a slot get none. What
 * conversations confirm or release stays unanswered, so they repeat it until the desk can be read. Confined to its desk's
 * actor.
 */
final class UnreadableDesk {
    private final String agent;
    private final Peers peers;
    private final Recovered<DeskEvent> recovered;

    UnreadableDesk(String agent, Peers peers, Recovered<DeskEvent> recovered) {
        this.agent = agent;
        this.peers = peers;
        this.recovered = recovered;
    }

    void answer(DeskCommand command) {
        DeskReply refused = new DeskReply.Refused(recovered.refusal());
        if (command instanceof AttachTerminal attach) {
            attach.ref().tell(new TerminalPush.DeskRefused(recovered.refusal()));
        } else if (command instanceof ChooseAvailability choose) {
            choose.replyTo().tell(refused);
        } else if (command instanceof SetProfile set) {
            set.replyTo().tell(refused);
        } else if (command instanceof Show show) {
            show.replyTo().tell(refused);
        } else if (command instanceof Reserve reserve) {
            peers.line(
                    reserve.queue(),
                    new NotReserved(
                            reserve.conv(),
                            reserve.epoch(),
                            agent,
                            recovered.refusal().code().wireName()));
        } else if (command instanceof ReserveFor ask) {
            peers.conversation(ask.conv(), new SlotRefused(agent, ask.request(), recovered.refusal()));
        }
    }
}
