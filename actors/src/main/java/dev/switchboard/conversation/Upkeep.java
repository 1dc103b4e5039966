package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.StorageErased;
import dev.switchboard.conversation.ConversationReply.Erased;
import dev.switchboard.ports.Eraser;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries a conversation's erasure on into the storage, and answers those who asked for it. Not thread-safe: its
 * conversation's actor alone uses it. What is owed is in the conversation's state ({@link Past}); here is only what runs.
 *
 * <pre>
 * asked (persisted) → running → carried out (persisted)
 *                     ↑      ↓
 *                     failed: again after a pause that doubles
 * </pre>
 *
 * <p>After a restart it is asked again, and the storage does it again: that changes nothing that was done.
 */
final class Upkeep {
    /** Who does what to content, and when: one line each, never with content. */
    private static final Logger AUDIT = LoggerFactory.getLogger("dev.switchboard.audit");

    private static final Duration RETRY_MIN = Duration.ofSeconds(1);
    private static final Duration RETRY_MAX = Duration.ofMinutes(1);

    /** How long an answer may wait for the storage; below the gateway's deadline. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);

    private static final int MAX_WAITING = 64;

    private record Waiting(ActorRef<ConversationReply> replyTo, long marker, boolean duplicate, Instant until) {}

    private final String conv;
    private final Eraser eraser;
    private final List<Waiting> waiting = new ArrayList<>(0);
    private boolean running;
    private Duration pause = RETRY_MIN;
    private Instant retryAt = Instant.MIN;

    Upkeep(String conv, Eraser eraser) {
        this.conv = conv;
        this.eraser = eraser;
    }

    /** Begins what the state owes, unless it runs or pauses; answers those who have waited long enough. */
    void run(ActorContext<ConversationCommand> context, ConversationState state, Instant now) {
        answer(state, now);
        Past past = state.log().past();
        if (!past.erasing() || running || now.isBefore(retryAt)) {
            return;
        }
        running = true;
        long marker = past.erasedAt();
        context.pipeToSelf(
                past.reducing() ? eraser.reduce(conv, marker) : eraser.erase(conv, marker),
                (done, failure) -> new StorageErased(marker, failure));
    }

    /** After the actor came back it can't know what became of what ran. */
    void restart(ActorContext<ConversationCommand> context, ConversationState state, Instant now) {
        running = false;
        retryAt = Instant.MIN;
        run(context, state, now);
    }

    /** Takes the storage's answer; true when that ends the erasure. */
    boolean ended(ConversationState state, StorageErased answer, Instant now) {
        running = false;
        if (answer.failure() != null) {
            retryAt = now.plus(pause);
            AUDIT.warn(
                    "the erasure of {} before {} is not complete; next try in {}: {}",
                    conv,
                    answer.marker(),
                    pause,
                    answer.failure().toString());
            Duration twice = pause.multipliedBy(2);
            pause = twice.compareTo(RETRY_MAX) > 0 ? RETRY_MAX : twice;
            return false;
        }
        pause = RETRY_MIN;
        retryAt = Instant.MIN;
        Past past = state.log().past();
        return past.erasing() && past.erasedAt() == answer.marker();
    }

    /** Says what was persisted, for the audit. */
    void persisted(ConversationState state, ConversationEvent.Erased event) {
        if (event.isCarriedOut()) {
            AUDIT.info(
                    "erased {} before {}: carried out", conv, state.log().past().erasedAt());
        } else {
            AUDIT.info(
                    "erased {} before {}: asked by {}",
                    conv,
                    event.entry().seq(),
                    event.by() == null ? "its age" : event.by());
        }
    }

    /** Answers when it is complete, or after a while that it will be. */
    void await(
            ConversationState state, ActorRef<ConversationReply> replyTo, long marker, boolean duplicate, Instant now) {
        if (waiting.size() < MAX_WAITING) {
            waiting.add(new Waiting(replyTo, marker, duplicate, now.plus(ANSWER_WITHIN)));
        } else {
            replyTo.tell(new Erased(conv, marker, isComplete(state, marker), duplicate));
        }
        answer(state, now);
    }

    private void answer(ConversationState state, Instant now) {
        waiting.removeIf(each -> {
            boolean complete = isComplete(state, each.marker());
            boolean over = complete || !now.isBefore(each.until());
            if (over) {
                each.replyTo().tell(new Erased(conv, each.marker(), complete, each.duplicate()));
            }
            return over;
        });
    }

    private static boolean isComplete(ConversationState state, long marker) {
        // A later erasure takes what an earlier one has left: both are complete when the later one is.
        return marker <= state.log().past().erasedAt() && !state.log().past().erasing();
    }

    boolean isOwed(ConversationState state) {
        return state.log().past().erasing();
    }

    /** When {@link #run} has something next; {@link Instant#MAX} when it hasn't. */
    Instant next(ConversationState state) {
        Instant next = isOwed(state) && !running ? retryAt : Instant.MAX;
        for (Waiting each : waiting) {
            next = Timetable.earlier(next, each.until());
        }
        return next;
    }
}
