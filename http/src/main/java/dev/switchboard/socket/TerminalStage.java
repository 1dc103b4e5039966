package dev.switchboard.socket;

import dev.switchboard.delivery.TerminalPush;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.Terminated;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;
import scala.runtime.BoxedUnit;

/**
 * One upgraded connection: bytes in, bytes out, and the one mailbox by which actors reach the terminal. It is thin;
 * what a terminal does is in {@link Session}. A socket costs this stage and no actor of its own, so that ten thousands
 * of idle ones fit.
 */
final class TerminalStage extends GraphStage<FlowShape<ByteString, ByteString>> {
    private static final Logger LOG = LoggerFactory.getLogger(TerminalStage.class);

    private final Inlet<ByteString> in = Inlet.create("Terminal.in");
    private final Outlet<ByteString> out = Outlet.create("Terminal.out");
    private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
    private final SocketContext context;
    private final Subprotocol subprotocol;

    TerminalStage(SocketContext context, Subprotocol subprotocol) {
        this.context = context;
        this.subprotocol = subprotocol;
    }

    @Override
    public FlowShape<ByteString, ByteString> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes inheritedAttributes) {
        return new Logic();
    }

    /** The state of one connection. Everything but its {@link SocketRegistry.Handle} runs on the stage's own thread. */
    private final class Logic extends TimerGraphStageLogic implements TerminalPort {
        private final WebSocketDecoder decoder =
                new WebSocketDecoder(context.settings().maxFrameBytes());
        private final Outbound outbound = new Outbound(
                context.settings().queueEntries(),
                context.settings().queueBytes(),
                context.figures().flow());
        private final Trail trail = new Trail(context.services().deliveries().ledger(), outbound);
        private final Session session = new Session(this, context, subprotocol);
        private final AsyncCallback<Runnable> runs = createAsyncCallback(this::run);
        private final AsyncCallback<BoxedUnit> writes = createAsyncCallback(unit -> write());
        private final SocketRegistry.Handle handle = new SocketRegistry.Handle() {
            @Override
            public void end(Bye code, String reason, Duration retryAfter) {
                runs.invoke(() -> session.end(code, reason, retryAfter));
            }

            @Override
            public void settled(TerminalPush.MessageState state) {
                runs.invoke(() -> session.onSettled(state));
            }
        };
        private GraphStageLogic.StageActor mailbox;
        private ActorRef<TerminalPush> self;

        /** Something waits for room in the send queue, since then; it is told when there is. */
        private boolean starved;

        private long starvedAtNanos;

        /** Something is at hand: what is sent meanwhile goes out together, when it has been dealt with. */
        private boolean busy;

        /** The write of what is queued waits behind what has already arrived for this terminal. */
        private boolean writing;

        /** What is to run when it has; null for nothing. */
        private Runnable afterwards;

        /** The last frames are queued; nothing may follow them. */
        private boolean closing;

        /** The client's close frame has come: the connection may end as soon as ours is out. */
        private boolean peerClosed;

        Logic() {
            super(shape);
            setHandler(in, new AbstractInHandler() {
                @Override
                public void onPush() {
                    received(grab(in));
                }

                @Override
                public void onUpstreamFailure(Throwable failure) {
                    // A connection that breaks is how many sockets end: it is no failure of this side.
                    completeStage();
                }
            });
            setHandler(out, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    pulled();
                }
            });
        }

        @Override
        public void preStart() {
            mailbox = getStageActor(this::told);
            self = Adapter.toTyped(mailbox.ref());
            context.figures().opened();
            Bye refusal = context.registry().opened(handle);
            session.started();
            if (refusal != null) {
                session.end(refusal, "the node stops serving", Duration.ZERO);
            } else if (context.admission().isOverLimit()) {
                session.end(
                        Bye.OVERLOAD, "too many sockets", context.admission().hint());
            }
            read();
        }

        @Override
        public void postStop() {
            outbound.clear();
            session.closed(peerClosed);
        }

        @Override
        public void onTimer(Object key) {
            if (key == Timer.CLOSE) {
                giveUp();
            } else {
                run(() -> session.onTimer((Timer) key));
            }
        }

        /** The other side had its time to take the last frames and to close. */
        private void giveUp() {
            if (outbound.isEmpty()) {
                completeStage();
            } else {
                failStage(new IllegalStateException("the client doesn't read"));
            }
        }

        private BoxedUnit told(Tuple2<org.apache.pekko.actor.ActorRef, Object> message) {
            if (message._2() instanceof TerminalPush push) {
                run(() -> session.onPush(push));
            } else if (message._2() instanceof Terminated ended) {
                run(() -> session.onEnded(Adapter.toTyped(ended.actor())));
            }
            return BoxedUnit.UNIT;
        }

        /** A fault in one terminal's logic ends that terminal, with a word to the client, and says so in the log. */
        private void run(Runnable task) {
            busy = true;
            try {
                if (mayNotSpeak()) {
                    fallSilent();
                    return;
                }
                task.run();
                read();
                Runnable last = afterwards;
                afterwards = null;
                if (last != null) {
                    last.run();
                }
                session.onLeaving();
            } catch (RuntimeException e) {
                LOG.error("a terminal failed and is ended", e);
                session.end(Bye.OVERLOAD, "something went wrong on this side", Duration.ofSeconds(1));
            } finally {
                busy = false;
                if (!outbound.isEmpty() && !writing && isAvailable(out)) {
                    writing = true;
                    writes.invoke(BoxedUnit.UNIT);
                }
            }
        }

        private boolean mayNotSpeak() {
            return !closing && !context.standing().holds();
        }

        /** What waits to be sent may be of actors that were replaced meanwhile. */
        private void fallSilent() {
            outbound.clear();
            trail.dropped();
            session.end(Bye.RESTART, "this node stood still and may have been replaced", Duration.ZERO);
        }

        private void write() {
            writing = false;
            flush();
        }

        // ---- bytes in ----

        private void received(ByteString bytes) {
            session.heard();
            decoder.feed(bytes);
            run(this::read);
        }

        /** Gives messages to the session as long as it takes them, then asks for more bytes. */
        private void read() {
            while (session.acceptsMessages()) {
                WebSocketDecoder.Message message = decoder.next();
                if (message == null) {
                    if (!hasBeenPulled(in) && !isClosed(in)) {
                        pull(in);
                    }
                    return;
                }
                take(message);
            }
        }

        private void take(WebSocketDecoder.Message message) {
            if (message instanceof WebSocketDecoder.Message.Data data) {
                session.onMessage(data.text(), data.payload());
            } else if (message instanceof WebSocketDecoder.Message.Ping ping) {
                send(WebSocketFrames.frame(WebSocketDecoder.PONG, ping.payload()));
            } else if (message instanceof WebSocketDecoder.Message.Close) {
                closeReceived();
            } else if (message instanceof WebSocketDecoder.Message.Violation violation) {
                session.violation(violation.what());
            } else if (message instanceof WebSocketDecoder.Message.TooLarge) {
                session.tooLarge();
            }
        }

        private void closeReceived() {
            if (closing && outbound.isEmpty()) {
                completeStage();
            } else if (!closing) {
                outbound.add(WebSocketFrames.close(1000, ""));
                closeSoon();
                peerClosed = true;
                flush();
            } else {
                peerClosed = true;
            }
        }

        // ---- bytes out ----

        private void pulled() {
            flush();
            if (closing) {
                if (outbound.isEmpty() && peerClosed) {
                    completeStage();
                }
            } else if (starved && outbound.hasRoom()) {
                starved = false;
                run(session::onRoom);
            }
            if (outbound.isEmpty() && session.hasEphemerals()) {
                run(session::onDrained);
            }
        }

        private void flush() {
            if (!busy && !outbound.isEmpty() && isAvailable(out)) {
                if (mayNotSpeak()) {
                    fallSilent();
                } else {
                    push(out, outbound.take());
                    trail.wrote();
                }
            }
        }

        private void closeSoon() {
            closing = true;
            start(Timer.CLOSE, context.settings().closeTimeout());
        }

        // ---- what the session uses ----

        @Override
        public ActorRef<TerminalPush> self() {
            return self;
        }

        @Override
        public SocketRegistry.Handle handle() {
            return handle;
        }

        @Override
        public void watch(ActorRef<?> ref) {
            mailbox.watch(Adapter.toClassic(ref));
        }

        @Override
        public void unwatch(ActorRef<?> ref) {
            mailbox.unwatch(Adapter.toClassic(ref));
        }

        @Override
        public <T> void pipe(CompletionStage<T> stage, BiConsumer<T, Throwable> to) {
            stage.whenComplete((value, failure) -> runs.invoke(() -> to.accept(value, failure)));
        }

        @Override
        public void afterwards(Runnable task) {
            if (afterwards != null) {
                throw new IllegalStateException("one task at a time");
            }
            afterwards = task;
        }

        @Override
        public void start(Timer timer, Duration delay) {
            scheduleOnce(timer, delay);
        }

        @Override
        public void cancel(Timer timer) {
            cancelTimer(timer);
        }

        @Override
        public void tracing(Terminal terminal, String conv, long seq, int attempt) {
            if (!closing) {
                trail.queueing(terminal, conv, seq, attempt);
            }
        }

        @Override
        public void send(byte[] frame) {
            if (closing) {
                return;
            }
            context.figures().frameOut();
            outbound.add(frame);
            flush();
            if (outbound.isFull()) {
                starve();
            }
        }

        @Override
        public void time(Instant acceptedAt) {
            outbound.time(acceptedAt);
        }

        @Override
        public void end(byte[] lastFrame, boolean dropQueued, int closeCode) {
            if (closing) {
                return;
            }
            if (dropQueued) {
                outbound.clear();
                trail.dropped();
            }
            outbound.add(lastFrame);
            outbound.add(WebSocketFrames.close(closeCode, ""));
            closeSoon();
            flush();
        }

        @Override
        public boolean isSending() {
            return !outbound.isEmpty();
        }

        @Override
        public boolean isFull() {
            if (!outbound.isFull()) {
                return false;
            }
            starve();
            return true;
        }

        @Override
        public boolean hasRoom() {
            if (outbound.hasRoom()) {
                return true;
            }
            starve();
            return false;
        }

        private void starve() {
            if (!starved) {
                starved = true;
                starvedAtNanos = System.nanoTime();
                session.onStarved();
            }
        }

        @Override
        public boolean isCrowded() {
            return !outbound.hasRoom();
        }

        @Override
        public long starvedNanos() {
            return starved ? System.nanoTime() - starvedAtNanos : 0;
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }
    }
}
