package dev.switchboard.delivery;

import dev.switchboard.conversation.ConversationCommand.RetryLetter;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.ports.BulkRetries;
import dev.switchboard.ports.BulkRetries.Item;
import dev.switchboard.ports.BulkRetries.Job;
import dev.switchboard.ports.BulkRetries.Turn;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

/**
 * Carries out one bulk retry and stops when it is finished. One for each job on the node of the singleton. It goes in rounds:
 * read the next letters, ask their conversations, note what came of it, take over what became of earlier ones, wait for the
 * pace. It knows nothing that isn't in the database, but for how often a conversation didn't answer: so it can be ended
 * anywhere. A round that is done again asks with the same key, which a letter carries out once.
 */
final class BulkRetry extends AbstractBehavior<BulkRetry.Command> {
    sealed interface Command {}

    private record Round() implements Command {}

    private record Read(List<Item> items) implements Command {}

    private record Asked(List<Answer> answers) implements Command {}

    private record Settled(Job job) implements Command {}

    private record Failed(Throwable cause) implements Command {}

    private record Answer(Item item, ConversationReply reply) {}

    /** How many rounds a second at most. */
    private static final int ROUNDS = 10;

    /** How often it looks at what became of letters when there are none to send. */
    private static final Duration SETTLE_EVERY = Duration.ofMillis(250);

    /** How often a conversation may leave a request unanswered before the letter has failed. */
    private static final int TRIES = 5;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final TimerScheduler<Command> timers;
    private final Job job;
    private final BulkRetries retries;
    private final Gateway gateway;
    private final InstantSource clock;
    private final int atOnce;
    private final Duration every;
    private final Map<Integer, Integer> tries = new HashMap<>();
    private long roundBegan;
    private boolean asksAgain;
    private boolean sends;
    private Duration pause = SETTLE_EVERY;

    private BulkRetry(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            Job job,
            BulkRetries retries,
            Gateway gateway,
            InstantSource clock) {
        super(context);
        this.timers = timers;
        this.job = job;
        this.retries = retries;
        this.gateway = gateway;
        this.clock = clock;
        atOnce = Math.max(1, job.pace() / ROUNDS);
        every = Duration.ofSeconds(1).multipliedBy(atOnce).dividedBy(job.pace());
        context.getSelf().tell(new Round());
    }

    static Behavior<Command> create(Job job, BulkRetries retries, Gateway gateway, InstantSource clock) {
        return Behaviors.setup(context ->
                Behaviors.withTimers(timers -> new BulkRetry(context, timers, job, retries, gateway, clock)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Round.class, this::round)
                .onMessage(Read.class, this::read)
                .onMessage(Asked.class, this::asked)
                .onMessage(Settled.class, this::settled)
                .onMessage(Failed.class, this::failed)
                .build();
    }

    private Behavior<Command> round(Round now) {
        roundBegan = System.nanoTime();
        getContext()
                .pipeToSelf(
                        retries.next(job.id(), atOnce),
                        (items, failure) -> failure == null ? new Read(items) : new Failed(failure));
        return this;
    }

    private Behavior<Command> read(Read read) {
        sends = !read.items().isEmpty();
        asksAgain = false;
        if (!sends) {
            return settle(retries.settle(job.id(), clock.instant()));
        }
        CompletableFuture<List<Answer>> all = CompletableFuture.completedFuture(List.of());
        for (Item item : read.items()) {
            // The job's id is the request's: asked twice, a letter is sent once.
            CompletableFuture<Answer> one = gateway.conversation(
                            item.conv(),
                            job.by().person(),
                            replyTo -> new RetryLetter(job.by(), item.letter(), job.id(), replyTo))
                    .thenApply(reply -> new Answer(item, reply))
                    .toCompletableFuture();
            all = all.thenCombine(one, (before, answer) -> {
                List<Answer> both = new ArrayList<>(before);
                both.add(answer);
                return both;
            });
        }
        getContext().pipeToSelf(all, (answers, failure) -> failure == null ? new Asked(answers) : new Failed(failure));
        return this;
    }

    private Behavior<Command> asked(Asked asked) {
        List<Turn> turns = new ArrayList<>(asked.answers().size());
        for (Answer answer : asked.answers()) {
            Item item = answer.item();
            if (!(answer.reply() instanceof ConversationReply.Refused refused)
                    || refused.refusal().code() == ErrorCode.NOT_FOUND) {
                // Also what isn't open any more: the letter's row says what became of it.
                turns.add(new Turn(item.place(), null));
                tries.remove(item.place());
            } else if (refused.refusal().code().retryable() && tries.merge(item.place(), 1, Integer::sum) < TRIES) {
                asksAgain = true;
            } else {
                turns.add(new Turn(item.place(), refused.refusal().code().wireName()));
                tries.remove(item.place());
            }
        }
        CompletionStage<Void> noted = turns.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : retries.took(job.id(), turns, clock.instant());
        return settle(noted.thenCompose(done -> retries.settle(job.id(), clock.instant())));
    }

    private Behavior<Command> settle(CompletionStage<Optional<Job>> settled) {
        getContext()
                .pipeToSelf(
                        settled,
                        (now, failure) -> failure == null ? new Settled(now.orElse(null)) : new Failed(failure));
        return this;
    }

    private Behavior<Command> settled(Settled settled) {
        Job now = settled.job();
        if (now == null || now.isFinished()) {
            if (now != null) {
                getContext()
                        .getLog()
                        .info(
                                "Bulk retry {} of {} is {}: {}",
                                now.id(),
                                now.by().person(),
                                now.state(),
                                now.progress());
            }
            return Behaviors.stopped();
        }
        if (asksAgain) {
            return again();
        }
        pause = SETTLE_EVERY;
        Duration took = Duration.ofNanos(System.nanoTime() - roundBegan);
        Duration rest = sends ? every.minus(took) : SETTLE_EVERY;
        timers.startSingleTimer(new Round(), rest.isNegative() ? Duration.ZERO : rest);
        return this;
    }

    private Behavior<Command> failed(Failed failed) {
        getContext()
                .getLog()
                .warn(
                        "Bulk retry {} can't go on now; next try in {}: {}",
                        job.id(),
                        pause,
                        failed.cause().toString());
        return again();
    }

    private Behavior<Command> again() {
        timers.startSingleTimer(new Round(), pause);
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        return this;
    }
}
