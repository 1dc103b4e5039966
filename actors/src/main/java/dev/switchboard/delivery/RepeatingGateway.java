package dev.switchboard.delivery;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Storage;
import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import dev.switchboard.routing.Peers;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks entities through {@link Peers}, which deliver at most once, and repeats the same request to the same reply ref
 * until one answer comes or the deadline is over. Thread-safe; never blocks; nothing runs for a request but one timer
 * of Pekko's wheel, and one tick for all that looks for what to repeat.
 *
 * <p><b>Order.</b> Requests of one (conversation, sender) go through a lane of their own: the next is sent when the
 * one before has ended, so no repeat can overtake it. Lanes exist only while they hold something.
 *
 * <p><b>Spool.</b> Where there is one, it is asked at the head of a lane, before a request is sent and when it is answered
 * ({@link Spooling}); what comes from the spool goes through the lane too.
 *
 * <p><b>Bounds.</b> A lane beyond its bound, or a node beyond its own, refuses at once with {@code overload}.
 */
public final class RepeatingGateway implements Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(RepeatingGateway.class);
    private static final Duration TICK = Duration.ofMillis(250);
    private static final int MAX_MOVES = 3;
    private static final int MAX_KNOWN = 100_000;

    private record LaneKey(String conv, Person sender) {}

    /** A request that was sent and not answered. */
    private static final class Open {
        private final Runnable repeat;
        private final long deadlineNanos;
        private long nextNanos;
        private long intervalNanos;

        Open(Runnable repeat, long deadlineNanos, long nowNanos, long intervalNanos) {
            this.repeat = repeat;
            this.deadlineNanos = deadlineNanos;
            this.nextNanos = nowNanos + intervalNanos;
            this.intervalNanos = intervalNanos;
        }
    }

    /** How a request relates to the spool. */
    private enum Way {
        USUAL,
        /** Nobody could say whether the conversation exists. */
        UNSEEN,
        /** It comes from the spool. */
        PAST_SPOOL
    }

    /** A request of a lane. {@code at} is the conversation's actor where the caller knows it, else null. */
    private record Waiting(
            Way way,
            ActorRef<ConversationCommand> at,
            Function<ActorRef<ConversationReply>, ConversationCommand> request,
            long deadlineNanos,
            CompletableFuture<ConversationReply> answer) {}

    private final ActorSystem<?> system;
    private final Peers peers;
    private final Directory directory;
    private final GatewaySettings settings;
    private final ConcurrentHashMap<LaneKey, ArrayDeque<Waiting>> lanes = new ConcurrentHashMap<>();
    private final Set<Open> open = ConcurrentHashMap.newKeySet();
    private final Set<String> knownConversations = ConcurrentHashMap.newKeySet();
    private final AtomicInteger pending = new AtomicInteger();
    private final StallLog stalls = new StallLog();
    private final LongAdder refusedForAll = new LongAdder();
    private final LongAdder refusedForSender = new LongAdder();

    /** Null where nothing is spooled. */
    private volatile Spooling spooling;

    private RepeatingGateway(ActorSystem<?> system, Peers peers, Directory directory, GatewaySettings settings) {
        this.system = system;
        this.peers = peers;
        this.directory = directory;
        this.settings = settings;
    }

    /** A gateway whose tick runs as long as the system does. */
    public static RepeatingGateway start(
            ActorSystem<?> system, Peers peers, Directory directory, GatewaySettings settings) {
        RepeatingGateway gateway = new RepeatingGateway(system, peers, directory, settings);
        system.scheduler().scheduleWithFixedDelay(TICK, TICK, gateway::repeatDue, system.executionContext());
        return gateway;
    }

    /** How long conversations let requests wait. */
    public StallLog stalls() {
        return stalls;
    }

    /** How many requests are open, those that wait for another one included. For figures. */
    public int pending() {
        return pending.get();
    }

    /** How many requests were refused because the node had too many open. */
    public long refusedForAll() {
        return refusedForAll.sum();
    }

    /** How many requests were refused because too many of the same sender waited for the same conversation. */
    public long refusedForSender() {
        return refusedForSender.sum();
    }

    /** From now on customers' posts that can't be written go to the spool, and what is in it is sent. Called once. */
    Spooling useSpool(SpoolSettings spoolSettings, Storage storage, Clock clock) {
        Executor executor = system.executionContext();
        Spooling begun = new Spooling(storage.spool(), spoolSettings, clock, executor);
        SpoolDrain drain = new SpoolDrain(
                begun,
                spoolSettings,
                storage,
                peers,
                (conv, sender, request) -> enqueue(Way.PAST_SPOOL, conv, null, sender, request),
                this::known,
                clock,
                executor);
        spooling = begun;
        system.scheduler().scheduleWithFixedDelay(TICK, TICK, drain::tick, system.executionContext());
        return begun;
    }

    @Override
    public Optional<Spooling> spooling() {
        return Optional.ofNullable(spooling);
    }

    @Override
    public CompletionStage<ConversationReply> unseen(
            String conv, Person sender, Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        return spooling == null
                ? Gateway.super.unseen(conv, sender, request)
                : enqueue(Way.UNSEEN, conv, null, sender, request);
    }

    @Override
    public CompletionStage<ConversationReply> conversation(
            String conv,
            ActorRef<ConversationCommand> at,
            Person sender,
            Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        return enqueue(Way.USUAL, conv, at, sender, request);
    }

    private CompletionStage<ConversationReply> enqueue(
            Way way,
            String conv,
            ActorRef<ConversationCommand> at,
            Person sender,
            Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        if (!mayAsk()) {
            return CompletableFuture.completedFuture(new ConversationReply.Refused(overloaded()));
        }
        Waiting waiting = new Waiting(
                way, at, request, System.nanoTime() + settings.deadline().toNanos(), new CompletableFuture<>());
        LaneKey key = new LaneKey(conv, sender);
        // The head of a lane is the request that is under way.
        boolean[] first = new boolean[1];
        boolean[] full = new boolean[1];
        lanes.compute(key, (k, lane) -> {
            ArrayDeque<Waiting> queue = lane == null ? new ArrayDeque<>(2) : lane;
            first[0] = queue.isEmpty();
            full[0] = queue.size() >= settings.pendingPerSender();
            if (!full[0]) {
                queue.add(waiting);
            }
            return queue;
        });
        if (full[0]) {
            pending.decrementAndGet();
            refusedForSender.increment();
            return CompletableFuture.completedFuture(new ConversationReply.Refused(overloaded()));
        }
        if (first[0]) {
            send(key, waiting);
        }
        return waiting.answer();
    }

    private void send(LaneKey key, Waiting waiting) {
        CompletionStage<ConversationReply> spooled = instead(key, waiting);
        if (spooled != null) {
            spooled.whenComplete((reply, failure) -> finish(key, waiting, reply));
            return;
        }
        if (System.nanoTime() - waiting.deadlineNanos() >= 0) {
            conclude(
                    key,
                    waiting,
                    timedOut("The request waited too long for the sender's earlier ones and was not sent."));
            return;
        }
        send(key, key.conv(), waiting, 0);
    }

    private void send(LaneKey key, String conv, Waiting waiting, int moves) {
        Consumer<ConversationCommand> byId = command -> peers.conversation(conv, command);
        Consumer<ConversationCommand> first = waiting.at() == null || moves > 0 ? byId : waiting.at()::tell;
        this.<ConversationCommand, ConversationReply>ask(
                waiting.request(), first, byId, waiting.deadlineNanos(), reply -> {
                    if (reply instanceof ConversationReply.Moved moved && moves < MAX_MOVES) {
                        send(key, moved.successor(), waiting, moves + 1);
                    } else if (reply == null) {
                        conclude(
                                key,
                                waiting,
                                timedOut("The conversation did not answer in time; the outcome is not known."));
                    } else {
                        conclude(key, waiting, reply);
                    }
                });
    }

    /** The answer of the spool to a request that isn't to be sent; null: send it. */
    private CompletionStage<ConversationReply> instead(LaneKey key, Waiting waiting) {
        Spooling spool = spooling;
        if (spool == null || waiting.way() == Way.PAST_SPOOL) {
            return null;
        }
        if (waiting.way() == Way.UNSEEN) {
            return spool.unseen(key.conv(), waiting.request().apply(system.ignoreRef()));
        }
        return spool.isIdle()
                ? null
                : spool.instead(key.conv(), waiting.request().apply(system.ignoreRef()));
    }

    /** The request was answered, or its time is over: the spool may give another answer. */
    private void conclude(LaneKey key, Waiting waiting, ConversationReply reply) {
        Spooling spool = spooling;
        CompletionStage<ConversationReply> spooled = spool == null || waiting.way() == Way.PAST_SPOOL
                ? null
                : spool.afterwards(key.conv(), waiting.request().apply(system.ignoreRef()), reply);
        if (spooled == null) {
            finish(key, waiting, reply);
        } else {
            spooled.whenComplete((other, failure) -> finish(key, waiting, other));
        }
    }

    private void finish(LaneKey key, Waiting done, ConversationReply reply) {
        pending.decrementAndGet();
        stalls.answered(key.conv(), done.deadlineNanos() - settings.deadline().toNanos());
        Waiting[] next = new Waiting[1];
        lanes.computeIfPresent(key, (k, lane) -> {
            lane.remove(done);
            next[0] = lane.peek();
            return next[0] == null ? null : lane;
        });
        done.answer().complete(reply);
        if (next[0] != null) {
            // On another thread's stack: a long lane of requests that are out of time must not recurse.
            Waiting following = next[0];
            system.executionContext().execute(() -> send(key, following));
        }
    }

    @Override
    public CompletionStage<DeskReply> desk(String agent, Function<ActorRef<DeskReply>, DeskCommand> request) {
        CompletableFuture<DeskReply> answer = new CompletableFuture<>();
        if (!mayAsk()) {
            answer.complete(new DeskReply.Refused(overloaded()));
            return answer;
        }
        Consumer<DeskCommand> send = command -> peers.desk(agent, command);
        this.<DeskCommand, DeskReply>ask(request, send, send, deadlineNanos(), reply -> {
            pending.decrementAndGet();
            answer.complete(
                    reply != null
                            ? reply
                            : new DeskReply.Refused(Refusal.of(
                                    ErrorCode.TIMEOUT, "The desk of " + agent + " did not answer in time.")));
        });
        return answer;
    }

    @Override
    public CompletionStage<Optional<LineReply>> line(String queue, Function<ActorRef<LineReply>, LineCommand> request) {
        CompletableFuture<Optional<LineReply>> answer = new CompletableFuture<>();
        if (!mayAsk()) {
            answer.complete(Optional.empty());
            return answer;
        }
        Consumer<LineCommand> send = command -> peers.line(queue, command);
        this.<LineCommand, LineReply>ask(request, send, send, deadlineNanos(), reply -> {
            pending.decrementAndGet();
            answer.complete(Optional.ofNullable(reply));
        });
        return answer;
    }

    @Override
    public CompletionStage<Boolean> known(String conv) {
        if (!ConversationIds.isWellFormed(conv)) {
            return CompletableFuture.completedFuture(false);
        }
        if (knownConversations.contains(conv)) {
            return CompletableFuture.completedFuture(true);
        }
        Spooling spool = spooling;
        if (spool != null && spool.isJournalAway()) {
            // Reads would only wait for each other; whoever asks for a post has another way then.
            return CompletableFuture.failedFuture(new StorageUnavailableException("the database is away", null));
        }
        return directory.conversation(conv).thenApply(row -> {
            // A conversation that exists exists for ever, so this can be remembered.
            if (row.isPresent()) {
                if (knownConversations.size() >= MAX_KNOWN) {
                    knownConversations.clear();
                }
                knownConversations.add(conv);
            }
            return row.isPresent();
        });
    }

    // ---- asking and repeating ----

    /** Sends the request until it is answered; then, or with null at the deadline, tells the outcome once. */
    private <C, R> void ask(
            Function<ActorRef<R>, C> request,
            Consumer<C> first,
            Consumer<C> again,
            long deadlineNanos,
            Consumer<R> outcome) {
        long now = System.nanoTime();
        Open[] asked = new Open[1];
        CompletionStage<R> answer = AskPattern.<Object, R>ask(
                system.<Object>ignoreRef(),
                ref -> {
                    Runnable repeat = () -> again.accept(asRepeat(request.apply(ref)));
                    asked[0] = new Open(
                            repeat, deadlineNanos, now, settings.repeatAfter().toNanos());
                    open.add(asked[0]);
                    first.accept(request.apply(ref));
                    return ref;
                },
                Duration.ofNanos(Math.max(1_000_000, deadlineNanos - now)),
                system.scheduler());
        // With an executor of ours: without one, this stage would start a thread for each answer on a machine with two
        // processors, since that is what the JDK does where its common pool has a single worker. The answering actor's
        // own thread does it: a hop to another one costs more than what is done here, and callers hand on the rest.
        answer.whenCompleteAsync(
                (reply, failure) -> {
                    open.remove(asked[0]);
                    outcome.accept(reply);
                },
                Runnable::run);
    }

    /** A repeat says that it is one where the request has a word for it. */
    @SuppressWarnings("unchecked") // The copy is of the same class, which is C.
    private static <C> C asRepeat(C command) {
        if (command instanceof Post post && !post.repeat()) {
            return (C) new Post(
                    post.by(),
                    post.sender(),
                    post.queue(),
                    post.clientMsgId(),
                    post.body(),
                    post.after(),
                    true,
                    post.epoch(),
                    post.viaSocket(),
                    post.replyTo());
        }
        return command;
    }

    private void repeatDue() {
        long now = System.nanoTime();
        for (Open request : open) {
            if (now - request.nextNanos < 0 || now - request.deadlineNanos >= 0) {
                continue;
            }
            request.intervalNanos =
                    Math.min(request.intervalNanos * 2, settings.repeatAfter().toNanos() * 4);
            request.nextNanos = now + request.intervalNanos;
            try {
                request.repeat.run();
            } catch (RuntimeException e) {
                LOG.error("A request could not be repeated", e);
            }
        }
    }

    private boolean mayAsk() {
        if (pending.incrementAndGet() > settings.pendingTotal()) {
            pending.decrementAndGet();
            refusedForAll.increment();
            return false;
        }
        return true;
    }

    private long deadlineNanos() {
        return System.nanoTime() + settings.deadline().toNanos();
    }

    private static ConversationReply timedOut(String message) {
        return ConversationReply.Refused.of(ErrorCode.TIMEOUT, message);
    }

    private Refusal overloaded() {
        return Refusal.of(ErrorCode.OVERLOAD, "Too many requests are under way.")
                .retryAfter(settings.repeatAfter());
    }
}
