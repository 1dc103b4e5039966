package dev.switchboard.desk;

import dev.switchboard.conversation.ConversationCommand.DeskAcked;
import dev.switchboard.conversation.ConversationCommand.Requested;
import dev.switchboard.conversation.ConversationCommand.SlotRefused;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.OfferId;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.conversation.WriteAdmission;
import dev.switchboard.conversation.WritePermit;
import dev.switchboard.delivery.Recovered;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.delivery.TerminalPush.DeskAttached;
import dev.switchboard.delivery.TerminalPush.OfferMade;
import dev.switchboard.delivery.TerminalPush.OfferOver;
import dev.switchboard.delivery.TerminalPush.TakeUp;
import dev.switchboard.desk.DeskCommand.Announced;
import dev.switchboard.desk.DeskCommand.AttachTerminal;
import dev.switchboard.desk.DeskCommand.ChooseAvailability;
import dev.switchboard.desk.DeskCommand.Confirm;
import dev.switchboard.desk.DeskCommand.ConversationBack;
import dev.switchboard.desk.DeskCommand.DetachTerminal;
import dev.switchboard.desk.DeskCommand.OfferOpen;
import dev.switchboard.desk.DeskCommand.Release;
import dev.switchboard.desk.DeskCommand.Reserve;
import dev.switchboard.desk.DeskCommand.ReserveFor;
import dev.switchboard.desk.DeskCommand.SetProfile;
import dev.switchboard.desk.DeskCommand.Show;
import dev.switchboard.desk.DeskCommand.Stop;
import dev.switchboard.desk.DeskCommand.WakeUp;
import dev.switchboard.desk.DeskEvent.AvailabilityChosen;
import dev.switchboard.desk.DeskEvent.DeadlineMoved;
import dev.switchboard.desk.DeskEvent.Known;
import dev.switchboard.desk.DeskEvent.Listing;
import dev.switchboard.desk.DeskEvent.ProfileSet;
import dev.switchboard.desk.DeskEvent.ReachChanged;
import dev.switchboard.desk.DeskEvent.SlotConfirmed;
import dev.switchboard.desk.DeskEvent.SlotReleased;
import dev.switchboard.desk.DeskEvent.SlotReserved;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineCommand.DeskClosed;
import dev.switchboard.routing.LineCommand.DeskOpen;
import dev.switchboard.routing.LineCommand.Leave;
import dev.switchboard.routing.LineCommand.NotReserved;
import dev.switchboard.routing.LineCommand.Reserved;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.persistence.typed.EventAdapter;
import org.apache.pekko.persistence.typed.JournalPersistFailed;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.RecoveryFailed;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EffectBuilder;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;

/**
 * One agent's desk: the one writer of how much of the agent's capacity is used. A persistent, sharded actor;
 * everything said to it may be repeated.
 *
 * <p>A slot is reserved before the conversation is told, confirmed or released by the conversation alone, and never
 * freed by time: so the agent never holds more than its capacity. What the desk owes the conversation in each state is
 * the table in {@link SlotSteps}. What a step does to the slot of its conversation:
 *
 * <pre>
 * slot is          Reserve (same epoch)   Reserve (newer epoch)  Confirm(e)             Release(offer, e)
 * free             reserved, if room      reserved, if room      confirmed if e is      remembers e
 *                                                                newer than released
 * reserved(o, e')  reserved (answered     reserved anew          confirmed              freed if offer = o or e &gt; e'
 *                  again)
 * confirmed(e')    not reserved           reserved anew          confirmed if e &gt; e'    freed if e ≥ e'
 * </pre>
 *
 * <p>A Reserve older than the slot or than the last release is answered with Leave: the line knows too little. Confirm
 * and Release are acknowledged in every cell.
 *
 * <pre>
 * reachability     when                                             new conversations   held conversations
 * reachable        a terminal is attached                           by availability     kept
 * unknown          after a start, for attach-time                   none                kept, offers stay
 * unreachable      the last terminal ended                          none                kept for the queue's grace
 * gone             the grace of every held conversation has passed  none                each told OwnerGone
 * left             the agent chose offline                          none                each told OwnerGone at once
 * </pre>
 */
public final class Desk extends EventSourcedBehavior<DeskCommand, DeskEvent, DeskState> {
    private static final String TIMER = "due";
    private static final Set<String> DEFAULT_QUEUES = Set.of("default");
    private static final Duration DEFAULT_GRACE = Duration.ofMinutes(1);

    private final String agent;
    private final Peers peers;
    private final QueueCatalog queues;
    private final DeskSettings settings;
    private final ActorRef<ClusterSharding.ShardCommand> shard;
    private final ActorContext<DeskCommand> context;
    private final TimerScheduler<DeskCommand> timers;
    private final DeskTerminals terminals;
    private final DeskLines lines;
    private final SlotSteps steps;
    private final WritePermit permit;
    private final Recovered<DeskEvent> recovered;
    private final UnreadableDesk unreadable;
    private final DeskIntake intake;

    /** When each slot was confirmed while no terminal was there: its grace counts from then. */
    private final Map<String, Instant> confirmedAlone = new HashMap<>();

    /** Since when no terminal has been there, or from when that counts; null while one is. */
    private Instant unreachableSince = Instant.MAX;

    private Instant lastBusy = Instant.MIN;
    private Instant timerAt = Instant.MAX;

    private Desk(
            String agent,
            Peers peers,
            QueueCatalog queues,
            DeskSettings settings,
            ActorRef<ClusterSharding.ShardCommand> shard,
            ActorContext<DeskCommand> context,
            TimerScheduler<DeskCommand> timers,
            WritePermit permit,
            DeskIntake intake) {
        super(
                PersistenceId.ofUniqueId(EntityKind.DESK.persistenceId(agent)),
                SupervisorStrategy.restartWithBackoff(Duration.ofMillis(200), Duration.ofSeconds(10), 0.2));
        this.agent = agent;
        this.peers = peers;
        this.queues = queues;
        this.settings = settings;
        this.shard = shard;
        this.context = context;
        this.timers = timers;
        this.terminals = new DeskTerminals(context);
        this.lines = new DeskLines(context, peers, settings.announceEvery());
        this.steps = new SlotSteps(agent, peers, settings);
        this.permit = permit;
        this.intake = intake;
        this.recovered = new Recovered<>(persistenceId().id(), context.getSystem());
        this.unreadable = new UnreadableDesk(agent, peers, recovered);
    }

    /**
     * The desk of an agent.
     *
     * @param shard whom to ask for passivation; null: never passivated
     */
    public static Behavior<DeskCommand> create(
            String agent,
            Peers peers,
            QueueCatalog queues,
            DeskSettings settings,
            ActorRef<ClusterSharding.ShardCommand> shard) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            WriteAdmission admission = WriteAdmission.of(context.getSystem());
            WritePermit permit = new WritePermit(admission);
            DeskIntake intake = new DeskIntake(admission, permit);
            return Behaviors.intercept(
                    () -> intake, new Desk(agent, peers, queues, settings, shard, context, timers, permit, intake));
        }));
    }

    @Override
    public DeskState emptyState() {
        return DeskState.EMPTY;
    }

    @Override
    public EventHandler<DeskState, DeskEvent> eventHandler() {
        return recovered.guarded(DeskState::apply, () -> lastSequenceNumber(context));
    }

    @Override
    public EventAdapter<DeskEvent, ?> eventAdapter() {
        return recovered;
    }

    @Override
    public RetentionCriteria retentionCriteria() {
        return RetentionCriteria.snapshotEvery(settings.snapshotEvery(), 2).withDeleteEventsOnSnapshot();
    }

    @Override
    public SignalHandler<DeskState> signalHandler() {
        return newSignalHandlerBuilder()
                .onSignal(RecoveryCompleted.instance(), this::recovered)
                .onSignal(Terminated.class, this::ended)
                .onSignal(JournalPersistFailed.class, (state, failed) -> {
                    recovered.replayAgain();
                    permit.giveBack();
                })
                .onSignal(RecoveryFailed.class, (state, failed) -> intake.recoveryFailed())
                .build();
    }

    @Override
    public CommandHandler<DeskCommand, DeskEvent, DeskState> commandHandler() {
        CommandHandler<DeskCommand, DeskEvent, DeskState> handler = newCommandHandlerBuilder()
                .forAnyState()
                .onCommand(AttachTerminal.class, this::attach)
                .onCommand(DetachTerminal.class, this::detach)
                .onCommand(ChooseAvailability.class, this::choose)
                .onCommand(SetProfile.class, this::setProfile)
                .onCommand(Show.class, this::show)
                .onCommand(Reserve.class, this::reserve)
                .onCommand(ReserveFor.class, this::reserveFor)
                .onCommand(OfferOpen.class, this::offerOpen)
                .onCommand(Confirm.class, this::confirm)
                .onCommand(Release.class, this::release)
                .onCommand(ConversationBack.class, this::conversationBack)
                .onCommand(Announced.class, this::announced)
                .onCommand(WakeUp.class, this::wakeUp)
                .onCommand(Stop.class, (state, stop) -> Effect().stop())
                .build();
        return (state, command) -> {
            intake.handled();
            if (recovered.isUnreadable()) {
                return onUnreadable(command);
            }
            return mayPersist(command) ? withPermit(handler, state, command) : handler.apply(state, command);
        };
    }

    private static boolean mayPersist(DeskCommand command) {
        return !(command instanceof DetachTerminal
                || command instanceof Show
                || command instanceof OfferOpen
                || command instanceof ConversationBack
                || command instanceof Announced
                || command instanceof Stop);
    }

    /**
     * An agent's capacity is what routing stands on: whatever a desk writes counts as a step, and waits when there is no
     * room.
     */
    private Effect<DeskEvent, DeskState> withPermit(
            CommandHandler<DeskCommand, DeskEvent, DeskState> handler, DeskState state, DeskCommand command) {
        if (!permit.take(WriteAdmission.Share.STEPS)) {
            timers.startSingleTimer(command, command, permit.putOff());
            return Effect().none();
        }
        Effect<DeskEvent, DeskState> effect = handler.apply(state, command);
        if (effect instanceof EffectBuilder<DeskEvent, DeskState> builder) {
            return builder.thenRun(after -> permit.giveBack());
        }
        throw new IllegalStateException("a desk's handlers leave it open what follows");
    }

    // ---- the agent and its terminals ----

    private Effect<DeskEvent, DeskState> attach(DeskState state, AttachTerminal attach) {
        terminals.add(attach.by().person(), attach.terminal(), attach.ref());
        unreachableSince = null;
        confirmedAlone.clear();
        List<DeskEvent> events = new ArrayList<>(2);
        if (!state.known()) {
            events.add(new Known(listing(state), null));
        }
        if (state.ownersGone() && state.availability() != Availability.OFFLINE) {
            events.add(new ReachChanged(false, listing(state), null));
        }
        return Effect().persist(events).thenRun(after -> {
            attach.ref().tell(new DeskAttached(context.getSelf(), view(after)));
            for (OfferMade made : steps.openOffers(after)) {
                attach.ref().tell(made);
            }
            settle(after);
        });
    }

    private Effect<DeskEvent, DeskState> detach(DeskState state, DetachTerminal detach) {
        if (terminals.remove(detach.ref())) {
            terminalGone(state);
        }
        return Effect().none();
    }

    private Effect<DeskEvent, DeskState> onUnreadable(DeskCommand command) {
        if (command instanceof WakeUp wakeUp && wakeUp.due() == null) {
            leaveMemory();
        }
        unreadable.answer(command);
        return command instanceof Stop ? Effect().stop() : Effect().none();
    }

    private void ended(DeskState state, Terminated signal) {
        if (recovered.isUnreadable()) {
            return;
        }
        ActorRef<?> ref = signal.getRef().unsafeUpcast();
        if (terminals.remove(ref)) {
            terminalGone(state);
        } else if (lines.ended(ref)) {
            settle(state);
        }
    }

    private void terminalGone(DeskState state) {
        if (terminals.isEmpty()) {
            unreachableSince = now();
        }
        settle(state);
    }

    private Effect<DeskEvent, DeskState> choose(DeskState state, ChooseAvailability choose) {
        Availability chosen = choose.availability();
        boolean leaves = chosen == Availability.OFFLINE && !state.slots().isEmpty() && !state.ownersGone();
        if (state.known() && state.availability() == chosen && !leaves) {
            choose.replyTo().tell(new DeskReply.Shown(view(state)));
            return Effect().none();
        }
        Listing listing = listing(state.profile(), chosen, state.slots().size());
        return Effect().persist(new AvailabilityChosen(chosen, listing, null)).thenRun(after -> {
            choose.replyTo().tell(new DeskReply.Shown(view(after)));
            settle(after);
        });
    }

    private Effect<DeskEvent, DeskState> setProfile(DeskState state, SetProfile set) {
        if (set.profile().equals(state.profile())) {
            set.replyTo().tell(new DeskReply.Shown(view(state)));
            return Effect().none();
        }
        Listing listing =
                listing(set.profile(), state.availability(), state.slots().size());
        return Effect().persist(new ProfileSet(set.profile(), listing, null)).thenRun(after -> {
            set.replyTo().tell(new DeskReply.Shown(view(after)));
            settle(after);
        });
    }

    private Effect<DeskEvent, DeskState> show(DeskState state, Show show) {
        show.replyTo().tell(new DeskReply.Shown(view(state)));
        return Effect().none();
    }

    private Effect<DeskEvent, DeskState> conversationBack(DeskState state, ConversationBack back) {
        Slot slot = state.slots().get(back.conv());
        if (slot != null && slot.confirmed()) {
            terminals.tell(new TakeUp(back.conv()));
        }
        return Effect().none();
    }

    // ---- slots ----

    private Effect<DeskEvent, DeskState> reserve(DeskState state, Reserve reserve) {
        String conv = reserve.conv();
        long epoch = reserve.epoch();
        Slot held = state.slots().get(conv);
        if (held != null && !held.confirmed() && held.epoch() == epoch) {
            peers.line(reserve.queue(), new Reserved(conv, epoch, agent));
            return Effect().none();
        }
        if (epoch < state.releasedEpoch(conv) || (held != null && held.epoch() >= epoch)) {
            peers.line(reserve.queue(), new NotReserved(conv, epoch, agent, "stale"));
            peers.line(reserve.queue(), new Leave(conv, epoch));
            return Effect().none();
        }
        String why = objection(state, held, reserve.direct() ? null : reserve.queue());
        if (why != null) {
            peers.line(reserve.queue(), new NotReserved(conv, epoch, agent, why));
            return Effect().none();
        }
        Instant deadline = now().plus(reserve.offerTimeout());
        return reserveSlot(
                        state, held, conv, epoch, reserve.queue(), reserve.auto(), deadline, reserve.decision(), null)
                .thenRun(after -> {
                    settle(after);
                    peers.line(reserve.queue(), new Reserved(conv, epoch, agent));
                });
    }

    private Effect<DeskEvent, DeskState> reserveFor(DeskState state, ReserveFor ask) {
        Slot held = state.slots().get(ask.conv());
        Requested request = ask.request();
        if (held != null && !held.confirmed() && held.epoch() == ask.epoch()) {
            steps.requested(held, request);
            settle(state);
            return Effect().none();
        }
        boolean stale = ask.epoch() < state.releasedEpoch(ask.conv()) || (held != null && held.epoch() >= ask.epoch());
        boolean itself = request.by().id().equals(agent) && request.by().role().isStaff();
        String why = stale ? "stale" : itself ? fullOrLeaving(state, held) : objection(state, held, null);
        if (why != null) {
            peers.conversation(ask.conv(), new SlotRefused(agent, request, refusal(why)));
            return Effect().none();
        }
        Instant deadline = now().plus(settings.answerMargin());
        return reserveSlot(state, held, ask.conv(), ask.epoch(), ask.queue(), true, deadline, ask.decision(), request)
                .thenRun(this::settle);
    }

    private EffectBuilder<DeskEvent, DeskState> reserveSlot(
            DeskState state,
            Slot replaced,
            String conv,
            long epoch,
            String queue,
            boolean auto,
            Instant deadline,
            RoutingDecision decision,
            Requested request) {
        String offer = new OfferId(conv, epoch, agent, state.offersMade() + 1).toString();
        Slot slot = new Slot(conv, offer, epoch, false, auto, deadline, decision, queue);
        int count = state.slots().size() + (replaced == null ? 1 : 0);
        SlotReserved event = new SlotReserved(
                slot,
                listing(state.profile(), state.availability(), count),
                row(state, count, deadline.plus(settings.answerMargin())));
        return Effect().persist(event).thenRun(after -> {
            offerOver(replaced, "withdrawn");
            if (request != null) {
                steps.requested(slot, request);
            }
        });
    }

    private Effect<DeskEvent, DeskState> offerOpen(DeskState state, OfferOpen open) {
        Slot slot = state.slots().get(open.conv());
        if (slot != null && !slot.confirmed() && open.offer().equals(slot.offer())) {
            OfferMade made = steps.opened(slot, open.deadline(), open.preview());
            if (made != null) {
                terminals.tell(made);
            }
            settle(state);
        }
        return Effect().none();
    }

    private Effect<DeskEvent, DeskState> confirm(DeskState state, Confirm confirm) {
        Slot held = state.slots().get(confirm.conv());
        boolean late = confirm.epoch() <= state.releasedEpoch(confirm.conv());
        boolean known = held != null && held.confirmed() && held.epoch() >= confirm.epoch();
        if (late || known) {
            peers.conversation(confirm.conv(), new DeskAcked(agent, confirm.epoch()));
            return Effect().none();
        }
        int count = state.slots().size() + (held == null ? 1 : 0);
        SlotConfirmed event = new SlotConfirmed(
                confirm.conv(),
                confirm.offer() != null || held == null ? confirm.offer() : held.offer(),
                confirm.epoch(),
                confirm.queue(),
                listing(state.profile(), state.availability(), count),
                row(state, count, Instant.MAX));
        return Effect().persist(event).thenRun(after -> {
            if (terminals.isEmpty()) {
                confirmedAlone.put(confirm.conv(), now());
            }
            offerOver(held, "accepted");
            terminals.tell(new TakeUp(confirm.conv()));
            peers.conversation(confirm.conv(), new DeskAcked(agent, confirm.epoch()));
            settle(after);
        });
    }

    private Effect<DeskEvent, DeskState> release(DeskState state, Release release) {
        String conv = release.conv();
        Slot held = state.slots().get(conv);
        if (held != null && !frees(held, release)) {
            peers.conversation(conv, new DeskAcked(agent, release.epoch()));
            return Effect().none();
        }
        if (held == null && release.epoch() <= state.releasedEpoch(conv)) {
            peers.conversation(conv, new DeskAcked(agent, release.epoch()));
            return Effect().none();
        }
        String why = held == null ? "" : whyOver(state, held, release);
        int count = state.slots().size() - (held == null ? 0 : 1);
        SlotReleased event = new SlotReleased(
                conv,
                release.epoch(),
                listing(state.profile(), state.availability(), count),
                row(state, count, Instant.MAX));
        return Effect().persist(event).thenRun(after -> {
            confirmedAlone.remove(conv);
            if (held != null && held.confirmed()) {
                terminals.tell(new TerminalPush.LetGo(conv, release.reason()));
            } else if (held != null) {
                offerOver(held, why);
            }
            peers.conversation(conv, new DeskAcked(agent, release.epoch()));
            settle(after);
            tellLine(held, release, why);
        });
    }

    /** The table's last column. */
    private static boolean frees(Slot held, Release release) {
        return held.confirmed()
                ? release.epoch() >= held.epoch()
                : release.epoch() > held.epoch() || held.offer().equals(release.offer());
    }

    /** The line that reserved it goes on with the conversation, or forgets it, without waiting for its own net. */
    private void tellLine(Slot held, Release release, String why) {
        if (held == null || held.confirmed()) {
            return;
        }
        peers.line(
                held.queue(),
                release.epoch() > held.epoch()
                        ? new Leave(held.conv(), held.epoch())
                        : new NotReserved(held.conv(), held.epoch(), agent, why));
    }

    /** Why an offer is over, as the desk sees it: a release says only that it is. */
    private String whyOver(DeskState state, Slot held, Release release) {
        if (release.epoch() > held.epoch()) {
            return "taken";
        }
        if (objection(state, held, null) != null) {
            return "withdrawn";
        }
        return now().isBefore(steps.end(held)) ? "declined" : "timeout";
    }

    private void offerOver(Slot slot, String reason) {
        if (slot != null && !slot.confirmed() && !slot.auto()) {
            terminals.tell(new OfferOver(slot.offer(), slot.conv(), reason));
        }
    }

    /** Why the agent can't take that conversation now; null when it can. A null queue: a person named the agent. */
    private String objection(DeskState state, Slot replaced, String queue) {
        if (state.availability() != Availability.AVAILABLE) {
            return state.availability().wireName();
        }
        if (terminals.isEmpty()) {
            return "unreachable";
        }
        if (queue != null && !profileQueues(state).contains(queue)) {
            return "not-serving";
        }
        return fullOrLeaving(state, replaced);
    }

    private String fullOrLeaving(DeskState state, Slot replaced) {
        if (state.ownersGone()) {
            return "leaving";
        }
        return replaced == null && state.slots().size() >= capacity(state.profile()) ? "full" : null;
    }

    private Refusal refusal(String why) {
        return switch (why) {
            case "full" ->
                Refusal.of(ErrorCode.AGENT_FULL, "The agent " + agent + " has no room now.")
                        .withFact("agent", agent);
            case "stale" -> Refusal.of(ErrorCode.STALE_EPOCH, "The conversation changed hands meanwhile.");
            default ->
                Refusal.of(ErrorCode.AGENT_UNAVAILABLE, "The agent " + agent + " is " + why + ".")
                        .withFact("agent", agent);
        };
    }

    // ---- time ----

    private Effect<DeskEvent, DeskState> announced(DeskState state, Announced announced) {
        lines.taken(announced.queue(), announced.line());
        return Effect().none();
    }

    /** From the sweeper, or with a null time from the desk's own timer. */
    private Effect<DeskEvent, DeskState> wakeUp(DeskState state, WakeUp wakeUp) {
        if (wakeUp.due() == null) {
            timerAt = Instant.MAX;
        }
        List<DeskEvent> events = new ArrayList<>(2);
        Instant now = now();
        if (allGone(state, now)) {
            events.add(new ReachChanged(true, listing(state), null));
        }
        boolean rowIsDue = state.deadline() != null && !now.isBefore(state.deadline());
        if (rowIsDue || (wakeUp.due() != null && state.deadline() == null)) {
            Instant next = state.slots().isEmpty() ? Instant.MAX : now.plus(settings.wakeEvery());
            events.add(new DeadlineMoved(listing(state), next));
        }
        return Effect().persist(events).thenRun(this::settle);
    }

    private boolean allGone(DeskState state, Instant now) {
        if (state.ownersGone() || unreachableSince == null) {
            return false;
        }
        boolean any = false;
        for (Slot slot : state.slots().values()) {
            if (slot.confirmed()) {
                any = true;
                if (now.isBefore(goneAt(state, slot))) {
                    return false;
                }
            }
        }
        return any;
    }

    /** From when the owner of a confirmed slot counts as gone. */
    private Instant goneAt(DeskState state, Slot slot) {
        if (state.ownersGone()) {
            return Instant.MIN;
        }
        if (unreachableSince == null || unreachableSince.equals(Instant.MAX)) {
            return Instant.MAX;
        }
        Instant alone = confirmedAlone.getOrDefault(slot.conv(), Instant.MIN);
        Duration grace =
                queues.find(slot.queue()).map(QueueSettings::ownerGrace).orElse(DEFAULT_GRACE);
        return (alone.isAfter(unreachableSince) ? alone : unreachableSince).plus(grace);
    }

    private void recovered(DeskState state) {
        intake.recovered();
        recovered.completed();
        if (recovered.isUnreadable()) {
            timers.startSingleTimer(TIMER, new WakeUp(null), recovered.retryAfter());
            return;
        }
        terminals.watchAgain();
        lines.restart();
        steps.restart();
        confirmedAlone.clear();
        timerAt = Instant.MAX;
        unreachableSince = terminals.isEmpty() ? now().plus(settings.attachTime()) : null;
        settle(state);
    }

    /**
     * After every change: says what is owed, tells the lines, and sets the timer for the next time that either is due.
     */
    private void settle(DeskState state) {
        Instant now = now();
        boolean mayAttach = unreachableSince == null || now.isBefore(unreachableSince);
        boolean serving = state.availability() == Availability.AVAILABLE && mayAttach && !state.ownersGone();
        Instant next = steps.run(state, now, serving, this::goneAt);
        if (state.known()) {
            next = earlier(next, lines.announce(profileQueues(state), announcement(state), now));
        }
        if (unreachableSince != null && now.isBefore(unreachableSince)) {
            next = earlier(next, unreachableSince);
        }
        if (terminals.isEmpty() && state.slots().isEmpty()) {
            next = earlier(next, passivation(now));
        } else {
            lastBusy = now;
        }
        if (state.deadline() != null) {
            next = earlier(next, state.deadline());
        }
        if (next.isBefore(timerAt)) {
            timerAt = next;
            Duration delay = Duration.between(now, next);
            timers.startSingleTimer(TIMER, new WakeUp(null), delay.isNegative() ? Duration.ZERO : delay);
        }
    }

    private Instant passivation(Instant now) {
        if (shard == null) {
            return Instant.MAX;
        }
        if (lastBusy.equals(Instant.MIN)) {
            lastBusy = now;
        }
        Instant at = lastBusy.plus(settings.passivateAfter());
        if (!now.isBefore(at)) {
            leaveMemory();
            lastBusy = now;
            return now.plus(settings.passivateAfter());
        }
        return at;
    }

    private void leaveMemory() {
        if (shard != null) {
            shard.tell(new ClusterSharding.Passivate<>(context.getSelf()));
        }
    }

    // ---- parts ----

    private LineCommand announcement(DeskState state) {
        int capacity = capacity(state.profile());
        int held = state.slots().size();
        String closed = objection(state, null, null);
        return closed != null
                ? new DeskClosed(agent, closed)
                : new DeskOpen(
                        agent,
                        capacity - held,
                        held,
                        capacity,
                        profileSkills(state),
                        state.idleSince(),
                        context.getSelf());
    }

    /** The new time of the deadline row: earlier if needed, none without slots; null leaves it. */
    private Instant row(DeskState state, int slotsAfter, Instant needed) {
        if (slotsAfter == 0) {
            return state.deadline() == null ? null : Instant.MAX;
        }
        Instant now = now();
        Instant wanted = earlier(now.plus(settings.wakeEvery()), needed);
        boolean usable = state.deadline() != null && now.isBefore(state.deadline());
        return usable && !wanted.isBefore(state.deadline()) ? null : wanted;
    }

    private Listing listing(DeskState state) {
        return listing(state.profile(), state.availability(), state.slots().size());
    }

    private Listing listing(Profile profile, Availability availability, int held) {
        return new Listing(
                availability,
                capacity(profile),
                held,
                profile == null ? DEFAULT_QUEUES : profile.queues(),
                profile == null ? Set.of() : profile.skills(),
                profile != null,
                now());
    }

    private DeskView view(DeskState state) {
        return new DeskView(
                agent,
                state.availability(),
                !terminals.isEmpty(),
                capacity(state.profile()),
                profileQueues(state),
                profileSkills(state),
                state.profile() != null,
                List.copyOf(state.slots().values()),
                state.idleSince());
    }

    private int capacity(Profile profile) {
        return profile == null ? settings.defaultCapacity() : profile.capacity();
    }

    private static Set<String> profileQueues(DeskState state) {
        return state.profile() == null ? DEFAULT_QUEUES : state.profile().queues();
    }

    private static Set<String> profileSkills(DeskState state) {
        return state.profile() == null ? Set.of() : state.profile().skills();
    }

    private Instant now() {
        return settings.clock().instant();
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
