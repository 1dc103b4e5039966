package dev.switchboard.delivery;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What actors tell a terminal. Delivery to a terminal is at most once: entries carry {@code prev}, the seq before them
 * that the receiver may see, so a terminal that finds a gap reads it from the {@code EntryLog}, where every pushed
 * entry already is.
 */
public sealed interface TerminalPush {
    /** A new entry. {@code prev} is the seq before it that this receiver may see; 0 for the first. */
    record EntryPush(String conv, Entry entry, long prev) implements TerminalPush {}

    /**
     * The terminal is attached.
     *
     * @param ref the conversation: watch it, and attach again when it ends
     * @param view the conversation as this receiver sees it
     * @param after the seq from which the receiver continues: what it asked for, or its delivered watermark
     * @param anew true when it asked for more than there is, or for what is gone: the client must reload
     * @param missed the entries after {@code after}, if all are in memory; null: read them from the journal
     * @param holdFrom from which seq on nothing is to be sent for now; 0 for no bound
     * @param attempt the number of the attempt at the entry before {@code holdFrom}, if one is under way
     */
    record Attached(
            ActorRef<ConversationCommand> ref,
            ConversationView view,
            long after,
            boolean anew,
            List<EntryPush> missed,
            long holdFrom,
            int attempt)
            implements TerminalPush {
        /** An answer without a hold. */
        public Attached(
                ActorRef<ConversationCommand> ref,
                ConversationView view,
                long after,
                boolean anew,
                List<EntryPush> missed) {
            this(ref, view, after, anew, missed, 0, 1);
        }
    }

    /**
     * How far this receiver's terminals may go, since an entry was refused.
     *
     * @param from nothing from this seq on may be sent for now; 0: no bound any more
     * @param lastSeq the last seq that may be sent
     * @param attempt the number of the attempt at the entry before {@code from}, if one is under way
     * @param passed an entry that is given up: the terminal that refused it goes on behind it; 0 for none
     */
    record Hold(String conv, long from, long lastSeq, int attempt, long passed) implements TerminalPush {}

    /**
     * An entry that the terminal has left behind is to be sent to it once more, out of its turn. One that it has not come
     * to is sent in its turn, unless {@code always}: then nothing holds the terminal up there.
     */
    record Again(String conv, long seq, int attempt, boolean always) implements TerminalPush {}

    /** What became of one of this person's own messages. {@code reason} may be null. */
    record MessageState(String conv, String clientMsgId, long seq, String state, int attempt, String reason)
            implements TerminalPush {}

    /** The terminal may not attach, or the conversation doesn't exist. */
    record AttachRefused(String conv, Refusal refusal) implements TerminalPush {}

    /** The terminal is no longer entitled to the conversation and is detached: ownership ended. */
    record LetGo(String conv, String reason) implements TerminalPush {}

    /** An offer to this terminal's agent. */
    record OfferMade(String offer, String conv, Instant deadline, Preview preview) implements TerminalPush {}

    /** What an agent may see of a conversation before it is the owner. {@code text} is {@link #cut}. */
    record Preview(String customer, String queue, String text, Instant since, Map<String, String> attributes) {
        private static final int MAX_CHARS = 200;

        /** The beginning of a text, at most 200 characters and never half of a surrogate pair. */
        public static String cut(String text) {
            if (text.length() <= MAX_CHARS) {
                return text;
            }
            boolean splits = Character.isHighSurrogate(text.charAt(MAX_CHARS - 1));
            return text.substring(0, splits ? MAX_CHARS - 1 : MAX_CHARS);
        }
    }

    /** An offer is over: {@code accepted}, {@code declined}, {@code timeout}, {@code taken}, {@code withdrawn}. */
    record OfferOver(String offer, String conv, String reason) implements TerminalPush {}

    /** The customer's place in line. {@code etaLow} and {@code etaHigh} are seconds, −1 when not known. */
    record Queued(String conv, int position, long etaLow, long etaHigh) implements TerminalPush {}

    /** How far somebody else got. */
    record Receipt(String conv, Person by, Watermark watermark) implements TerminalPush {}

    /** Somebody else is typing. */
    record Typing(String conv, Person from) implements TerminalPush {}

    /** Somebody else is there, or no longer there. */
    record Presence(String conv, Person who, boolean online) implements TerminalPush {}

    /** The desk answers an attaching terminal: watch it, and attach again when it ends. */
    record DeskAttached(ActorRef<DeskCommand> ref, DeskView view) implements TerminalPush {}

    /** The desk can't be read; the terminal may ask again after a while. */
    record DeskRefused(Refusal refusal) implements TerminalPush {}

    /** The desk's agent owns this conversation, or its actor has just come back: attach to it. */
    record TakeUp(String conv) implements TerminalPush {}

    /** Another socket of the same person took this terminal's name: end. */
    record Replaced() implements TerminalPush {}
}
