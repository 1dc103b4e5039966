package dev.switchboard.api;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Services;
import dev.switchboard.ports.Directory.AgentRow;
import dev.switchboard.ports.Directory.ConversationRow;
import dev.switchboard.ports.StorageUnavailableException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * What the groups of calls share. Thread-safe; never blocks. Answers are made on {@code executor}, so that neither an
 * entity's lane nor a database thread writes JSON.
 */
record Edge(Services services, AccessCheck access, HttpSettings settings, Executor executor) {
    /** The directory's row of a conversation; the stage fails with not-found when there is none. */
    CompletionStage<ConversationRow> row(String conv) {
        return services.storage()
                .directory()
                .conversation(conv)
                .thenApply(row -> row.orElseThrow(() -> new RefusedException(ConversationCalls.notFound())));
    }

    /**
     * Asks a conversation that the directory knows to do something. Operators know that it exists, but take no part
     * in it.
     *
     * @param sender whose request it is: requests of one sender go in order
     */
    CompletionStage<HttpResponse> ask(
            Principal by,
            String conv,
            Person sender,
            Function<ActorRef<ConversationReply>, ConversationCommand> request,
            Function<ConversationReply, HttpResponse> answer) {
        return services.gateway().known(conv).thenCompose(known -> {
            requireKnown(by, known);
            return askKnown(conv, sender, request, answer);
        });
    }

    /**
     * The same for a post. While the directory can't say whether the conversation exists, a customer's may be spooled all
     * the same.
     */
    CompletionStage<HttpResponse> post(
            Principal by,
            String conv,
            Person sender,
            Function<ActorRef<ConversationReply>, ConversationCommand> request,
            Function<ConversationReply, HttpResponse> answer) {
        if (services.gateway().spooling().isEmpty()) {
            return ask(by, conv, sender, request, answer);
        }
        return services.gateway()
                .known(conv)
                .thenApply(Optional::of)
                .exceptionally(failure -> {
                    if (causeOf(failure) instanceof StorageUnavailableException) {
                        return Optional.empty();
                    }
                    throw failure instanceof CompletionException known ? known : new CompletionException(failure);
                })
                .thenCompose(known -> {
                    if (known.isEmpty()) {
                        return answered(services.gateway().unseen(conv, sender, request), answer);
                    }
                    requireKnown(by, known.get());
                    return askKnown(conv, sender, request, answer);
                });
    }

    private static Throwable causeOf(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static void requireKnown(Principal by, boolean known) {
        if (!known) {
            throw new RefusedException(ConversationCalls.notFound());
        }
        if (by.role() == Role.OPERATOR) {
            throw new RefusedException(Refusal.of(ErrorCode.FORBIDDEN, "an operator takes no part in conversations"));
        }
    }

    /** Asks a conversation without looking it up. A refusal is answered as a problem. */
    CompletionStage<HttpResponse> askKnown(
            String conv,
            Person sender,
            Function<ActorRef<ConversationReply>, ConversationCommand> request,
            Function<ConversationReply, HttpResponse> answer) {
        return answered(services.gateway().conversation(conv, sender, request), answer);
    }

    private CompletionStage<HttpResponse> answered(
            CompletionStage<ConversationReply> asked, Function<ConversationReply, HttpResponse> answer) {
        return asked.thenApplyAsync(
                reply -> reply instanceof ConversationReply.Refused refused
                        ? Answers.problem(refused.refusal())
                        : answer.apply(reply),
                executor);
    }

    /** The directory's row of an agent; empty unless it has a profile or has said hello. */
    CompletionStage<Optional<AgentRow>> agent(String agent) {
        return services.storage().directory().agent(agent);
    }

    static CompletionStage<HttpResponse> done(HttpResponse answer) {
        return CompletableFuture.completedFuture(answer);
    }

    static Refusal unknownAgent(String agent) {
        return Refusal.of(ErrorCode.UNKNOWN_AGENT, "There is no agent " + agent + ".")
                .withFact("agent", agent);
    }

    static Refusal unknownQueue(String queue) {
        return Refusal.of(ErrorCode.UNKNOWN_QUEUE, "There is no queue " + queue + ".")
                .withFact("queue", queue);
    }
}
