package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationEvent.DeliveryFailed;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.LetterChanged;
import dev.switchboard.conversation.ConversationEvent.MarksMoved;
import dev.switchboard.conversation.ConversationEvent.OfferEnded;
import dev.switchboard.conversation.ConversationEvent.Offered;
import dev.switchboard.conversation.ConversationEvent.Opened;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.ConversationEvent.Succeeded;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * All that a conversation must know after a restart; snapshots are of this. Immutable.
 *
 * @param identity null before the conversation is opened
 * @param ownership null before the conversation is opened
 * @param log the end of the log and the latest request ids
 * @param watermarks how far the customer and the owners got; owners keep theirs after they lost the conversation
 * @param intents what is owed to desks, by agent
 * @param decisions the latest routing decisions, at most {@link #MAX_DECISIONS}, oldest first
 * @param labels its labels, sorted
 * @param customerOnSocket true when the customer wrote over a socket last, so that absence can be noticed
 * @param deadline when the deadline row says it must be awake; null when there is no row
 * @param successor the conversation that took this one's place; null for none
 * @param letters the deliveries that failed and are not settled
 */
public record ConversationState(
        Identity identity,
        Ownership ownership,
        RecentLog log,
        Map<Person, Watermark> watermarks,
        Map<String, DeskIntent> intents,
        List<RoutingDecision> decisions,
        Set<String> labels,
        boolean customerOnSocket,
        Instant deadline,
        String successor,
        Letters letters) {
    /** How many routing decisions are kept. */
    public static final int MAX_DECISIONS = 10;

    /** The state before the first event. */
    public static final ConversationState EMPTY = new ConversationState(
            null, null, RecentLog.EMPTY, Map.of(), Map.of(), List.of(), Set.of(), false, null, null, Letters.NONE);

    public boolean isOpened() {
        return identity != null;
    }

    public Watermark watermark(Person person) {
        return watermarks.getOrDefault(person, Watermark.NONE);
    }

    /** The state after an event. Throws IllegalStateException for an event that can't follow this state. */
    public ConversationState apply(ConversationEvent event) {
        ConversationState next = apply0(event);
        return next.with(event.marks(), event.deadline());
    }

    private ConversationState apply0(ConversationEvent event) {
        if (event instanceof Opened opened) {
            return opened(opened);
        }
        if (event instanceof EntryAppended appended) {
            Entry entry = appended.entry();
            boolean byCustomer = entry.kind() == Entry.Kind.MESSAGE
                    && entry.from() != null
                    && entry.from().role() == Role.CUSTOMER;
            return new ConversationState(
                    identity,
                    ownership,
                    log.append(entry, appended.hash()),
                    watermarks,
                    intents,
                    decisions,
                    entry.kind() == Entry.Kind.LABEL ? relabelled(entry) : labels,
                    byCustomer ? appended.viaSocket() : customerOnSocket,
                    deadline,
                    successor,
                    letters);
        }
        if (event instanceof OwnerChanged changed) {
            return new ConversationState(
                    identity,
                    ownership.changed(changed),
                    log.append(changed.entry(), changed.hash()),
                    watermarks,
                    withIntents(changed.intents()),
                    withDecision(changed.decision()),
                    labels,
                    customerOnSocket,
                    deadline,
                    successor,
                    letters);
        }
        if (event instanceof Offered offered) {
            return withOwnership(
                    ownership.offered(offered.offer()),
                    intents,
                    withDecision(offered.offer().decision()));
        }
        if (event instanceof OfferEnded ended) {
            return withOwnership(
                    ownership.offerEnded(ended),
                    ended.intent() == null ? intents : withIntents(List.of(ended.intent())),
                    decisions);
        }
        if (event instanceof Succeeded succeeded) {
            return new ConversationState(
                    identity,
                    ownership,
                    log,
                    watermarks,
                    intents,
                    decisions,
                    labels,
                    customerOnSocket,
                    deadline,
                    succeeded.successor(),
                    letters);
        }
        if (event instanceof DeliveryFailed failed) {
            return withLetter(failed.letter());
        }
        if (event instanceof LetterChanged changed) {
            return withLetter(changed.letter());
        }
        if (event instanceof ConversationEvent.Erased erased) {
            return Erasing.apply(this, erased);
        }
        if (event instanceof MarksMoved) {
            return this;
        }
        throw new IllegalStateException("unknown event: " + event);
    }

    private ConversationState opened(Opened opened) {
        Identity who = new Identity(
                opened.customer(),
                opened.openedBy(),
                opened.at(),
                opened.ticket().priority(),
                opened.ticket().skills(),
                opened.attributes(),
                opened.hashKey());
        return new ConversationState(
                who,
                Ownership.waiting(opened.ticket()),
                log,
                watermarks,
                intents,
                decisions,
                labels,
                false,
                deadline,
                null,
                letters);
    }

    private ConversationState withOwnership(
            Ownership newOwnership, Map<String, DeskIntent> newIntents, List<RoutingDecision> newDecisions) {
        return new ConversationState(
                identity,
                newOwnership,
                log,
                watermarks,
                newIntents,
                newDecisions,
                labels,
                customerOnSocket,
                deadline,
                successor,
                letters);
    }

    private ConversationState withLetter(Letter letter) {
        return new ConversationState(
                identity,
                ownership,
                log,
                watermarks,
                intents,
                decisions,
                labels,
                customerOnSocket,
                deadline,
                successor,
                letters.with(letter));
    }

    private ConversationState with(Marks marks, Instant newDeadline) {
        if (marks.isEmpty() && newDeadline == null) {
            return this;
        }
        Map<Person, Watermark> moved = watermarks;
        if (!marks.watermarks().isEmpty()) {
            moved = new HashMap<>(watermarks);
            for (Map.Entry<Person, Watermark> mark : marks.watermarks().entrySet()) {
                Watermark before = moved.getOrDefault(mark.getKey(), Watermark.NONE);
                moved.put(
                        mark.getKey(),
                        before.max(mark.getValue().delivered(), mark.getValue().read()));
            }
        }
        Map<String, DeskIntent> open = intents;
        if (!marks.settled().isEmpty()) {
            open = new HashMap<>(intents);
            for (Map.Entry<String, Long> settled : marks.settled().entrySet()) {
                DeskIntent intent = open.get(settled.getKey());
                if (intent != null && intent.epoch() <= settled.getValue()) {
                    open.remove(settled.getKey());
                }
            }
        }
        Instant row = newDeadline == null ? deadline : newDeadline.equals(Instant.MAX) ? null : newDeadline;
        return new ConversationState(
                identity, ownership, log, moved, open, decisions, labels, customerOnSocket, row, successor, letters);
    }

    private Map<String, DeskIntent> withIntents(List<DeskIntent> more) {
        if (more.isEmpty()) {
            return intents;
        }
        Map<String, DeskIntent> all = new HashMap<>(intents);
        for (DeskIntent intent : more) {
            all.put(intent.agent(), intent);
        }
        return Map.copyOf(all);
    }

    private List<RoutingDecision> withDecision(RoutingDecision decision) {
        if (decision == null || decisions.contains(decision)) {
            return decisions;
        }
        List<RoutingDecision> all = new ArrayList<>(decisions);
        all.add(decision);
        return List.copyOf(all.subList(Math.max(0, all.size() - MAX_DECISIONS), all.size()));
    }

    private Set<String> relabelled(Entry entry) {
        Set<String> changed = new TreeSet<>(labels);
        changed.addAll(entry.labelsAdded());
        changed.removeAll(entry.labelsRemoved());
        return changed;
    }
}
