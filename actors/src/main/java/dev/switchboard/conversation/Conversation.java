package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Accept;
import dev.switchboard.conversation.ConversationCommand.Ack;
import dev.switchboard.conversation.ConversationCommand.Assign;
import dev.switchboard.conversation.ConversationCommand.Attach;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.Decline;
import dev.switchboard.conversation.ConversationCommand.Describe;
import dev.switchboard.conversation.ConversationCommand.DeskAcked;
import dev.switchboard.conversation.ConversationCommand.Detach;
import dev.switchboard.conversation.ConversationCommand.Erase;
import dev.switchboard.conversation.ConversationCommand.Label;
import dev.switchboard.conversation.ConversationCommand.LineAcked;
import dev.switchboard.conversation.ConversationCommand.LookedUp;
import dev.switchboard.conversation.ConversationCommand.Note;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.Open;
import dev.switchboard.conversation.ConversationCommand.OwnerGone;
import dev.switchboard.conversation.ConversationCommand.Positioned;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationCommand.Request;
import dev.switchboard.conversation.ConversationCommand.SlotQuery;
import dev.switchboard.conversation.ConversationCommand.SlotRefused;
import dev.switchboard.conversation.ConversationCommand.Stop;
import dev.switchboard.conversation.ConversationCommand.StorageErased;
import dev.switchboard.conversation.ConversationCommand.TellSender;
import dev.switchboard.conversation.ConversationCommand.TerminalEnded;
import dev.switchboard.conversation.ConversationCommand.Tick;
import dev.switchboard.conversation.ConversationCommand.Transfer;
import dev.switchboard.conversation.ConversationCommand.Typing;
import dev.switchboard.conversation.ConversationCommand.WakeUp;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.Erased;
import dev.switchboard.conversation.ConversationEvent.MarksMoved;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.ConversationReply.Described;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Moved;
import dev.switchboard.conversation.ConversationReply.Opened;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.Recovered;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.Eraser;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.persistence.typed.EventAdapter;
import org.apache.pekko.persistence.typed.JournalPersistFailed;
import org.apache.pekko.persistence.typed.JournalPersistRejected;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.RecoveryFailed;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;

/**
 * One customer's thread with the service: the single writer of its order and of its owner. An actor; talk to it by
 * {@link ConversationCommand}s.
 *
 * <p>What people ask for is decided by {@link ConversationRules}. Every answer and every push follows the journal: nothing
 * is said that a restart could take back. Steps towards desks and the line are kept in the state ({@link DeskIntent}, the
 * {@link Ticket}) and repeated until they are acknowledged ({@link Steps}); steps from desks are answered from the state
 * by {@link SlotRules}, so a repeat gets the same answer.
 *
 * <p>Watermarks and acknowledgements ride along with the next event ({@link Marks}). The terminals attached
 * ({@link Attachments}) survive a failure of the journal, since the actor restarts in place; they are then told the last
 * entry again, so that they notice what they lack.
 */
public final class Conversation
        extends EventSourcedBehavior<ConversationCommand, ConversationEvent, ConversationState> {
    private static final Duration RESTART_MIN = Duration.ofMillis(200);
    private static final Duration RESTART_MAX = Duration.ofSeconds(10);

    private final ActorContext<ConversationCommand> context;
    private final TimerScheduler<ConversationCommand> timers;
    private final ActorRef<ClusterSharding.ShardCommand> shard;
    private final String conv;
    private final Peers peers;
    private final EntryLog log;
    private final ConversationSettings settings;
    private final ConversationRules rules;
    private final SlotRules slotRules;
    private final Timetable timetable;
    private final Transitions transitions;
    private final Attachments attachments;
    private final LetterRules letterRules;
    private final Deliveries deliveries;
    private final LetterRequests letters;
    private final Steps steps;
    private final Recovered<ConversationEvent> recovered;
    private final UnreadableConversation unreadable;
    private final Upkeep upkeep;
    private final Progress progress = new Progress();
    private final WritePermit permit;
    private final ConversationIntake intake;

    private ConversationCommand handling;
    private ActorRef<ConversationReply> unanswered;
    private Positioned position;
    private Instant customerGoneSince;
    private boolean customerWasThere;
    private Instant lastUsed;
    private Instant tickAt = Instant.MAX;
    private final SnapshotSize snapshotSize;

    /** The behaviour of the conversation with that id. {@code shard} is told when it wants to leave memory. */
    public static Behavior<ConversationCommand> create(
            String conv,
            ActorRef<ClusterSharding.ShardCommand> shard,
            Peers peers,
            QueueCatalog queues,
            EntryLog log,
            Eraser eraser,
            ConversationSettings settings,
            DeliveryFigures figures) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            WriteAdmission admission = WriteAdmission.of(context.getSystem());
            WritePermit permit = new WritePermit(admission);
            ConversationIntake intake = new ConversationIntake(admission, permit);
            return Behaviors.intercept(
                    () -> intake,
                    new Conversation(
                            context, timers, conv, shard, peers, queues, log, eraser, settings, figures, permit,
                            intake));
        }));
    }

    private Conversation(
            ActorContext<ConversationCommand> context,
            TimerScheduler<ConversationCommand> timers,
            String conv,
            ActorRef<ClusterSharding.ShardCommand> shard,
            Peers peers,
            QueueCatalog queues,
            EntryLog log,
            Eraser eraser,
            ConversationSettings settings,
            DeliveryFigures figures,
            WritePermit permit,
            ConversationIntake intake) {
        super(
                PersistenceId.ofUniqueId(EntityKind.CONVERSATION.persistenceId(conv)),
                SupervisorStrategy.restartWithBackoff(RESTART_MIN, RESTART_MAX, 0.2));
        this.context = context;
        this.timers = timers;
        this.shard = shard;
        this.conv = conv;
        this.peers = peers;
        this.log = log;
        this.settings = settings;
        this.snapshotSize = new SnapshotSize(settings.snapshotChars());
        this.permit = permit;
        this.intake = intake;
        this.rules = new ConversationRules(conv, queues, settings);
        this.transitions = rules.transitions();
        this.slotRules = new SlotRules(transitions);
        this.timetable = new Timetable(queues, transitions);
        this.attachments = new Attachments(conv);
        this.letterRules = new LetterRules(conv, queues, settings);
        this.deliveries = new Deliveries(conv, attachments, figures);
        this.letters = new LetterRequests(letterRules, attachments, deliveries, progress);
        this.steps = new Steps(conv, peers, settings);
        this.recovered = new Recovered<>(persistenceId().id(), context.getSystem());
        this.unreadable = new UnreadableConversation(conv, peers, steps, recovered);
        this.upkeep = new Upkeep(conv, eraser);
        this.lastUsed = settings.clock().instant();
    }

    @Override
    public ConversationState emptyState() {
        return ConversationState.EMPTY;
    }

    @Override
    public EventHandler<ConversationState, ConversationEvent> eventHandler() {
        return recovered.guarded(ConversationState::apply, () -> lastSequenceNumber(context));
    }

    @Override
    public EventAdapter<ConversationEvent, ?> eventAdapter() {
        return recovered;
    }

    @Override
    public CommandHandler<ConversationCommand, ConversationEvent, ConversationState> commandHandler() {
        return this::handle;
    }

    private Effect<ConversationEvent, ConversationState> handle(ConversationState state, ConversationCommand command) {
        intake.handled();
        handling = command;
        if (recovered.isUnreadable()) {
            return onUnreadable(state, command);
        }
        if (command instanceof Post post) {
            return carryOut(state, post, rules.post(state, post, now()));
        }
        if (command instanceof Ack ack) {
            return onAck(state, ack);
        }
        if (command instanceof Request request) {
            return onRequest(state, request);
        }
        if (command instanceof Attach attach) {
            return onAttach(state, attach);
        }
        if (command instanceof Detach detach) {
            return onTerminalGone(state, detach.ref());
        }
        if (command instanceof TerminalEnded ended) {
            return onTerminalGone(state, ended.ref());
        }
        if (command instanceof Typing typing) {
            return onTyping(state, typing);
        }
        return onStep(state, command);
    }

    private Effect<ConversationEvent, ConversationState> onStep(ConversationState state, ConversationCommand command) {
        if (command instanceof OfferSlot slot) {
            return onOfferSlot(state, slot);
        }
        if (command instanceof SlotQuery query) {
            return tellDesk(
                    state, slotRules.slotQuery(state, query, now()), query.agent(), query.offer(), query.epoch());
        }
        if (command instanceof SlotRefused refused) {
            refused.request().replyTo().tell(new Refused(refused.refusal()));
            return Effect().none();
        }
        if (command instanceof OwnerGone gone) {
            return tellDesk(state, slotRules.ownerGone(state, gone, now()), gone.agent(), null, gone.epoch());
        }
        if (command instanceof DeskAcked acked) {
            progress.settled(acked.agent(), acked.epoch(), now());
            return Effect().none();
        }
        if (command instanceof LineAcked acked) {
            steps.lineAcked(acked.epoch());
            return Effect().none();
        }
        if (command instanceof Positioned told) {
            return onPositioned(state, told);
        }
        if (command instanceof LookedUp found) {
            return onLookedUp(state, found);
        }
        if (command instanceof StorageErased answer) {
            return onStorageErased(state, answer);
        }
        if (command instanceof TellSender tell) {
            attachments.toCustomer(tell.state());
            return Effect().none();
        }
        if (command instanceof WakeUp || command instanceof Tick) {
            return onTick(state, command instanceof WakeUp);
        }
        if (command instanceof Stop) {
            if (!permit.take(WriteAdmission.Share.STEPS)) {
                return tryAgainLater();
            }
            Marks marks = progress.take(state);
            return marks.isEmpty()
                    ? Effect().stop()
                    : Effect().persist(new MarksMoved(marks, null)).thenStop();
        }
        return Effect().unhandled();
    }

    // ---- requests of people ----

    private Effect<ConversationEvent, ConversationState> onRequest(ConversationState state, Request request) {
        lastUsed = now();
        if (request instanceof Open open) {
            return carryOut(state, open, rules.open(state, open, now()));
        }
        if (!state.isOpened()) {
            return refuse(request.replyTo(), ConversationRules.notFound().refusal());
        }
        if (request instanceof ConversationCommand.OfLetter ofLetter) {
            return onLetter(state, ofLetter);
        }
        if (request instanceof Accept accept) {
            return onOfferAnswer(state, accept, accept.offer(), true);
        }
        if (request instanceof Decline decline) {
            return onOfferAnswer(state, decline, decline.offer(), false);
        }
        if (request instanceof Assign assign) {
            return carryOut(state, assign, rules.assign(state, assign, now()));
        }
        if (request instanceof Transfer transfer) {
            return carryOut(state, transfer, rules.transfer(state, transfer, now()));
        }
        if (request instanceof Close close) {
            return carryOut(state, close, rules.close(state, close, now()));
        }
        if (request instanceof Note note) {
            return carryOut(state, note, rules.note(state, note, now()));
        }
        if (request instanceof Label label) {
            return carryOut(state, label, rules.label(state, label, now()));
        }
        if (request instanceof Erase erase) {
            return onErase(state, erase, rules.erase(state, erase, now()));
        }
        if (request instanceof Describe describe) {
            Relation relation = Relation.of(describe.by(), state);
            return relation == Relation.STRANGER
                    ? refuse(describe.replyTo(), ConversationRules.notFound().refusal())
                    : answer(describe.replyTo(), new Described(view(state, describe.by(), relation)));
        }
        return Effect().unhandled();
    }

    private Effect<ConversationEvent, ConversationState> onOfferAnswer(
            ConversationState state, Request request, String offer, boolean accept) {
        Optional<OfferId> id = OfferId.parse(offer).filter(o -> o.conv().equals(conv));
        if (id.isEmpty()) {
            return refuse(request.replyTo(), Refusal.of(ErrorCode.UNKNOWN_OFFER, "There is no such offer."));
        }
        return carryOut(
                state,
                request,
                accept
                        ? rules.accept(state, request.by(), id.get(), now())
                        : rules.decline(state, request.by(), id.get(), now()));
    }

    private Effect<ConversationEvent, ConversationState> carryOut(
            ConversationState state, Request request, Verdict verdict) {
        lastUsed = now();
        if (verdict instanceof Verdict.Persist persist) {
            return persist(state, persist.events(), request.replyTo(), after -> asItIs(after, request, true));
        }
        if (verdict instanceof Verdict.Refuse refuse) {
            return refuse(request.replyTo(), refuse.refusal());
        }
        if (verdict instanceof Verdict.Again again) {
            RequestRecord first = again.first();
            Entry.Visibility reader = ConversationViews.readerOf(request.by().role());
            return answer(
                    request.replyTo(),
                    new Done(
                            conv,
                            first.seq(),
                            first.epoch() == 0 ? state.ownership().epoch() : first.epoch(),
                            state.log().lastSeq(reader),
                            true));
        }
        if (verdict instanceof Verdict.AsIs) {
            return answer(request.replyTo(), asItIs(state, request, false));
        }
        if (verdict instanceof Verdict.AskDesk ask) {
            steps.askForSlot(state, (Assign) request, ask.decision());
            return Effect().none();
        }
        if (verdict instanceof Verdict.GoTo goTo) {
            return goTo.first()
                    ? persist(
                            state,
                            List.of(rules.succeeded(state)),
                            request.replyTo(),
                            after -> new Moved(goTo.successor()))
                    : answer(request.replyTo(), new Moved(goTo.successor()));
        }
        Post post = (Post) request;
        context.pipeToSelf(
                Lookups.of(log, conv, post),
                (found, failure) -> failure == null ? found : new LookedUp(post, Optional.empty(), false, true));
        return Effect().none();
    }

    private Effect<ConversationEvent, ConversationState> onLookedUp(ConversationState state, LookedUp found) {
        if (found.failed()) {
            return refuse(
                    found.post().replyTo(),
                    Refusal.of(ErrorCode.JOURNAL_UNAVAILABLE, "The journal can't be asked now; send it again."));
        }
        return carryOut(state, found.post(), rules.post(state, found.post(), now(), found));
    }

    // ---- persisting, and what follows ----

    private Effect<ConversationEvent, ConversationState> persistByItself(
            ConversationState before, ConversationEvent event) {
        return persist(before, List.of(event), null, after -> null);
    }

    /** Persists events together, then answers (with null: later), then tells whom it concerns. */
    private Effect<ConversationEvent, ConversationState> persist(
            ConversationState before,
            List<? extends ConversationEvent> events,
            ActorRef<ConversationReply> replyTo,
            Function<ConversationState, ConversationReply> reply) {
        if (!permit.take(replyTo == null ? WriteAdmission.Share.STEPS : WriteAdmission.Share.REQUESTS)) {
            return replyTo == null ? tryAgainLater() : refuse(replyTo, permit.refusal());
        }
        List<ConversationEvent> all =
                MarksRider.withMarks(letterRules.withSuperseded(before, events, now()), progress.take(before));
        unanswered = replyTo;
        all.forEach(snapshotSize::written);
        return (all.size() == 1 ? Effect().persist(all.get(0)) : Effect().persist(all)).thenRun(after -> {
            permit.giveBack();
            unanswered = null;
            ConversationReply answer = replyTo == null ? null : reply.apply(after);
            if (answer != null) {
                replyTo.tell(answer);
            }
            long publicSeq = before.log().lastPublicSeq();
            for (ConversationEvent event : all) {
                publicSeq = afterwards(before, after, event, publicSeq);
            }
            scheduleTick(after);
        });
    }

    /** No room to write now: a step comes back by itself, so that nobody needs to repeat it. */
    private Effect<ConversationEvent, ConversationState> tryAgainLater() {
        timers.startSingleTimer(handling, handling, permit.putOff());
        return Effect().none();
    }

    /** What follows from one persisted event. Returns the last public seq after it. */
    private long afterwards(
            ConversationState before, ConversationState after, ConversationEvent event, long prevPublic) {
        long publicSeq = prevPublic;
        Optional<Entry> entry = event.journaledEntry();
        if (entry.isPresent()) {
            deliveries.accepted(before, event, entry.get(), now());
            attachments.entry(entry.get(), prevPublic);
            publicSeq = entry.get().visibility() == Entry.Visibility.ALL
                    ? entry.get().seq()
                    : prevPublic;
        }
        if (event instanceof OwnerChanged changed) {
            position = null;
            for (ActorRef<TerminalPush> gone : attachments.removeWhoMayNot(after)) {
                context.unwatch(gone);
                gone.tell(new TerminalPush.LetGo(conv, changed.entry().kind().wireName()));
            }
            if (before.isOpened() && before.ownership().ticket() != null) {
                steps.leave(before.ownership().ticket());
            }
            if (changed.status() == Status.WAITING && !attachments.customerIsThere()) {
                customerGoneSince = now();
            }
        }
        if (!(event instanceof EntryAppended || event instanceof MarksMoved || Deliveries.isOfLetter(event))) {
            steps.restart(after, now());
        }
        if (event instanceof Erased erased) {
            erasedOrBegun(after, erased);
        }
        if (event instanceof ConversationEvent.DeliveryFailed failed) {
            deliveries.changed(after, failed.letter(), true, now());
        } else if (event instanceof ConversationEvent.LetterChanged changed) {
            deliveries.changed(after, changed.letter(), false, now());
        } else if (event instanceof ConversationEvent.Offered offered) {
            steps.offerOpen(offered.offer(), ConversationViews.preview(after));
        }
        return publicSeq;
    }

    private ConversationReply asItIs(ConversationState state, Request request, boolean created) {
        if (request instanceof Open open) {
            return new Opened(view(state, open.by(), Relation.of(open.by(), state)), created);
        }
        Entry.Visibility reader = ConversationViews.readerOf(request.by().role());
        long lastSeq = state.log().lastSeq(reader);
        return new Done(conv, lastSeq, state.ownership().epoch(), lastSeq, false);
    }

    // ---- erasure ----

    private Effect<ConversationEvent, ConversationState> onErase(
            ConversationState state, Erase erase, Verdict verdict) {
        if (verdict instanceof Verdict.Refuse refuse) {
            return refuse(erase.replyTo(), refuse.refusal());
        }
        if (verdict instanceof Verdict.Persist persist) {
            long marker = state.log().lastSeq() + 1;
            return persist(state, persist.events(), erase.replyTo(), after -> {
                upkeep.await(after, erase.replyTo(), marker, false, now());
                return null;
            });
        }
        long marker = verdict instanceof Verdict.Again again
                ? again.first().seq()
                : state.log().past().erasedAt();
        upkeep.await(state, erase.replyTo(), marker, true, now());
        scheduleTick(state);
        return Effect().none();
    }

    private Effect<ConversationEvent, ConversationState> onStorageErased(
            ConversationState state, StorageErased answer) {
        if (upkeep.ended(state, answer, now())) {
            return persistByItself(state, Erased.carriedOut(now(), transitions.deadlineAfterErasure(state, now())));
        }
        upkeep.run(context, state, now());
        scheduleTick(state);
        return Effect().none();
    }

    /** Whoever was told a preview is told one without words; then the storage's turn comes. */
    private void erasedOrBegun(ConversationState after, Erased event) {
        upkeep.persisted(after, event);
        if (!event.isCarriedOut()) {
            after.ownership()
                    .offers()
                    .values()
                    .forEach(offer -> steps.offerOpen(offer, ConversationViews.preview(after)));
        }
        upkeep.run(context, after, now());
    }

    // ---- steps of desks ----

    private Effect<ConversationEvent, ConversationState> onOfferSlot(ConversationState state, OfferSlot slot) {
        if (slot.request() == null || !state.isOpened()) {
            SlotRules.Answer answer = slotRules.offerSlot(state, slot, now());
            if (answer instanceof SlotRules.Answer.Release release && release.lineToo()) {
                peers.line(slot.queue(), new LineCommand.Leave(conv, slot.epoch()));
            }
            return tellDesk(state, answer, slot.agent(), slot.offer(), slot.epoch());
        }
        Ownership ownership = state.ownership();
        ActorRef<ConversationReply> replyTo = slot.request().replyTo();
        if (ownership.status() == Status.ASSIGNED && slot.agent().equals(ownership.owner())) {
            steps.confirm(ownership, slot.offer());
            long lastSeq = state.log().lastSeq();
            return answer(replyTo, new Done(conv, lastSeq, ownership.epoch(), lastSeq, true));
        }
        Verdict verdict = rules.assignOffered(state, slot, now());
        if (verdict instanceof Verdict.Persist persist) {
            long seq = state.log().lastSeq() + 1;
            Done done = new Done(conv, seq, ownership.epoch() + 1, seq, false);
            return persist(state, persist.events(), replyTo, after -> done);
        }
        steps.release(slot.agent(), slot.offer(), slot.epoch());
        return verdict instanceof Verdict.Refuse refuse
                ? refuse(replyTo, refuse.refusal())
                : Effect().none();
    }

    private Effect<ConversationEvent, ConversationState> tellDesk(
            ConversationState state, SlotRules.Answer answer, String agent, String offer, long epoch) {
        if (answer instanceof SlotRules.Answer.Persist persist) {
            return persistByItself(state, persist.event());
        }
        if (answer instanceof SlotRules.Answer.Confirm) {
            steps.confirm(state.ownership(), offer);
        } else if (answer instanceof SlotRules.Answer.StillOpen open) {
            steps.offerOpen(open.offer(), ConversationViews.preview(state));
        } else {
            steps.release(agent, offer, epoch);
        }
        return Effect().none();
    }

    // ---- terminals ----

    private Effect<ConversationEvent, ConversationState> onAttach(ConversationState state, Attach attach) {
        Relation relation = state.isOpened() ? Relation.of(attach.by(), state) : Relation.STRANGER;
        if (relation.reads() == null) {
            attach.ref()
                    .tell(new TerminalPush.AttachRefused(
                            conv, ConversationRules.notFound().refusal()));
            return Effect().none();
        }
        boolean wasThere = attachments.customerIsThere();
        ActorRef<TerminalPush> replaced = attachments.add(attach, relation);
        if (replaced != null) {
            context.unwatch(replaced);
            replaced.tell(new TerminalPush.Replaced());
        }
        context.watchWith(attach.ref(), new TerminalEnded(attach.ref()));
        lastUsed = now();
        Person person = ConversationViews.receiver(state, attach.by(), relation);
        long lastSeq = state.log().lastSeq(relation.reads());
        long after = attach.after() >= 0
                ? attach.after()
                : progress.effective(state, person).delivered();
        deliveries.greet(
                context.getSelf(),
                state,
                attach.ref(),
                view(state, attach.by(), relation),
                person,
                relation.reads(),
                after > lastSeq || state.log().past().isGoneAfter(after) ? -1 : after);
        if (attach.by().role() == Role.CUSTOMER) {
            customerGoneSince = null;
            customerWasThere = true;
            if (!wasThere) {
                attachments.toStaff(new TerminalPush.Presence(conv, attach.by().person(), true));
            }
            if (position != null) {
                attach.ref().tell(position.push(conv));
            }
        }
        return Effect().none();
    }

    private Effect<ConversationEvent, ConversationState> onTerminalGone(
            ConversationState state, ActorRef<TerminalPush> ref) {
        Attachments.Attached gone = attachments.remove(ref);
        if (gone == null) {
            return Effect().none();
        }
        context.unwatch(ref);
        lastUsed = now();
        if (gone.by().role() == Role.CUSTOMER && !attachments.customerIsThere()) {
            customerGoneSince = now();
            attachments.toStaff(new TerminalPush.Presence(conv, gone.by().person(), false));
        }
        scheduleTick(state);
        return Effect().none();
    }

    private Effect<ConversationEvent, ConversationState> onTyping(ConversationState state, Typing typing) {
        Relation relation = state.isOpened() ? Relation.of(typing.by(), state) : Relation.STRANGER;
        TerminalPush.Typing push = new TerminalPush.Typing(conv, typing.by().person());
        if (relation == Relation.CUSTOMER || relation == Relation.SERVICE) {
            attachments.toStaff(push);
        } else if (relation == Relation.OWNER) {
            attachments.toCustomer(push);
        }
        return Effect().none();
    }

    private Effect<ConversationEvent, ConversationState> onPositioned(ConversationState state, Positioned told) {
        boolean waits = state.isOpened() && state.ownership().ticket() != null;
        if (waits && told.epoch() == state.ownership().epoch()) {
            position = told;
            attachments.toCustomer(told.push(conv));
        }
        return Effect().none();
    }

    // ---- watermarks ----

    private Effect<ConversationEvent, ConversationState> onAck(ConversationState state, Ack ack) {
        Relation relation = state.isOpened() ? Relation.of(ack.by(), state) : Relation.STRANGER;
        if (relation.reads() == null) {
            return refuse(ack.replyTo(), ConversationRules.notFound().refusal());
        }
        long lastSeq = state.log().lastSeq(relation.reads());
        if (ack.seq() < 0 || ack.seq() > lastSeq) {
            return refuse(
                    ack.replyTo(),
                    Refusal.of(ErrorCode.BAD_ACK, "Nothing beyond " + lastSeq + " was sent.")
                            .withFact("lastSeq", lastSeq));
        }
        if (relation != Relation.SUPERVISOR) {
            Person person = ConversationViews.receiver(state, ack.by(), relation);
            Watermark before = progress.effective(state, person);
            if (progress.mark(state, person, ack.seq(), ack.read() ? ack.seq() : 0, now())) {
                Watermark mark = progress.effective(state, person);
                attachments.receipt(state.log(), person, before, mark);
                deliveries.acknowledged(state.log(), person, relation.reads(), before, mark);
                scheduleTick(state);
            }
            if (!state.letters().isEmpty()) {
                List<ConversationEvent> settled = letterRules.acked(state, person, ack.seq(), now());
                if (!settled.isEmpty()) {
                    long epoch = state.ownership().epoch();
                    Done done = new Done(conv, ack.seq(), epoch, lastSeq, false);
                    return persist(state, settled, ack.replyTo(), after -> done);
                }
            }
        }
        return answer(ack.replyTo(), new Done(conv, ack.seq(), state.ownership().epoch(), lastSeq, false));
    }

    // ---- refused entries ----

    private Effect<ConversationEvent, ConversationState> onLetter(
            ConversationState state, ConversationCommand.OfLetter request) {
        Instant now = now();
        LetterRules.Outcome outcome = letters.outcome(state, request, now);
        if (outcome instanceof LetterRules.Outcome.Refuse refuse) {
            return refuse(request.replyTo(), refuse.refusal());
        }
        if (outcome instanceof LetterRules.Outcome.AsIs asIs) {
            return answer(request.replyTo(), new ConversationReply.OfLetter(asIs.letter(), true));
        }
        LetterRules.Outcome.Changed changed = (LetterRules.Outcome.Changed) outcome;
        letters.passOver(state, changed.letter(), now);
        ConversationReply reply = new ConversationReply.OfLetter(changed.letter(), false);
        return persist(state, List.of(changed.event()), request.replyTo(), after -> reply);
    }

    private ConversationView view(ConversationState state, Principal by, Relation relation) {
        return ConversationViews.view(conv, state, progress, by, relation);
    }

    // ---- time ----

    private Effect<ConversationEvent, ConversationState> onTick(ConversationState state, boolean woken) {
        tickAt = Instant.MAX;
        if (!state.isOpened()) {
            return leaveMemory();
        }
        Instant now = now();
        Optional<ConversationEvent> due = timetable.due(state, absentSince(state), now);
        if (due.isPresent()) {
            return persistByItself(state, due.get());
        }
        Optional<ConversationEvent> unanswered = letterRules.overdue(state, progress, now);
        if (unanswered.isPresent()) {
            return persistByItself(state, unanswered.get());
        }
        deliveries.refresh(state, now);
        steps.repeat(state, progress, now);
        upkeep.run(context, state, now);
        boolean rowIsDue = state.deadline() != null && !state.deadline().isAfter(now);
        boolean marksAreDue = progress.isDue(now, settings.marksAfter());
        if (rowIsDue || marksAreDue) {
            if (!permit.take(WriteAdmission.Share.STEPS)) {
                return tryAgainLater();
            }
            Marks marks = progress.take(state);
            ConversationState after = state.apply(new MarksMoved(marks, null));
            Instant needed = transitions.needed(after, now);
            Instant row = needed.equals(Instant.MAX) && state.deadline() == null ? null : needed;
            if (rowIsDue || !marks.isEmpty()) {
                return Effect().persist(new MarksMoved(marks, row)).thenRun(later -> {
                    permit.giveBack();
                    scheduleTick(later);
                });
            }
            permit.giveBack();
        }
        if (mayLeaveMemory(state, now)) {
            return leaveMemory();
        }
        if (woken) {
            lastUsed = now;
        }
        scheduleTick(state);
        return Effect().none();
    }

    /** Since when the customer's absence counts; null while it is there, or if it never used a socket. */
    private Instant absentSince(ConversationState state) {
        return state.customerOnSocket() || customerWasThere ? customerGoneSince : null;
    }

    /** One timer, at the nearest time at which something may be due. */
    private void scheduleTick(ConversationState state) {
        Instant now = now();
        Instant next = now.plus(settings.passivateAfter());
        if (customerGoneSince == null && !attachments.customerIsThere()) {
            customerGoneSince = now;
        }
        if (state.isOpened()) {
            next = Timetable.earlier(next, timetable.next(state, absentSince(state)));
            next = Timetable.earlier(next, state.letters().nextDue(now));
            next = Timetable.earlier(next, steps.nextRepeat(state, progress));
            next = Timetable.earlier(next, progress.dueAt(settings.marksAfter()));
            next = Timetable.earlier(next, upkeep.next(state));
        }
        if (next.isBefore(tickAt)) {
            tickAt = next;
            Duration delay = Duration.between(now, next);
            timers.startSingleTimer(new Tick(), delay.isNegative() ? Duration.ZERO : delay);
        }
    }

    private boolean mayLeaveMemory(ConversationState state, Instant now) {
        return attachments.isEmpty()
                && state.ownership().ticket() == null
                && !steps.areOpen(state, progress)
                && !upkeep.isOwed(state)
                && !now.isBefore(lastUsed.plus(settings.passivateAfter()));
    }

    private Effect<ConversationEvent, ConversationState> leaveMemory() {
        shard.tell(new ClusterSharding.Passivate<>(context.getSelf()));
        return Effect().none();
    }

    private Instant now() {
        return settings.clock().instant();
    }

    // ---- answers ----

    private Effect<ConversationEvent, ConversationState> refuse(ActorRef<ConversationReply> to, Refusal refusal) {
        return answer(to, new Refused(refusal));
    }

    private Effect<ConversationEvent, ConversationState> answer(
            ActorRef<ConversationReply> to, ConversationReply reply) {
        if (to != null) {
            to.tell(reply);
        }
        return Effect().none();
    }

    // ---- recovery and failure ----

    @Override
    public SignalHandler<ConversationState> signalHandler() {
        return newSignalHandlerBuilder()
                .onSignal(RecoveryCompleted.instance(), this::onRecovered)
                .onSignal(RecoveryFailed.class, (state, failed) -> intake.recoveryFailed())
                .onSignal(JournalPersistFailed.class, (state, failed) -> refuseUnanswered())
                .onSignal(JournalPersistRejected.class, (state, rejected) -> refuseUnanswered())
                .build();
    }

    private void refuseUnanswered() {
        permit.giveBack();
        recovered.replayAgain();
        if (unanswered != null) {
            unanswered.tell(new Refused(permit.notWritten()));
            unanswered = null;
        }
    }

    private Effect<ConversationEvent, ConversationState> onUnreadable(
            ConversationState state, ConversationCommand command) {
        if (command instanceof Tick) {
            return leaveMemory();
        }
        unreadable.answer(state, command);
        return command instanceof Stop ? Effect().stop() : Effect().none();
    }

    private void onRecovered(ConversationState state) {
        intake.recovered();
        recovered.completed();
        tickAt = Instant.MAX;
        if (recovered.isUnreadable()) {
            timers.startSingleTimer(new Tick(), recovered.retryAfter());
            return;
        }
        if (!state.isOpened()) {
            scheduleTick(state);
            return;
        }
        if (!attachments.customerIsThere()) {
            customerGoneSince = now().plus(settings.attachTime());
        }
        steps.restart(state, now());
        upkeep.restart(context, state, now());
        deliveries.restart(state, now());
        if (state.ownership().status() == Status.ASSIGNED) {
            steps.back(state.ownership());
        }
        if (!attachments.isEmpty() && !state.log().recent().isEmpty()) {
            // A write that was reported as failed may have committed: the last entry shows terminals what they lack.
            Entry last = state.log().recent().get(state.log().recent().size() - 1);
            attachments.entry(last, last.seq() - 1);
        }
        scheduleTick(state);
    }

    @Override
    public RetentionCriteria retentionCriteria() {
        return RetentionCriteria.snapshotEvery(settings.snapshotEvery(), 2);
    }

    @Override
    public boolean shouldSnapshot(ConversationState state, ConversationEvent event, long sequenceNr) {
        return snapshotSize.takeDue(event);
    }
}
