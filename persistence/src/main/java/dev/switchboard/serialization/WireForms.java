package dev.switchboard.serialization;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.delivery.Ledgers;
import dev.switchboard.delivery.NodeMessage;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The table of the messages between nodes. Rows are only appended: during a rolling upgrade two releases talk to each
 * other, and a class id or a name must mean the same to both. Stateless.
 */
final class WireForms {
    /** What an actor tells only itself: it never travels. */
    static final Set<Class<?>> LOCAL = Set.of(
            ConversationCommand.Tick.class,
            ConversationCommand.TerminalEnded.class,
            ConversationCommand.LookedUp.class,
            ConversationCommand.StorageErased.class);

    private WireForms() {}

    static List<Form<?>> all(WireShapes shapes) {
        List<Form<?>> forms = new ArrayList<>();
        Table table = new Table(forms, shapes);
        conversations(table);
        desksAndLines(table);
        terminals(table);
        table.row(450, "n.ask", NodeMessage.Ask.class);
        table.row(451, "n.answer", NodeMessage.Answer.class);
        return forms;
    }

    private static void conversations(Table table) {
        table.row(200, "cc.open", ConversationCommand.Open.class);
        table.row(201, "cc.post", ConversationCommand.Post.class);
        table.row(202, "cc.accept", ConversationCommand.Accept.class);
        table.row(203, "cc.decline", ConversationCommand.Decline.class);
        table.row(204, "cc.assign", ConversationCommand.Assign.class);
        table.row(205, "cc.transfer", ConversationCommand.Transfer.class);
        table.row(206, "cc.close", ConversationCommand.Close.class);
        table.row(207, "cc.note", ConversationCommand.Note.class);
        table.row(208, "cc.label", ConversationCommand.Label.class);
        table.row(209, "cc.ack", ConversationCommand.Ack.class);
        table.row(210, "cc.describe", ConversationCommand.Describe.class);
        table.row(211, "cc.typing", ConversationCommand.Typing.class);
        table.row(212, "cc.attach", ConversationCommand.Attach.class);
        table.row(213, "cc.detach", ConversationCommand.Detach.class);
        table.row(214, "cc.offer-slot", ConversationCommand.OfferSlot.class);
        table.row(215, "cc.slot-query", ConversationCommand.SlotQuery.class);
        table.row(216, "cc.slot-refused", ConversationCommand.SlotRefused.class);
        table.row(217, "cc.owner-gone", ConversationCommand.OwnerGone.class);
        table.row(218, "cc.desk-acked", ConversationCommand.DeskAcked.class);
        table.row(219, "cc.line-acked", ConversationCommand.LineAcked.class);
        table.row(220, "cc.positioned", ConversationCommand.Positioned.class);
        table.row(221, "cc.wake-up", ConversationCommand.WakeUp.class);
        table.row(222, "cc.stop", ConversationCommand.Stop.class);
        table.row(240, "cr.done", ConversationReply.Done.class);
        table.row(241, "cr.opened", ConversationReply.Opened.class);
        table.row(242, "cr.described", ConversationReply.Described.class);
        table.row(243, "cr.refused", ConversationReply.Refused.class);
        table.row(244, "cr.moved", ConversationReply.Moved.class);
        table.row(410, "cc.tell-sender", ConversationCommand.TellSender.class);
        table.row(411, "cr.spooled", ConversationReply.Spooled.class);
        table.row(420, "cc.erase", ConversationCommand.Erase.class);
        table.row(421, "cr.erased", ConversationReply.Erased.class);
        table.row(430, "cc.nack", ConversationCommand.Nack.class);
        table.row(431, "cc.taken", ConversationCommand.Taken.class);
        table.row(432, "cc.retry-letter", ConversationCommand.RetryLetter.class);
        table.row(433, "cc.discard-letter", ConversationCommand.DiscardLetter.class);
        table.row(435, "cr.letter", ConversationReply.OfLetter.class);
        table.row(470, "cc.find-letter", ConversationCommand.FindLetter.class);
        table.row(471, "l.find", Ledgers.Message.Find.class);
        table.row(472, "l.found", Ledgers.Message.Found.class);
    }

    private static void desksAndLines(Table table) {
        table.row(260, "dc.attach", DeskCommand.AttachTerminal.class);
        table.row(261, "dc.detach", DeskCommand.DetachTerminal.class);
        table.row(262, "dc.choose", DeskCommand.ChooseAvailability.class);
        table.row(263, "dc.profile", DeskCommand.SetProfile.class);
        table.row(264, "dc.show", DeskCommand.Show.class);
        table.row(265, "dc.reserve", DeskCommand.Reserve.class);
        table.row(266, "dc.reserve-for", DeskCommand.ReserveFor.class);
        table.row(267, "dc.offer-open", DeskCommand.OfferOpen.class);
        table.row(268, "dc.confirm", DeskCommand.Confirm.class);
        table.row(269, "dc.release", DeskCommand.Release.class);
        table.row(270, "dc.conv-back", DeskCommand.ConversationBack.class);
        table.row(271, "dc.announced", DeskCommand.Announced.class);
        table.row(272, "dc.wake-up", DeskCommand.WakeUp.class);
        table.row(273, "dc.stop", DeskCommand.Stop.class);
        table.row(290, "dr.shown", DeskReply.Shown.class);
        table.row(291, "dr.refused", DeskReply.Refused.class);
        table.row(300, "lc.enqueue", LineCommand.Enqueue.class);
        table.row(301, "lc.leave", LineCommand.Leave.class);
        table.row(302, "lc.reserved", LineCommand.Reserved.class);
        table.row(303, "lc.not-reserved", LineCommand.NotReserved.class);
        table.row(304, "lc.desk-open", LineCommand.DeskOpen.class);
        table.row(305, "lc.desk-closed", LineCommand.DeskClosed.class);
        table.row(306, "lc.show", LineCommand.Show.class);
        table.row(307, "lc.explain", LineCommand.Explain.class);
        table.row(308, "lc.settings", LineCommand.SettingsChanged.class);
        table.row(309, "lc.stop", LineCommand.Stop.class);
        table.row(320, "lr.shown", LineReply.Shown.class);
        table.row(321, "lr.explained", LineReply.Explained.class);
    }

    private static void terminals(Table table) {
        table.row(340, "t.entry", TerminalPush.EntryPush.class);
        table.row(341, "t.attached", TerminalPush.Attached.class);
        table.row(342, "t.refused", TerminalPush.AttachRefused.class);
        table.row(343, "t.let-go", TerminalPush.LetGo.class);
        table.row(344, "t.offer", TerminalPush.OfferMade.class);
        table.row(345, "t.offer-over", TerminalPush.OfferOver.class);
        table.row(346, "t.queued", TerminalPush.Queued.class);
        table.row(347, "t.receipt", TerminalPush.Receipt.class);
        table.row(348, "t.typing", TerminalPush.Typing.class);
        table.row(349, "t.presence", TerminalPush.Presence.class);
        table.row(350, "t.desk", TerminalPush.DeskAttached.class);
        table.row(351, "t.take-up", TerminalPush.TakeUp.class);
        table.row(352, "t.replaced", TerminalPush.Replaced.class);
        table.row(369, "t.desk-refused", TerminalPush.DeskRefused.class);
        table.row(412, "t.state", TerminalPush.MessageState.class);
        table.row(440, "t.hold", TerminalPush.Hold.class);
        table.row(441, "t.again", TerminalPush.Again.class);
    }

    private record Table(List<Form<?>> forms, WireShapes shapes) {
        <T extends Record> void row(int classId, String name, Class<T> type) {
            WireShape<T> shape = shapes.of(type);
            forms.add(new Form<>(classId, name, type, 1, shape::write, (in, version) -> shape.read(in)));
        }
    }
}
