package dev.switchboard.socket;

import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import java.util.function.Supplier;

/** One terminal as its parts see it. Everything runs in the connection's stage. */
interface Terminal {
    /** Who is at the terminal, with the queues that count. */
    Principal principal();

    /** The terminal's name within the person. */
    String name();

    ServerFrames frames();

    /** True once the welcome has been sent, until the socket ends: entries may follow. */
    boolean isLive();

    /** Sends a push that is no entry. One that can't be put into the client's form is left out: it is no reason to end. */
    void tell(Supplier<byte[]> frame);

    /** An entry can't be put into the client's form: it counts as refused. */
    void refuse(Attachment attachment, long seq, String code, String reason);

    /** True while the entry answers a request of this client that has no reply yet. */
    boolean awaitsReply(Entry entry);

    /** A first attach was answered. */
    void attached(Attachment attachment, ConversationView view);

    /** A conversation refused an attach, and the attachment is gone. */
    void refused(String conv, Refusal refusal);
}
