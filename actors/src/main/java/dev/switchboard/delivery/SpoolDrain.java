package dev.switchboard.delivery;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.Describe;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationCommand.TellSender;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.delivery.SpoolLines.Turn;
import dev.switchboard.delivery.TerminalPush.MessageState;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.SpooledPost;
import dev.switchboard.ports.Storage;
import dev.switchboard.routing.Peers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what is in the spool, as soon as the journal is back: of each sender one post at a time and in order, of
 * different senders many at once. Thread-safe; never blocks.
 *
 * <p>A post is sent as a repeat under its own id, so the conversation accepts it once, however often it is sent and
 * whatever became of the first time. It leaves the spool only when its outcome is known; a node that ends before that
 * sends it again after its start.
 *
 * <p>Too old is a post only if it was not written after all, which is looked up behind everything that was sent to its
 * conversation before.
 */
final class SpoolDrain {
    private static final Logger LOG = LoggerFactory.getLogger(SpoolDrain.class);

    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(2);
    private static final int SLOWEST_PROBE = 8;
    private static final long REST_MIN_NANOS = Duration.ofMillis(250).toNanos();
    private static final long REST_MAX_NANOS = Duration.ofSeconds(4).toNanos();

    /** What says nothing about the post itself: it is tried again. */
    private static final Set<ErrorCode> TRY_AGAIN = Set.of(
            ErrorCode.JOURNAL_UNAVAILABLE,
            ErrorCode.TIMEOUT,
            ErrorCode.OVERLOAD,
            ErrorCode.QUEUE_FULL,
            ErrorCode.RATE_LIMITED,
            ErrorCode.SHUTTING_DOWN,
            ErrorCode.INTERNAL);

    /** Sends to a conversation, past the spool. */
    @FunctionalInterface
    interface Delivery {
        CompletionStage<ConversationReply> send(
                String conv, Person sender, Function<ActorRef<ConversationReply>, ConversationCommand> request);
    }

    /** What became of a turn. */
    private sealed interface Outcome {
        record Accepted(String conv, long seq) implements Outcome {}

        record Refused(String reason) implements Outcome {}

        /** Nothing is known yet. */
        record Later() implements Outcome {}

        /** The spool holds it no more: it was erased. */
        record Gone() implements Outcome {}
    }

    private final Spooling spooling;
    private final SpoolLines lines;
    private final Spool spool;
    private final SpoolSettings settings;
    private final Storage storage;
    private final Peers peers;
    private final Delivery delivery;
    private final Function<String, CompletionStage<Boolean>> known;
    private final Clock clock;
    private final Executor executor;

    // Guarded by this.
    private int underWay;
    private boolean probing;
    private boolean away = true;
    private int failedProbes;
    private long nextProbeNanos = System.nanoTime();

    SpoolDrain(
            Spooling spooling,
            SpoolSettings settings,
            Storage storage,
            Peers peers,
            Delivery delivery,
            Function<String, CompletionStage<Boolean>> known,
            Clock clock,
            Executor executor) {
        this.spooling = spooling;
        this.lines = spooling.lines();
        this.spool = storage.spool();
        this.settings = settings;
        this.storage = storage;
        this.peers = peers;
        this.delivery = delivery;
        this.known = known;
        this.clock = clock;
        this.executor = executor;
    }

    /** Looks what is to be done. Called again and again. */
    void tick() {
        synchronized (this) {
            if (lines.isEmpty()) {
                if (!probing) {
                    away = true;
                    failedProbes = 0;
                    nextProbeNanos = System.nanoTime();
                    spooling.journalAway(false);
                }
                return;
            }
            if (away && !probing && System.nanoTime() - nextProbeNanos >= 0) {
                probing = true;
                CompletableFuture<Boolean> unused = storage.deadlines()
                        .due(Instant.EPOCH, 1)
                        .thenApply(rows -> true)
                        .toCompletableFuture()
                        .copy()
                        .completeOnTimeout(false, PROBE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                        .whenCompleteAsync((answered, failure) -> probed(failure == null && answered), executor);
            }
        }
        drain();
    }

    private void probed(boolean back) {
        synchronized (this) {
            probing = false;
            away = !back;
            if (back) {
                failedProbes = 0;
            } else {
                int factor = Math.min(SLOWEST_PROBE, 1 << Math.min(failedProbes++, 16));
                nextProbeNanos = System.nanoTime() + settings.probeEvery().toNanos() * factor;
            }
            spooling.journalAway(!back);
        }
        drain();
    }

    private void drain() {
        while (true) {
            Turn turn;
            synchronized (this) {
                if (away || underWay >= settings.drainParallel()) {
                    return;
                }
                turn = lines.take(System.nanoTime());
                if (turn == null) {
                    return;
                }
                underWay++;
            }
            spool.read(turn.item().number())
                    .thenComposeAsync(post -> post.isEmpty() ? outcome(new Outcome.Gone()) : send(post.get()), executor)
                    .exceptionally(failure -> {
                        LOG.warn("A post of the spool could not be sent; it is tried again", failure);
                        return new Outcome.Later();
                    })
                    .whenCompleteAsync((outcome, failure) -> ended(turn, outcome), executor);
        }
    }

    private CompletionStage<Outcome> send(SpooledPost post) {
        if (post.at().plus(settings.maxAge()).isBefore(clock.instant())) {
            return lookFor(post);
        }
        if (!post.lookUp()) {
            return deliver(post);
        }
        return known.apply(post.conv())
                .thenCompose(exists ->
                        exists ? deliver(post) : outcome(new Outcome.Refused(ErrorCode.NOT_FOUND.wireName())));
    }

    private CompletionStage<Outcome> deliver(SpooledPost post) {
        return delivery.send(
                        post.conv(),
                        post.sender(),
                        ref -> new Post(
                                post.by(),
                                post.sender(),
                                post.queue(),
                                post.clientMsgId(),
                                post.body(),
                                post.after(),
                                true,
                                0,
                                post.viaSocket(),
                                ref))
                .thenApply(SpoolDrain::outcomeOf);
    }

    private static Outcome outcomeOf(ConversationReply reply) {
        if (reply instanceof ConversationReply.Done done) {
            return new Outcome.Accepted(done.conv(), done.seq());
        }
        if (reply instanceof ConversationReply.Refused refused
                && !TRY_AGAIN.contains(refused.refusal().code())) {
            return new Outcome.Refused(refused.refusal().code().wireName());
        }
        return new Outcome.Later();
    }

    /** Whether a post that is too old to be sent was written the first time. */
    private CompletionStage<Outcome> lookFor(SpooledPost post) {
        return delivery.send(post.conv(), post.sender(), ref -> new Describe(post.by(), ref))
                .thenCompose(reply -> {
                    Refusal no = reply instanceof ConversationReply.Refused refused ? refused.refusal() : null;
                    if (no != null && TRY_AGAIN.contains(no.code())) {
                        return outcome(new Outcome.Later());
                    }
                    return storage.entryLog()
                            .findRequest(post.conv(), post.sender(), post.clientMsgId())
                            .thenApply(found -> found.<Outcome>map(
                                            request -> new Outcome.Accepted(post.conv(), request.seq()))
                                    .orElse(new Outcome.Refused("too-old")));
                });
    }

    private void ended(Turn turn, Outcome outcome) {
        CompletionStage<Done> kept = CompletableFuture.completedFuture(Done.getInstance());
        MessageState state = null;
        if (outcome instanceof Outcome.Accepted accepted) {
            kept = spool.accepted(turn.item().number());
            state = state(turn, accepted.conv(), accepted.seq(), "accepted", null);
        } else if (outcome instanceof Outcome.Refused refused) {
            kept = spool.refused(turn.item().number(), refused.reason());
            state = state(turn, turn.key().conv(), 0, "refused", refused.reason());
        }
        MessageState told = state;
        // A spool that can't note it down sends the post again after the next start, as a repeat.
        kept.whenCompleteAsync((done, failure) -> settled(turn, outcome instanceof Outcome.Later, told), executor);
    }

    private void settled(Turn turn, boolean later, MessageState state) {
        if (state != null) {
            // Before it leaves its line: from now on it is known as accepted.
            spooling.settled(turn.key(), state);
            peers.conversation(state.conv(), new TellSender(state));
        }
        if (later) {
            lines.rest(turn.key(), System.nanoTime(), REST_MIN_NANOS, REST_MAX_NANOS);
        } else {
            lines.remove(turn.key(), turn.item());
        }
        synchronized (this) {
            underWay--;
            if (later && !probing) {
                // Is it this conversation alone? The probe tells.
                away = true;
                nextProbeNanos = System.nanoTime();
            }
        }
        tick();
    }

    private static MessageState state(Turn turn, String conv, long seq, String state, String reason) {
        return new MessageState(conv, turn.item().clientMsgId(), seq, state, turn.attempt(), reason);
    }

    private static CompletionStage<Outcome> outcome(Outcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }
}
