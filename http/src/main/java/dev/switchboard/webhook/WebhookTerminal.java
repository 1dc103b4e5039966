package dev.switchboard.webhook;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Ledger;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.Standing;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.Slot;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.webhook.HookConversation.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/**
 * The terminal of an agent whose endpoint is HTTP: an actor, one for each receiver, that does what a socket's client and its
 * connection do together. It attaches to the agent's desk and to what the agent owns, takes what is offered, sends each entry
 * to the receiver and acknowledges it when the receiver has answered with success. Anything else counts as a refusal of the
 * entry: the conversation tries again, then has a dead letter.
 *
 * <p><b>Order.</b> One request at a time for each conversation; the next entry is sent when the one before was taken, or was
 * given up by the conversation. <b>Bounds.</b> At most {@code switchboard.webhooks.connections} requests and reads of the log
 * at once; conversations beyond them wait in the order in which they came, each without its entries. <b>Once more.</b> After a
 * restart the receiver gets again what no watermark had been persisted of: the same entries, in order, under the same ids.
 */
final class WebhookTerminal extends AbstractBehavior<WebhookTerminal.Message> {
    static final Duration RESTART_MIN = Duration.ofSeconds(1);
    static final Duration RESTART_MAX = Duration.ofMinutes(1);

    private static final String NAME = "webhook";
    private static final Duration TICK = Duration.ofMillis(200);
    private static final int PAGE = 16;
    private static final int MAX_EMPTY_READS = 5;
    private static final long ANSWER_NANOS = Duration.ofSeconds(3).toNanos();
    private static final long RETRY_STEP_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

    /** How often conversations on other nodes are asked for their last seq: a push between nodes may get lost. */
    private static final long CHECK_NANOS = Duration.ofSeconds(25).toNanos();

    /** What the terminal is told. */
    sealed interface Message {}

    private record Pushed(TerminalPush push) implements Message {}

    private record Tick() implements Message {}

    private record Sent(HookConversation to, long seq, int attempt, boolean outOfTurn, HookOutcome outcome)
            implements Message {}

    /** A connection is free again. {@code life}: of which of the actor's lives. */
    private record Freed(Object life) implements Message {}

    private record Read(Object life, HookConversation of, EntryLog.Page page, Throwable failure) implements Message {}

    private record Refused(HookConversation by, ConversationReply answer) implements Message {}

    private record Answered() implements Message {}

    /** Ends it. */
    record Stop() implements Message {}

    private final WebhookSettings settings;
    private final Services services;
    private final Standing standing;
    private final HookClient client;
    private final WebhookFigures figures;
    private final HookDesk desk;
    private final HookBodies bodies = new HookBodies();
    private final Ledger.Endpoint endpoint;
    private final ActorRef<TerminalPush> self;
    private final ActorRef<ConversationReply> ignored;
    private final Map<String, HookConversation> conversations = new LinkedHashMap<>();

    /** Those that have something to send and wait for a connection, the first to come first. */
    private final Set<HookConversation> ready = new LinkedHashSet<>();

    /** What was begun before a restart of this actor holds no connection of its new life. */
    private final Object life = new Object();

    private Principal principal;
    private int underWay;
    private boolean pumping;

    /** How many were noted in the ledger. */
    private long requests;

    private long nextCheckNanos;

    private WebhookTerminal(
            ActorContext<Message> context,
            WebhookSettings.Receiver receiver,
            WebhookSettings settings,
            Services services,
            Standing standing,
            HookClient client,
            WebhookFigures figures) {
        super(context);
        this.settings = settings;
        this.services = services;
        this.standing = standing;
        this.client = client;
        this.figures = figures;
        this.principal = Principal.of(Role.AGENT, receiver.agent())
                .withQueues(receiver.profile().map(profile -> profile.queues()).orElse(Set.of("default")));
        this.endpoint = new Ledger.Endpoint(principal.person(), NAME);
        this.self = context.messageAdapter(TerminalPush.class, Pushed::new);
        this.ignored = context.messageAdapter(ConversationReply.class, reply -> new Answered());
        this.desk = new HookDesk(receiver, services);
        this.nextCheckNanos = System.nanoTime() + CHECK_NANOS;
        attachDesk();
    }

    /** The terminal of that receiver. */
    static Behavior<Message> create(
            WebhookSettings.Receiver receiver,
            WebhookSettings settings,
            Services services,
            Standing standing,
            HookClient client,
            WebhookFigures figures) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), TICK);
            return new WebhookTerminal(context, receiver, settings, services, standing, client, figures);
        }));
    }

    @Override
    public Receive<Message> createReceive() {
        return newReceiveBuilder()
                .onMessage(Pushed.class, pushed -> {
                    onPush(pushed.push());
                    return this;
                })
                .onMessage(Sent.class, sent -> {
                    onSent(sent);
                    return this;
                })
                .onMessage(Freed.class, freed -> {
                    figures.ended();
                    free(freed.life());
                    return this;
                })
                .onMessage(Read.class, read -> {
                    onRead(read);
                    return this;
                })
                .onMessage(Refused.class, refused -> {
                    onRefused(refused);
                    return this;
                })
                .onMessage(Tick.class, tick -> {
                    onTick();
                    return this;
                })
                .onMessage(Answered.class, answered -> this)
                .onMessage(Stop.class, stop -> Behaviors.stopped())
                .onSignal(Terminated.class, ended -> {
                    onEnded(ended.getRef().unsafeUpcast());
                    return this;
                })
                .onSignal(PreRestart.class, signal -> {
                    detach();
                    return this;
                })
                .onSignal(PostStop.class, signal -> {
                    detach();
                    return this;
                })
                .build();
    }

    // ---- the desk and the conversations ----

    private void attachDesk() {
        desk.attach(principal, NAME, self);
    }

    private void detach() {
        for (HookConversation conversation : conversations.values()) {
            if (conversation.state != State.ENDING) {
                services.peers().conversation(conversation.conv, new ConversationCommand.Detach(self));
            }
        }
        services.peers().desk(principal.id(), new DeskCommand.DetachTerminal(self));
    }

    private void attach(String conv) {
        HookConversation one = conversations.computeIfAbsent(conv, HookConversation::new);
        if (one.state == State.ENDING) {
            one.state = State.ATTACHING;
        }
        request(one);
    }

    private void request(HookConversation conversation) {
        conversation.tries++;
        conversation.retryAtNanos = System.nanoTime() + ANSWER_NANOS;
        services.peers()
                .conversation(
                        conversation.conv,
                        new ConversationCommand.Attach(principal, NAME, conversation.have(), false, self));
    }

    /** Attaches again after a while. */
    private void askAgain(HookConversation conversation) {
        if (conversation.state == State.ENDING) {
            conversations.remove(conversation.conv, conversation);
            return;
        }
        conversation.state = State.ATTACHING;
        long base = Math.min(LONGEST_RETRY_NANOS, RETRY_STEP_NANOS * (1L << Math.min(6, conversation.tries)));
        conversation.retryAtNanos =
                System.nanoTime() + base / 2 + ThreadLocalRandom.current().nextLong(base / 2 + 1);
    }

    private void onEnded(ActorRef<?> ref) {
        if (desk.ended(ref)) {
            return;
        }
        for (HookConversation conversation : new ArrayList<>(conversations.values())) {
            if (ref.equals(conversation.ref)) {
                conversation.ref = null;
                askAgain(conversation);
            }
        }
    }

    private void onTick() {
        long now = System.nanoTime();
        if (desk.isDue(now)) {
            attachDesk();
        }
        boolean check = nextCheckNanos - now <= 0;
        if (check) {
            nextCheckNanos = now + CHECK_NANOS;
        }
        for (HookConversation conversation : new ArrayList<>(conversations.values())) {
            boolean elsewhere = conversation.ref != null
                    && conversation.ref.path().address().hasGlobalScope();
            boolean due = conversation.retryAtNanos - now <= 0;
            if (conversation.state == State.ATTACHING ? due : check && elsewhere) {
                request(conversation);
            } else if (conversation.emptyReads > 0 && due) {
                pump(conversation);
            }
        }
        pumpReady();
    }

    private void onPush(TerminalPush push) {
        if (push instanceof TerminalPush.EntryPush entry) {
            HookConversation to = conversations.get(entry.conv());
            if (to != null && to.state != State.ENDING) {
                to.offered(entry);
                pump(to);
            }
        } else if (push instanceof TerminalPush.Attached attached) {
            onAttached(attached);
        } else if (push instanceof TerminalPush.AttachRefused refused) {
            HookConversation by = conversations.get(refused.conv());
            if (by != null && refused.refusal().code().retryable()) {
                askAgain(by);
            } else if (by != null) {
                conversations.remove(refused.conv());
            }
        } else if (push instanceof TerminalPush.DeskAttached attached) {
            onDesk(attached);
        } else if (push instanceof TerminalPush.DeskRefused) {
            desk.refused();
        } else if (push instanceof TerminalPush.TakeUp takeUp) {
            attach(takeUp.conv());
        } else if (push instanceof TerminalPush.LetGo letGo) {
            letGo(letGo.conv());
        } else if (push instanceof TerminalPush.OfferMade offer) {
            accept(offer);
        } else if (push instanceof TerminalPush.Hold hold) {
            onHold(hold);
        } else if (push instanceof TerminalPush.Again again) {
            onAgain(again);
        } else if (push instanceof TerminalPush.Replaced) {
            getContext().getLog().warn("another terminal of {} took the name {}", principal.id(), NAME);
            desk.replaced();
            conversations.values().forEach(this::askAgainLater);
        }
        // Receipts, positions, typing, presence and what became of own messages are for people.
    }

    private void askAgainLater(HookConversation conversation) {
        if (conversation.state != State.ENDING) {
            conversation.tries = 6;
            askAgain(conversation);
        }
    }

    private void onDesk(TerminalPush.DeskAttached answer) {
        desk.attached(answer, getContext()::watch, getContext()::unwatch);
        if (answer.view().profiled()) {
            principal = principal.withQueues(answer.view().queues());
        }
        for (Slot slot : answer.view().slots()) {
            if (slot.confirmed() && !conversations.containsKey(slot.conv())) {
                attach(slot.conv());
            }
        }
    }

    private void accept(TerminalPush.OfferMade offer) {
        services.gateway()
                .conversation(
                        offer.conv(),
                        principal.person(),
                        ref -> new ConversationCommand.Accept(principal, offer.offer(), ref))
                .thenAccept(ignored::tell);
    }

    private void letGo(String conv) {
        HookConversation conversation = conversations.get(conv);
        if (conversation != null) {
            services.peers().conversation(conv, new ConversationCommand.Detach(self));
            unwatch(conversation);
            conversation.state = State.ENDING;
            pump(conversation);
        }
    }

    private void unwatch(HookConversation conversation) {
        if (conversation.ref != null) {
            getContext().unwatch(conversation.ref);
            conversation.ref = null;
        }
    }

    private void onAttached(TerminalPush.Attached answer) {
        HookConversation to = conversations.get(answer.view().conv());
        if (to == null || to.state == State.ENDING) {
            answer.ref().tell(new ConversationCommand.Detach(self));
            return;
        }
        if (!answer.ref().equals(to.ref)) {
            unwatch(to);
            to.ref = answer.ref();
            getContext().watch(answer.ref());
        }
        to.state = State.ATTACHED;
        to.tries = 0;
        if (to.refusing == 0 || answer.holdFrom() > 0) {
            to.hold(answer.holdFrom(), answer.attempt());
        }
        long delivered = answer.view().watermark().delivered();
        if (!to.isPlaced() || answer.anew()) {
            long known = Math.min(answer.view().lastSeq(), delivered);
            to.place(answer.anew() ? Math.max(answer.after(), known) : answer.after());
        } else if (to.have() > delivered) {
            // The actor came back without the latest acknowledgements.
            ack(to);
        }
        to.told(answer.view().lastSeq());
        if (answer.missed() != null) {
            answer.missed().forEach(to::offered);
        }
        pump(to);
    }

    private void onHold(TerminalPush.Hold hold) {
        HookConversation of = conversations.get(hold.conv());
        if (of != null && of.state != State.ENDING) {
            of.hold(hold.from(), hold.attempt());
            of.pass(hold.passed());
            of.told(hold.lastSeq());
            pump(of);
        }
    }

    private void onAgain(TerminalPush.Again again) {
        HookConversation of = conversations.get(again.conv());
        boolean inItsTurn = of != null && !again.always() && of.have() < again.seq();
        if (of != null && of.state != State.ENDING && !inItsTurn) {
            of.again = again.seq();
            of.againAttempt = again.attempt();
            pump(of);
        }
    }

    // ---- sending ----

    /** Goes on with a conversation if it has something to send, nothing under way, and a connection is free. */
    private void pump(HookConversation conversation) {
        if (conversation.busy || !conversation.isPlaced()) {
            return;
        }
        if (!conversation.wants()) {
            if (conversation.state == State.ENDING) {
                conversations.remove(conversation.conv, conversation);
            }
            return;
        }
        boolean waits = conversation.emptyReads > 0 && conversation.retryAtNanos - System.nanoTime() > 0;
        if (waits) {
            return;
        }
        // Who speaks for actors that others may have taken over must be silent.
        if (underWay >= settings.connections() || !standing.holds()) {
            ready.add(conversation);
            return;
        }
        conversation.busy = true;
        underWay++;
        Entry next = conversation.again > 0 ? null : conversation.next();
        if (next == null) {
            read(conversation);
        } else {
            send(conversation, next, conversation.attemptAt(next.seq()), false);
        }
    }

    /** A connection is free: the conversation that waits longest has it. */
    private void free(Object ofLife) {
        if (life.equals(ofLife)) {
            underWay--;
            pumpReady();
        }
    }

    private void pumpReady() {
        if (pumping) {
            return;
        }
        pumping = true;
        while (!ready.isEmpty() && underWay < settings.connections() && standing.holds()) {
            HookConversation first = ready.iterator().next();
            ready.remove(first);
            pump(first);
        }
        pumping = false;
    }

    private void read(HookConversation of) {
        boolean one = of.again > 0;
        long from = one ? of.again : of.readFrom();
        long before = one ? of.again + 1 : of.heard() + 1;
        getContext()
                .pipeToSelf(
                        services.storage()
                                .entryLog()
                                .readUpwards(of.conv, Entry.Visibility.STAFF, from, before, one ? 1 : PAGE),
                        (page, failure) -> new Read(life, of, page, failure));
    }

    private void onRead(Read read) {
        HookConversation of = read.of();
        if (conversations.get(of.conv) != of) {
            free(read.life());
            return;
        }
        boolean there = read.failure() == null && !read.page().entries().isEmpty();
        if (there && of.again > 0 && read.page().entries().get(0).seq() == of.again) {
            send(of, read.page().entries().get(0), of.againAttempt, true);
            return;
        }
        of.busy = false;
        if (there) {
            of.emptyReads = 0;
            of.read(read.page().entries());
        } else {
            nothingRead(of, read.failure());
        }
        ready.add(of);
        free(read.life());
    }

    private void nothingRead(HookConversation of, Throwable failure) {
        of.emptyReads++;
        of.retryAtNanos = System.nanoTime() + Math.min(LONGEST_RETRY_NANOS, RETRY_STEP_NANOS * of.emptyReads);
        if (failure == null && of.emptyReads > MAX_EMPTY_READS) {
            getContext().getLog().warn("the log of {} has nothing up to {}", of.conv, of.heard());
            of.again = 0;
            of.emptyReads = 0;
            of.forgetUnread();
        }
    }

    private void send(HookConversation to, Entry entry, int attempt, boolean outOfTurn) {
        boolean own = entry.kind() == Entry.Kind.MESSAGE && principal.person().equals(entry.from());
        if (own) {
            // Nobody needs to be told what it said itself.
            over(new Sent(to, entry.seq(), attempt, outOfTurn, new HookOutcome.Delivered()));
            ready.add(to);
            free(life);
            return;
        }
        byte[] body;
        try {
            body = bodies.of(to.conv, entry);
        } catch (HookBodies.UnwritableException e) {
            getContext().getLog().warn("Entry {} of {} can't be converted", entry.seq(), to.conv, e);
            HookOutcome failed = new HookOutcome.Failed(HookOutcome.Code.CONVERSION, e.getMessage());
            figures.count(failed);
            over(new Sent(to, entry.seq(), attempt, outOfTurn, failed));
            ready.add(to);
            free(life);
            return;
        }
        figures.began();
        note(to.conv, entry, attempt);
        HookClient.Exchange exchange = client.post(to.conv + "/" + entry.seq(), attempt, body);
        getContext()
                .pipeToSelf(
                        exchange.outcome(),
                        (outcome, failure) -> new Sent(to, entry.seq(), attempt, outOfTurn, outcome));
        getContext().pipeToSelf(exchange.ended(), (done, failure) -> new Freed(life));
    }

    /** What is sent leaves at once, so it is queued and written in one: the node's ledger knows both. */
    private void note(String conv, Entry entry, int attempt) {
        Ledger ledger = services.deliveries().ledger();
        if (ledger.isOn() && entry.kind() == Entry.Kind.MESSAGE) {
            requests++;
            ledger.queued(conv, entry.seq(), endpoint, requests, attempt);
            ledger.written(endpoint, requests);
        }
    }

    private void onSent(Sent sent) {
        figures.count(sent.outcome());
        if (conversations.get(sent.to().conv) == sent.to()) {
            over(sent);
            pump(sent.to());
        }
    }

    /** What follows from an attempt; the conversation may go on then. */
    private void over(Sent sent) {
        HookConversation to = sent.to();
        to.busy = false;
        if (sent.outOfTurn()) {
            to.again = 0;
        }
        if (sent.outcome() instanceof HookOutcome.Failed failed) {
            if (!sent.outOfTurn()) {
                to.refuse(sent.seq());
            }
            refuse(to, sent, failed);
        } else if (sent.outOfTurn()) {
            ask(to, ref -> new ConversationCommand.Taken(principal, sent.seq(), ref));
        } else {
            to.took(sent.seq());
            ack(to);
        }
    }

    private void ack(HookConversation to) {
        long seq = to.have();
        ask(to, ref -> new ConversationCommand.Ack(principal, seq, false, ref));
    }

    private void ask(HookConversation to, Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        services.gateway()
                .conversation(to.conv, to.ref, principal.person(), request)
                .thenAccept(ignored::tell);
    }

    private void refuse(HookConversation by, Sent sent, HookOutcome.Failed failed) {
        by.refusing++;
        Person person = principal.person();
        Principal who = principal;
        getContext()
                .pipeToSelf(
                        services.gateway()
                                .conversation(
                                        by.conv,
                                        by.ref,
                                        person,
                                        ref -> new ConversationCommand.Nack(
                                                who,
                                                NAME,
                                                sent.seq(),
                                                sent.attempt(),
                                                failed.code().wireName(),
                                                failed.reason(),
                                                ref)),
                        (reply, failure) -> new Refused(by, reply));
    }

    private void onRefused(Refused refused) {
        HookConversation by = refused.by();
        by.refusing--;
        boolean counted = refused.answer() instanceof ConversationReply.OfLetter of && !of.duplicate();
        if (!counted && conversations.get(by.conv) == by) {
            // The conversation says anew how far this terminal may go.
            askAgain(by);
        }
    }
}
