package dev.switchboard.socket;

import dev.switchboard.api.JsonFields;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import java.util.regex.Pattern;

/**
 * Entries that this terminal can't take. Not thread-safe; lives in the connection's stage. The terminal goes back to before
 * the entry at once and waits there; the conversation counts the attempt and says when the entry comes again, or that it is
 * given up ({@link EntryFlow#onHold}).
 */
final class Nacks {
    /** The code of a refusal because the entry can't be put into the client's form. */
    static final String CONVERSION = "conversion";

    private static final Pattern CODE = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    private static final int MAX_REASON_BYTES = 512;
    private static final int MAX_REASON_CHARS = 128;

    private final TerminalPort port;
    private final SocketContext context;
    private final Attachments attachments;
    private final Terminal terminal;
    private final Requests requests;
    private final Readings readings;

    Nacks(
            TerminalPort port,
            SocketContext context,
            Attachments attachments,
            Terminal terminal,
            Requests requests,
            Readings readings) {
        this.port = port;
        this.context = context;
        this.attachments = attachments;
        this.terminal = terminal;
        this.requests = requests;
        this.readings = readings;
    }

    void nack(String id, JsonFields frame) {
        String conv = RequestFields.conv(frame);
        long seq = frame.requiredInteger("seq", 1, RequestFields.MAX_SEQ);
        String code = frame.requiredMatching("code", CODE);
        String reason = frame.text("reason", MAX_REASON_BYTES);
        Attachment attachment = attachments.find(conv);
        if (attachment == null || attachment.state == Attachment.State.ENDING) {
            readings.explainNoAck(id, conv, seq);
            return;
        }
        if (attachment.watcher || (attachment.again != seq && attachment.isBehindRefused(seq))) {
            requests.sendReply(id, () -> terminal.frames().reply(id));
            return;
        }
        // What was given up, or is at another terminal, this one may not be able to take: it goes on behind it.
        if (attachment.again != seq && (seq > attachment.have || seq <= attachment.taken)) {
            throw Readings.badAck(conv, seq);
        }
        refuse(attachment, seq, code, reason, id);
    }

    /** The client's form has no room for the entry. */
    void cantConvert(Attachment attachment, long seq, String code, String reason) {
        String cut = reason.length() <= MAX_REASON_CHARS ? reason : reason.substring(0, MAX_REASON_CHARS);
        refuse(attachment, seq, code, cut, null);
    }

    private void refuse(Attachment attachment, long seq, String code, String reason, String id) {
        boolean outOfTurn = attachment.again == seq;
        int attempt = outOfTurn ? attachment.againAttempt : attachment.attemptAt(seq);
        if (outOfTurn) {
            attachment.again = 0;
        } else {
            attachment.refuse(seq, terminal.principal().role().isStaff());
        }
        if (attachment.watcher) {
            return;
        }
        attachment.nacking++;
        requests.begin(null);
        port.pipe(
                context.services()
                        .gateway()
                        .conversation(
                                attachment.conv,
                                attachment.ref,
                                terminal.principal().person(),
                                ref -> new ConversationCommand.Nack(
                                        terminal.principal(), terminal.name(), seq, attempt, code, reason, ref)),
                (reply, failure) -> {
                    attachment.nacking--;
                    if (reply instanceof ConversationReply.OfLetter) {
                        requests.sendReply(id, () -> terminal.frames().reply(id));
                    } else {
                        // Not counted: the conversation says anew how far this terminal may go.
                        attachments.askAgain(attachment);
                        requests.answer(id, reply, failure, null);
                    }
                    requests.settled(null);
                });
    }
}
