package dev.switchboard.delivery;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * How sockets and HTTP calls ask entities. Thread-safe; never blocks. An unanswered request is repeated with the same
 * id until {@code switchboard.gateway.deadline}; stages never fail, they end with a {@code Refused} (code
 * {@code timeout}, {@code overload}, …).
 */
public interface Gateway {
    /**
     * Asks a conversation. Requests of one (conversation, sender) go one at a time, in the order of the calls, so that
     * a repeat can't overtake a later one; different senders don't wait for each other. A {@code Moved} is followed.
     *
     * <p>The conversation is not looked up first: for those that must exist use {@link #known}.
     */
    default CompletionStage<ConversationReply> conversation(
            String conv, Person sender, Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        return conversation(conv, null, sender, request);
    }

    /**
     * The same where the caller watches the conversation's actor: the request goes to it first, without the way through
     * its shard; repeats go by id, wherever the conversation is then. {@code at} may be null.
     */
    CompletionStage<ConversationReply> conversation(
            String conv,
            ActorRef<ConversationCommand> at,
            Person sender,
            Function<ActorRef<ConversationReply>, ConversationCommand> request);

    /**
     * Asks with a post of which nobody can say now whether its conversation exists, since the directory doesn't answer:
     * a customer's is spooled where there is a spool, any other is refused.
     */
    default CompletionStage<ConversationReply> unseen(
            String conv, Person sender, Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        return CompletableFuture.completedFuture(
                ConversationReply.Refused.of(ErrorCode.JOURNAL_UNAVAILABLE, "The database can't answer now."));
    }

    /** What goes to the spool of this node; empty where nothing does. */
    default Optional<Spooling> spooling() {
        return Optional.empty();
    }

    /** True when the directory knows the conversation; fails when the directory can't answer now. */
    CompletionStage<Boolean> known(String conv);

    CompletionStage<DeskReply> desk(String agent, Function<ActorRef<DeskReply>, DeskCommand> request);

    /** Empty when the line didn't answer in time. */
    CompletionStage<Optional<LineReply>> line(String queue, Function<ActorRef<LineReply>, LineCommand> request);
}
