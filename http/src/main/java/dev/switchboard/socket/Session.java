package dev.switchboard.socket;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.api.JsonFields;
import dev.switchboard.api.RefusedException;
import dev.switchboard.auth.QueueClaims;
import dev.switchboard.auth.Verdict;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskView;
import dev.switchboard.desk.Slot;
import dev.switchboard.socket.SocketRegistry.Name;
import dev.switchboard.socket.SocketSettings.SlowPolicy;
import dev.switchboard.socket.TerminalPort.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.pekko.actor.typed.ActorRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket's conversation with its client. Not thread-safe; lives in the connection's stage.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><th>state</th><th>frames from the client</th><th>goes on when</th></tr>
 *   <tr><td>AWAITING_HELLO</td><td>{@code hello}; anything else ends the socket</td><td>it comes in time</td></tr>
 *   <tr><td>VERIFYING</td><td>wait</td><td>token, history's id and own conversations are looked up</td></tr>
 *   <tr><td>ATTACHING</td><td>wait</td><td>desk and conversations have answered, or some time has passed</td></tr>
 *   <tr><td>LIVE</td><td>are carried out</td><td>the socket ends</td></tr>
 *   <tr><td>ENDING</td><td>are dropped</td><td>{@code bye} is out, or the client is gone</td></tr>
 * </table>
 *
 * A client whose frames can't be read gets {@code malformed} for each and is ended after several in a row; a frame of
 * the wrong kind (binary on the text subprotocol) ends it at once.
 */
final class Session implements Terminal {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final Pattern TERMINAL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,63}");
    private static final int MAX_TOKEN_BYTES = 16 * 1024;
    private static final int MAX_MALFORMED = 8;
    private static final Duration LONGEST_TIMER = Duration.ofDays(7);

    private enum State {
        AWAITING_HELLO,
        VERIFYING,
        ATTACHING,
        LIVE,
        ENDING
    }

    private final TerminalPort port;
    private final SocketContext context;
    private final ServerFrames frames;
    private final Attachments attachments;
    private State state = State.AWAITING_HELLO;
    private Requests requests;
    private Principal principal;
    private String terminal;
    private String log;
    private String helloId;

    /** What could not be read of this person's before its welcome, which goes first. */
    private final List<Refusal> unreadable = new ArrayList<>(0);

    private Arrival arrival;

    /** Null for those who have no desk. */
    private DeskLink desk;

    private final Ephemerals ephemerals = new Ephemerals();
    private long heardAtNanos;
    private int malformed;
    private boolean slowArmed;
    private boolean refreshing;

    Session(TerminalPort port, SocketContext context, Subprotocol subprotocol) {
        this.port = port;
        this.context = context;
        this.frames = context.frames(subprotocol);
        this.attachments = new Attachments(port, context, this);
    }

    // ---- what the connection tells ----

    void started() {
        heardAtNanos = port.nanoTime();
        port.start(Timer.HELLO, context.settings().helloTimeout());
    }

    /** True when the next message may be given to {@link #onMessage}. */
    boolean acceptsMessages() {
        return state == State.AWAITING_HELLO
                || state == State.ENDING
                || (state == State.LIVE && !port.isFull() && !refreshing && !requests.isHeld());
    }

    /** Bytes came from the client, whatever they are. */
    void heard() {
        heardAtNanos = port.nanoTime();
    }

    /** A complete WebSocket message. */
    void onMessage(boolean text, byte[] payload) {
        if (state == State.ENDING) {
            return;
        }
        context.figures().frameIn();
        if (text != frames.codec().subprotocol().isText()) {
            error(
                    null,
                    Refusal.of(
                            ErrorCode.MALFORMED,
                            frames.codec().subprotocol().wireName() + " uses " + (text ? "binary" : "text")
                                    + " frames"));
            end(Bye.PROTOCOL, "a frame of the wrong kind", Duration.ZERO);
            return;
        }
        String id = null;
        try {
            JsonNode node = frames.codec().read(payload);
            JsonFields frame = JsonFields.of(node);
            malformed = 0;
            id = frame.requestId("id");
            onFrame(frame.requiredText("type", 64), id, frame, node);
        } catch (RefusedException e) {
            refuse(id, e.refusal());
        } catch (RuntimeException e) {
            refuse(id, Failures.refusal(e));
        }
    }

    private void refuse(String id, Refusal refusal) {
        error(id, refusal);
        if (refusal.code() == ErrorCode.MALFORMED) {
            malformed++;
        }
        if (state == State.AWAITING_HELLO) {
            end(Bye.PROTOCOL, "the first frame must be a hello", Duration.ZERO);
        } else if (malformed >= MAX_MALFORMED) {
            end(Bye.PROTOCOL, "too many malformed frames", Duration.ZERO);
        }
    }

    void tooLarge() {
        error(
                null,
                Refusal.of(
                                ErrorCode.TOO_LARGE,
                                "a frame may have at most " + context.settings().maxFrameBytes() + " bytes")
                        .withFact("limit", (long) context.settings().maxFrameBytes()));
        end(Bye.TOO_LARGE, "a frame is too large", Duration.ZERO);
    }

    void violation(String what) {
        end(Bye.PROTOCOL, what, Duration.ZERO);
    }

    /** The send queue has room again. */
    void onRoom() {
        if (state == State.LIVE) {
            attachments.flow().pumpAll();
        }
    }

    /** What is queued is about to leave. */
    void onLeaving() {
        if (state == State.LIVE) {
            attachments.flow().leaving();
        }
    }

    /** Something waits for room in the send queue. */
    void onStarved() {
        if (context.settings().slowPolicy() != SlowPolicy.WAIT && !slowArmed && state != State.ENDING) {
            slowArmed = true;
            port.start(Timer.SLOW, context.settings().slowGrace());
        }
    }

    /**
     * A receiver is slow when there was no room for a whole grace period. One that takes something now and then,
     * however little, isn't: what it lacks waits in the log. The timer is not stopped by room, only looked at again:
     * room comes and goes often.
     */
    private void checkSlow() {
        slowArmed = false;
        long leftNanos = context.settings().slowGrace().toNanos() - port.starvedNanos();
        if (port.starvedNanos() == 0) {
            return;
        }
        if (leftNanos <= 0) {
            end(
                    Bye.SLOW,
                    "this terminal takes less than it gets",
                    context.admission().hint());
        } else {
            slowArmed = true;
            port.start(Timer.SLOW, Duration.ofNanos(leftNanos));
        }
    }

    void onTimer(Timer timer) {
        switch (timer) {
            case HELLO -> {
                error(null, Refusal.of(ErrorCode.HELLO_REQUIRED, "no hello came in time"));
                end(Bye.PROTOCOL, "no hello came in time", Duration.ZERO);
            }
            case WELCOME -> welcome();
            case HEARTBEAT -> heartbeat();
            case EXPIRY -> {
                if (!armExpiry()) {
                    end(Bye.EXPIRED, "the token has ended", Duration.ZERO);
                }
            }
            case RETRY -> {
                attachments.onRetryTimer();
                if (desk != null) {
                    desk.onRetryTimer();
                }
            }
            case RECEIPTS -> attachments.flow().onReceiptTimer();
            case SLOW -> checkSlow();
            default -> throw new IllegalArgumentException("not a session's timer: " + timer);
        }
    }

    private void heartbeat() {
        if (state == State.LIVE && requests.isHeld()) {
            // Its silence is this side's doing: what it says is not read until answers are out, which comes to an end.
            heard();
        }
        long silentNanos = port.nanoTime() - heardAtNanos;
        if (silentNanos > 2 * context.settings().heartbeat().toNanos()) {
            end(Bye.SILENT, "nothing came for two heartbeats", Duration.ZERO);
        } else {
            port.send(frames.ping());
            attachments.acks().flushNow();
            attachments.checkRemote();
            port.start(Timer.HEARTBEAT, context.settings().heartbeat());
        }
    }

    /** The connection has ended, whoever ended it. */
    void closed(boolean byClient) {
        if (state != State.ENDING) {
            context.figures().flow().closed(byClient ? FlowFigures.Close.CLIENT : FlowFigures.Close.LOST);
        }
        boolean named = terminal != null;
        context.registry().closed(named ? new Name(principal.person(), terminal) : null, port.handle());
        context.figures().closed(named);
        if (named) {
            attachments.detachAll();
            if (desk != null) {
                desk.detach();
            }
        }
    }

    // ---- hello ----

    private void onFrame(String type, String id, JsonFields frame, JsonNode node) {
        if (state == State.AWAITING_HELLO) {
            if (!type.equals("hello")) {
                throw new RefusedException(Refusal.of(ErrorCode.HELLO_REQUIRED, "the first frame must be a hello"));
            }
            hello(id, frame, node.get("resume"));
        } else if (type.equals("hello")) {
            throw new RefusedException(Refusal.of(ErrorCode.HELLO_REPEATED, "this socket has said hello"));
        } else if (type.equals("token")) {
            refreshToken(id, frame);
        } else {
            requests.handle(type, id, frame);
        }
    }

    private void hello(String id, JsonFields frame, JsonNode resumed) {
        String token = frame.requiredText("token", MAX_TOKEN_BYTES);
        String wanted = frame.matching("terminal", TERMINAL);
        arrival = Arrival.read(frame, resumed, context.settings().maxConversations());
        helloId = id;
        state = State.VERIFYING;
        port.cancel(Timer.HELLO);
        port.pipe(context.authenticator().verify(token), (verdict, failure) -> {
            if (state != State.VERIFYING) {
                return;
            }
            if (failure != null) {
                denied(Failures.refusal(failure));
            } else if (verdict instanceof Verdict.Denied denied) {
                denied(denied.refusal());
            } else if (verdict instanceof Verdict.Verified verified) {
                verified(verified.principal(), wanted);
            }
        });
    }

    private void denied(Refusal refusal) {
        error(helloId, refusal);
        Bye code = switch (refusal.code()) {
            case TOKEN_EXPIRED -> Bye.EXPIRED;
            case UNAUTHORIZED -> Bye.UNAUTHORIZED;
            default -> Bye.OVERLOAD;
        };
        end(code, refusal.message(), refusal.retryAfter());
    }

    private void verified(Principal who, String wanted) {
        principal = QueueClaims.resolve(who, Optional.empty());
        terminal = wanted == null
                ? "t-" + Long.toHexString(ThreadLocalRandom.current().nextLong())
                : wanted;
        requests = new Requests(port, context, attachments, this);
        context.figures().saidHello();
        context.registry().named(new Name(principal.person(), terminal), port.handle());
        if (state != State.VERIFYING) {
            return;
        }
        armExpiry();
        port.start(Timer.HEARTBEAT, context.settings().heartbeat());
        port.pipe(arrival.find(context, principal), (found, failure) -> {
            if (state != State.VERIFYING) {
                return;
            }
            if (failure != null) {
                denied(Failures.refusal(failure));
            } else {
                attachAll(found);
            }
        });
    }

    private void attachAll(Arrival.Found found) {
        log = found.log();
        state = State.ATTACHING;
        port.start(Timer.WELCOME, context.settings().welcomeWait());
        if (principal.role().isStaff()) {
            desk = new DeskLink(port, context, this, attachments);
            desk.attach();
        }
        for (String conv : found.conversations()) {
            attach(conv, principal.role() == Role.SUPERVISOR);
        }
        welcomeWhenReady();
    }

    private void attach(String conv, boolean watcher) {
        attachments.attach(conv, arrival.after(conv), watcher, arrival.isOfLog(conv, log));
    }

    private void welcomeWhenReady() {
        if (state == State.ATTACHING
                && (desk == null || desk.isAnswered())
                && attachments.none(attachment -> !attachment.isPlaced())) {
            welcome();
        }
    }

    private void welcome() {
        if (state != State.ATTACHING) {
            return;
        }
        port.cancel(Timer.WELCOME);
        List<ServerFrames.Welcomed> welcomed = new ArrayList<>();
        for (Attachment attachment : attachments.placed()) {
            welcomed.add(new ServerFrames.Welcomed(attachment.view, attachment.recovered && !attachment.anew));
            context.figures().flow().resumed(attachment.resumeOutcome());
            attachment.view = null;
        }
        state = State.LIVE;
        send(frames.welcome(helloId, principal, terminal, log, context.settings(), welcomed));
        helloId = null;
        unreadable.forEach(this::tellUnreadable);
        unreadable.clear();
        attachments.flow().pumpAll();
    }

    // ---- the token ----

    private void refreshToken(String id, JsonFields frame) {
        String token = frame.requiredText("token", MAX_TOKEN_BYTES);
        refreshing = true;
        port.pipe(context.authenticator().verify(token), (verdict, failure) -> {
            refreshing = false;
            if (state != State.LIVE) {
                return;
            }
            if (failure != null) {
                error(id, Failures.refusal(failure));
            } else if (verdict instanceof Verdict.Denied denied) {
                error(id, denied.refusal());
            } else if (verdict instanceof Verdict.Verified verified) {
                if (!verified.principal().person().equals(principal.person())) {
                    error(id, Refusal.of(ErrorCode.FORBIDDEN, "the token is another person's"));
                    return;
                }
                Principal fresh = QueueClaims.resolve(verified.principal(), Optional.empty());
                principal = principal.role() == Role.AGENT && fresh.queues().equals(QueueClaims.DEFAULT)
                        ? fresh.withQueues(principal.queues())
                        : fresh;
                armExpiry();
                if (id != null) {
                    send(frames.reply(id));
                }
            }
        });
    }

    /** Sets the timer for the token's end; false when it has ended. */
    private boolean armExpiry() {
        if (principal.expires().equals(Instant.MAX)) {
            return true;
        }
        Duration left = Duration.between(Instant.now(), principal.expires());
        if (left.isNegative() || left.isZero()) {
            return false;
        }
        port.start(Timer.EXPIRY, left.compareTo(LONGEST_TIMER) > 0 ? LONGEST_TIMER : left);
        return true;
    }

    // ---- the desk ----

    private void onDesk(TerminalPush.DeskAttached answer) {
        if (desk == null) {
            return;
        }
        desk.onAttached(answer);
        DeskView view = answer.view();
        if (principal.role() == Role.AGENT && view.profiled()) {
            principal = principal.withQueues(view.queues());
        }
        for (Slot slot : view.slots()) {
            if (slot.confirmed()) {
                attach(slot.conv(), false);
            }
        }
        welcomeWhenReady();
    }

    // ---- what actors tell ----

    void onPush(TerminalPush push) {
        if (state == State.ENDING || principal == null) {
            return;
        }
        if (push instanceof TerminalPush.EntryPush entry) {
            attachments.flow().onEntry(entry);
        } else if (push instanceof TerminalPush.Receipt receipt) {
            attachments.flow().onReceipt(receipt);
        } else if (push instanceof TerminalPush.Attached attached) {
            attachments.onAttached(attached);
            welcomeWhenReady();
        } else if (push instanceof TerminalPush.AttachRefused refused) {
            attachments.onRefused(refused);
            welcomeWhenReady();
        } else if (push instanceof TerminalPush.DeskAttached attached) {
            onDesk(attached);
        } else if (push instanceof TerminalPush.DeskRefused refused) {
            if (desk != null && desk.onRefused(refused)) {
                tellUnreadable(refused.refusal());
            }
            welcomeWhenReady();
        } else if (push instanceof TerminalPush.TakeUp takeUp) {
            boolean sameLog = arrival.isOfLog(takeUp.conv(), log);
            attachments.takeUp(takeUp.conv(), sameLog ? arrival.after(takeUp.conv()) : -1);
        } else if (push instanceof TerminalPush.LetGo letGo) {
            attachments.letGo(letGo.conv());
        } else if (push instanceof TerminalPush.OfferMade offer) {
            tell(() -> frames.offer(offer));
        } else if (push instanceof TerminalPush.OfferOver over) {
            tell(() -> frames.offerEnded(over));
        } else if (push instanceof TerminalPush.Queued queued) {
            attachments.flow().onQueued(queued);
        } else if (push instanceof TerminalPush.MessageState settled) {
            tell(() -> frames.state(settled));
        } else if (push instanceof TerminalPush.Typing typing) {
            ephemeral(typing);
        } else if (push instanceof TerminalPush.Presence presence) {
            ephemeral(presence);
        } else if (push instanceof TerminalPush.Hold hold) {
            attachments.flow().onHold(hold);
        } else if (push instanceof TerminalPush.Again again) {
            attachments.flow().onAgain(again);
        } else if (push instanceof TerminalPush.Replaced) {
            end(Bye.REPLACED, "another socket took this terminal's name", Duration.ZERO);
        }
    }

    /** Typing and presence wait outside the send queue for as long as it isn't empty: nobody misses what is no longer so. */
    private void ephemeral(TerminalPush push) {
        if (state != State.LIVE) {
            return;
        }
        if (!port.isSending() && ephemerals.isEmpty()) {
            sendEphemeral(push);
        } else if (context.settings().slowPolicy() == SlowPolicy.DROP_EPHEMERAL && port.isCrowded()) {
            context.figures().ephemeralDropped();
        } else if (ephemerals.keep(push)) {
            context.figures().ephemeralDropped();
        }
    }

    private void sendEphemeral(TerminalPush push) {
        if (push instanceof TerminalPush.Typing typing) {
            tell(() -> frames.typing(typing));
        } else if (push instanceof TerminalPush.Presence presence) {
            tell(() -> frames.presence(presence));
        }
    }

    boolean hasEphemerals() {
        return !ephemerals.isEmpty();
    }

    /** Nothing waits for the receiver any more: what could wait longest goes now. */
    void onDrained() {
        for (TerminalPush push = ephemerals.poll(); push != null; push = ephemerals.poll()) {
            sendEphemeral(push);
        }
    }

    /**
     * A spooled post of this person is settled, as this node's spool tells. A terminal that is attached to the
     * conversation hears it from there; one that isn't, since there was no conversation yet, attaches now.
     */
    void onSettled(TerminalPush.MessageState settled) {
        if (state != State.LIVE || attachments.isAttached(settled.conv())) {
            return;
        }
        tell(() -> frames.state(settled));
        if (settled.seq() > 0) {
            attach(settled.conv(), false);
        }
    }

    /** An actor that this terminal watches has ended: it is started again elsewhere, and found by its id. */
    void onEnded(ActorRef<?> ref) {
        if (state == State.ENDING) {
            return;
        }
        if (desk == null || !desk.onEnded(ref)) {
            attachments.onEnded(ref);
        }
    }

    // ---- ending ----

    /** Says why, then ends the socket. Later calls do nothing. */
    void end(Bye code, String reason, Duration retryAfter) {
        if (state == State.ENDING) {
            return;
        }
        state = State.ENDING;
        ephemerals.clear();
        context.figures().bye(code);
        port.end(frames.bye(code, reason, retryAfter), code == Bye.SLOW, code.closeCode());
    }

    private void error(String id, Refusal refusal) {
        context.figures().error();
        send(frames.error(id, refusal));
    }

    private void send(byte[] frame) {
        port.send(frame);
    }

    // ---- what the attachments ask ----

    @Override
    public Principal principal() {
        return principal;
    }

    @Override
    public String name() {
        return terminal;
    }

    @Override
    public ServerFrames frames() {
        return frames;
    }

    @Override
    public void tell(Supplier<byte[]> frame) {
        byte[] made;
        try {
            made = frame.get();
        } catch (UnconvertibleException e) {
            context.figures().unconvertible();
            LOG.warn("a push to {} is left out", principal.person(), e);
            return;
        }
        send(made);
    }

    @Override
    public boolean isLive() {
        return state == State.LIVE;
    }

    @Override
    public boolean awaitsReply(Entry entry) {
        return requests.awaitsReply(entry);
    }

    @Override
    public void refuse(Attachment attachment, long seq, String code, String reason) {
        requests.refuse(attachment, seq, code, reason);
    }

    @Override
    public void attached(Attachment attachment, ConversationView view) {
        if (state == State.LIVE) {
            attachment.view = null;
        }
        requests.onAttached(attachment, view);
    }

    @Override
    public void refused(String conv, Refusal refusal) {
        boolean asked = requests.onAttachRefused(conv, refusal);
        if (!asked && refusal.code() == ErrorCode.UNREADABLE) {
            tellUnreadable(refusal.withFact("conv", conv));
        }
    }

    /** Nobody asked; but who looks for it should know why it isn't there. */
    private void tellUnreadable(Refusal refusal) {
        if (state == State.LIVE) {
            error(null, refusal);
        } else {
            unreadable.add(refusal);
        }
    }
}
