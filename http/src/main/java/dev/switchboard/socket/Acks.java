package dev.switchboard.socket;

import dev.switchboard.conversation.ConversationCommand;
import java.time.Duration;
import java.time.Instant;

/**
 * The client's acks and reads on their way to the conversations. Not thread-safe; lives in the connection's stage.
 * Those that arrive together are told together: they are cumulative. That a client has its own person's entries is news
 * to nobody: it is told with the next ack of somebody else's entry, with a heartbeat, or at the end.
 */
final class Acks {
    private final TerminalPort port;
    private final SocketContext context;
    private final Terminal terminal;
    private final Attachments attachments;
    private boolean armed;

    Acks(TerminalPort port, SocketContext context, Terminal terminal, Attachments attachments) {
        this.port = port;
        this.context = context;
        this.terminal = terminal;
        this.attachments = attachments;
    }

    /** What came of a client's ack. */
    enum Outcome {
        TAKEN,
        BAD,
        NOT_ATTACHED
    }

    /** The client has, or has read, everything up to {@code seq}. */
    Outcome ack(String conv, long seq, boolean read) {
        Attachment attachment = attachments.find(conv);
        if (attachment == null) {
            return Outcome.NOT_ATTACHED;
        }
        if (seq == attachment.again) {
            attachment.again = 0;
            context.services()
                    .peers()
                    .conversation(conv, new ConversationCommand.Taken(terminal.principal(), seq, context.ignored()));
            if (seq > attachment.have) {
                return Outcome.TAKEN;
            }
        }
        if (seq > attachment.have) {
            return Outcome.BAD;
        }
        if (attachment.watcher) {
            return Outcome.TAKEN;
        }
        attachment.taken = Math.max(attachment.taken, seq);
        boolean moves = false;
        if (seq > attachment.acked) {
            moves = attachment.othersUpTo > attachment.acked;
            attachment.acked = seq;
            attachment.ackDue = true;
            Instant timed = attachment.timedUntil(seq);
            if (timed != null) {
                context.figures()
                        .flow()
                        .acknowledged(Duration.between(timed, Instant.now()).toNanos());
            }
        }
        if (read && seq > attachment.read) {
            moves |= attachment.othersUpTo > attachment.read;
            attachment.read = seq;
            attachment.readDue = true;
        }
        if (moves) {
            arm();
        }
        return Outcome.TAKEN;
    }

    /** Acks that arrived together are told together. */
    void arm() {
        if (!armed) {
            armed = true;
            port.afterwards(this::flushAll);
        }
    }

    private void flushAll() {
        armed = false;
        flushNow();
    }

    /** Tells all that is due. */
    void flushNow() {
        for (Attachment attachment : attachments.all()) {
            flush(attachment);
        }
    }

    /** Tells what is due of one conversation. */
    void flush(Attachment attachment) {
        if (attachment.state == Attachment.State.ENDING) {
            return;
        }
        // Reading implies having, so one command tells both where both end at the same seq.
        if (attachment.ackDue && !(attachment.readDue && attachment.read >= attachment.acked)) {
            ack(attachment, attachment.acked, false);
        }
        if (attachment.readDue && attachment.read > 0) {
            ack(attachment, attachment.read, true);
        }
        attachment.ackDue = false;
        attachment.readDue = false;
    }

    private void ack(Attachment attachment, long seq, boolean read) {
        ConversationCommand told = new ConversationCommand.Ack(terminal.principal(), seq, read, context.ignored());
        if (attachment.ref == null) {
            context.services().peers().conversation(attachment.conv, told);
        } else {
            attachment.ref.tell(told);
        }
    }
}
