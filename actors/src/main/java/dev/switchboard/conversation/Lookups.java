package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.LookedUp;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.ports.EntryLog;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Questions to the journal about requests that memory no longer knows. Stateless. */
final class Lookups {
    private Lookups() {}

    /** Whether a post that may be a late repeat is there already, and whether the one before it is. */
    static CompletionStage<LookedUp> of(EntryLog log, String conv, Post post) {
        CompletionStage<Optional<RequestRecord>> itself = log.findRequest(conv, post.sender(), post.clientMsgId());
        CompletionStage<Boolean> before = post.after() == null
                ? CompletableFuture.completedFuture(true)
                : log.findRequest(conv, post.sender(), post.after()).thenApply(Optional::isPresent);
        return itself.thenCombine(before, (known, accepted) -> new LookedUp(post, known, accepted, false));
    }
}
