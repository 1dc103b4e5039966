package dev.switchboard.delivery;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.SpoolLines.Item;
import dev.switchboard.delivery.TerminalPush.MessageState;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.SpooledPost;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.apache.pekko.Done;

/**
 * Decides which posts go to the spool instead of their conversation. Thread-safe; never blocks.
 *
 * <p>It is asked at two moments, both at the head of the sender's lane in the gateway, so that no later request of the
 * sender is under way: before a request is sent, and when it is answered. A post is spooled when
 *
 * <ul>
 *   <li>its sender has posts in the spool already: it goes behind them; or
 *   <li>the journal is known to be away; or
 *   <li>its conversation answered {@code journal-unavailable}, or didn't answer.
 * </ul>
 *
 * <p>Only a customer's post is: his own, or one by a service whose token lets it act for him. An agent's would need its
 * epoch checked, which only the conversation can. And never against {@code after}: the earlier post must be in the spool
 * before this one, or be known here as accepted.
 */
public final class Spooling {
    private static final Duration FULL_RETRY = Duration.ofSeconds(5);
    private static final Duration WAIT_RETRY = Duration.ofSeconds(1);

    private final Spool spool;
    private final SpoolSettings settings;
    private final Clock clock;
    private final Executor executor;
    private final SpoolLines lines = new SpoolLines();
    private final AcceptedIds accepted = new AcceptedIds();
    private final List<BiConsumer<Person, MessageState>> listeners = new CopyOnWriteArrayList<>();
    private final LongAdder keptPosts = new LongAdder();
    private final LongAdder refusedFull = new LongAdder();
    private final LongAdder sentAccepted = new LongAdder();
    private final LongAdder sentRefused = new LongAdder();
    private volatile boolean journalAway;

    Spooling(Spool spool, SpoolSettings settings, Clock clock, Executor executor) {
        this.spool = spool;
        this.settings = settings;
        this.clock = clock;
        this.executor = executor;
        for (Spool.Stored stored : spool.leftOver()) {
            SpooledPost post = stored.post();
            SpoolLines.Key key = new SpoolLines.Key(post.conv(), post.sender());
            Item item = new Item(
                    stored.number(),
                    post.clientMsgId(),
                    digest(post.body()),
                    CompletableFuture.completedFuture(Done.getInstance()));
            lines.add(key, item);
            lines.forced(key, item);
        }
    }

    // ---- what the gateway asks ----

    /** True when every request is to be sent: nobody has posts in the spool, and the journal isn't known to be away. */
    boolean isIdle() {
        return lines.isEmpty() && !journalAway;
    }

    /** The answer to a request that is not to be sent to its conversation now; null: send it. */
    CompletionStage<ConversationReply> instead(String conv, ConversationCommand request) {
        if (request instanceof Close close && close.by().role() == Role.CUSTOMER) {
            return lines.has(new SpoolLines.Key(conv, close.by().person())) ? writtenLater() : null;
        }
        if (!(request instanceof Post post) || !mayBeKept(conv, post)) {
            return null;
        }
        SpoolLines.Key key = new SpoolLines.Key(conv, post.sender());
        Item known = lines.find(key, post.clientMsgId());
        if (known != null) {
            return repeated(conv, post, known);
        }
        boolean behind = lines.has(key);
        if (!settings.enabled()) {
            return behind ? writtenLater() : null;
        }
        if (!behind && !journalAway) {
            return null;
        }
        if (!afterHolds(key, post)) {
            // The conversation may know better, unless it must not be asked now.
            return behind ? refused(outOfOrder(post)) : null;
        }
        return keep(key, post, false);
    }

    /** The answer to give for a request's outcome; null: the outcome itself. */
    CompletionStage<ConversationReply> afterwards(String conv, ConversationCommand request, ConversationReply outcome) {
        if (!(request instanceof Post post) || !mayBeKept(conv, post)) {
            return null;
        }
        if (outcome instanceof ConversationReply.Done) {
            accepted.add(conv, post.sender(), post.clientMsgId());
            return null;
        }
        if (!settings.enabled() || !(outcome instanceof ConversationReply.Refused refused)) {
            return null;
        }
        SpoolLines.Key key = new SpoolLines.Key(conv, post.sender());
        return switch (refused.refusal().code()) {
            case JOURNAL_UNAVAILABLE, TIMEOUT ->
                afterHolds(key, post) ? keep(key, post, false) : refused(outOfOrder(post));
            default -> null;
        };
    }

    /** The answer to a post of which it isn't known whether its conversation exists, since the database is away. */
    CompletionStage<ConversationReply> unseen(String conv, ConversationCommand request) {
        if (!settings.enabled() || !(request instanceof Post post) || !mayBeKept(conv, post)) {
            return refused(Refusal.of(ErrorCode.JOURNAL_UNAVAILABLE, "The database can't answer now.")
                    .retryAfter(WAIT_RETRY));
        }
        SpoolLines.Key key = new SpoolLines.Key(conv, post.sender());
        return afterHolds(key, post) || lines.find(key, post.clientMsgId()) != null
                ? keep(key, post, true)
                : refused(outOfOrder(post));
    }

    private static boolean mayBeKept(String conv, Post post) {
        Principal by = post.by();
        String customer = post.sender().id();
        return post.sender().role() == Role.CUSTOMER
                && ConversationIds.isWellFormed(conv)
                && ConversationIds.customerOf(conv).equals(customer)
                && (by.role() == Role.CUSTOMER
                        ? by.id().equals(customer)
                        : by.role() == Role.SERVICE && by.actsFor(customer));
    }

    private boolean afterHolds(SpoolLines.Key key, Post post) {
        return post.after() == null
                || lines.find(key, post.after()) != null
                || accepted.contains(key.conv(), key.sender(), post.after());
    }

    private CompletionStage<ConversationReply> keep(SpoolLines.Key key, Post post, boolean lookUp) {
        Item known = lines.find(key, post.clientMsgId());
        if (known != null) {
            return repeated(key.conv(), post, known);
        }
        Optional<Spool.Keeping> room = spool.keep(new SpooledPost(
                key.conv(),
                post.by(),
                post.sender(),
                post.queue(),
                post.clientMsgId(),
                post.body(),
                post.after(),
                lookUp,
                post.viaSocket(),
                clock.instant()));
        if (room.isEmpty()) {
            refusedFull.increment();
            return refused(Refusal.of(
                            ErrorCode.OVERLOAD,
                            "The journal is away and this node's spool is full; send it again with the same id.")
                    .retryAfter(FULL_RETRY));
        }
        CompletionStage<Done> forced = room.get().forced();
        Item item = new Item(room.get().number(), post.clientMsgId(), digest(post.body()), forced);
        lines.add(key, item);
        return forced.handleAsync(
                (done, failure) -> {
                    if (failure != null) {
                        lines.remove(key, item);
                        return notWritten();
                    }
                    keptPosts.increment();
                    lines.forced(key, item);
                    return new ConversationReply.Spooled(key.conv(), post.clientMsgId(), false);
                },
                executor);
    }

    private static ConversationReply notWritten() {
        return ConversationReply.Refused.of(
                ErrorCode.JOURNAL_UNAVAILABLE, "Neither the journal nor the spool can be written now.");
    }

    private CompletionStage<ConversationReply> repeated(String conv, Post post, Item known) {
        if (!known.digest().equals(digest(post.body()))) {
            return refused(
                    Refusal.of(ErrorCode.ID_REUSED, "The id " + post.clientMsgId() + " was used for another request."));
        }
        return known.onDisk()
                .handleAsync(
                        (done, failure) -> failure == null
                                ? new ConversationReply.Spooled(conv, post.clientMsgId(), true)
                                : notWritten(),
                        executor);
    }

    private static CompletionStage<ConversationReply> writtenLater() {
        return refused(
                Refusal.of(ErrorCode.JOURNAL_UNAVAILABLE, "Earlier messages of the sender are still to be written.")
                        .retryAfter(WAIT_RETRY));
    }

    private static CompletionStage<ConversationReply> refused(Refusal refusal) {
        return CompletableFuture.completedFuture(new ConversationReply.Refused(refusal));
    }

    private static Refusal outOfOrder(Post post) {
        return Refusal.of(
                        ErrorCode.OUT_OF_ORDER,
                        "The message " + post.after() + " was not accepted yet, as far as this node knows.")
                .withFact("after", post.after());
    }

    /** What a body says, told apart from every other; the digest is kept in memory alone. */
    private static String digest(Body body) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part :
                    new String[] {body.type(), body.text(), body.url(), body.name(), body.mediaType(), "" + body.size()
                    }) {
                byte[] bytes = part == null ? new byte[0] : part.getBytes(StandardCharsets.UTF_8);
                digest.update((part == null ? "-" : bytes.length + ":").getBytes(StandardCharsets.UTF_8));
                digest.update(bytes);
            }
            return Base64.getEncoder().encodeToString(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every Java platform", e);
        }
    }

    // ---- what the drain tells ----

    SpoolLines lines() {
        return lines;
    }

    /** From now on, until it is said again, posts needn't try the journal first. */
    void journalAway(boolean away) {
        journalAway = away && settings.enabled();
    }

    boolean isJournalAway() {
        return journalAway;
    }

    /** A post of the spool is in the journal, or never will be. */
    void settled(SpoolLines.Key key, MessageState state) {
        if (state.seq() > 0) {
            accepted.add(key.conv(), key.sender(), state.clientMsgId());
            sentAccepted.increment();
        } else {
            sentRefused.increment();
        }
        listeners.forEach(listener -> listener.accept(key.sender(), state));
    }

    // ---- what the edge asks ----

    /** From now on {@code listener} is told what became of senders' spooled posts, on any thread. */
    public void onSettled(BiConsumer<Person, MessageState> listener) {
        listeners.add(listener);
    }

    /**
     * What is known here of a post of that sender: its state is {@code spooled} or {@code refused}. Empty for those that
     * never were in this node's spool, and for those that were accepted: their conversation knows them.
     */
    public Optional<MessageState> state(String conv, Person sender, String clientMsgId) {
        if (lines.find(new SpoolLines.Key(conv, sender), clientMsgId) != null) {
            return Optional.of(new MessageState(conv, clientMsgId, 0, "spooled", 0, null));
        }
        return spool.refusal(conv, sender, clientMsgId)
                .map(refused -> new MessageState(conv, clientMsgId, 0, "refused", 0, refused.reason()));
    }

    // ---- figures ----

    /** How many posts were answered with {@code spooled}. */
    public long keptPosts() {
        return keptPosts.sum();
    }

    /** How many posts were refused because the spool was full. */
    public long refusedFull() {
        return refusedFull.sum();
    }

    /** How many posts of the spool became accepted. */
    public long sentAccepted() {
        return sentAccepted.sum();
    }

    /** How many posts of the spool became refused. */
    public long sentRefused() {
        return sentRefused.sum();
    }

    /** How many senders have posts in the spool. */
    public int senders() {
        return lines.size();
    }

    /** What the spool holds now. */
    public Spool.Figures figures() {
        return spool.figures();
    }

    /** For how many seconds the oldest post has been in the spool; 0 when there is none. */
    public double oldestSeconds() {
        java.time.Instant oldest = spool.figures().oldest();
        return oldest == null ? 0 : Duration.between(oldest, clock.instant()).toMillis() / 1e3;
    }
}
