package dev.switchboard.socket;

import dev.switchboard.api.AccessCheck;
import dev.switchboard.api.History;
import dev.switchboard.auth.Authenticator;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.Standing;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What all sockets of a node share. Immutable; every part is thread-safe.
 *
 * @param ignored where answers go that nobody waits for
 * @param logId the id of this node's history; asked again while it could not be had
 * @param standing whether this node may still speak for its actors
 */
record SocketContext(
        SocketSettings settings,
        Services services,
        AccessCheck access,
        History history,
        Authenticator authenticator,
        SocketRegistry registry,
        SocketFigures figures,
        Admission admission,
        ServerFrames json,
        ServerFrames cbor,
        ActorRef<ConversationReply> ignored,
        Supplier<CompletionStage<String>> logId,
        Standing standing) {
    ServerFrames frames(Subprotocol subprotocol) {
        return subprotocol == Subprotocol.JSON ? json : cbor;
    }
}
