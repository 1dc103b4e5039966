package dev.switchboard.serialization;

import static dev.switchboard.testing.Samples.AT;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationEvent.DeliveryFailed;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.Erased;
import dev.switchboard.conversation.ConversationEvent.LetterChanged;
import dev.switchboard.conversation.ConversationEvent.MarksMoved;
import dev.switchboard.conversation.ConversationEvent.OfferEnded;
import dev.switchboard.conversation.ConversationEvent.Offered;
import dev.switchboard.conversation.ConversationEvent.Opened;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.ConversationEvent.Succeeded;
import dev.switchboard.conversation.ConversationState;
import dev.switchboard.conversation.DeskIntent;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Identity;
import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Letters;
import dev.switchboard.conversation.Marks;
import dev.switchboard.conversation.OpenOffer;
import dev.switchboard.conversation.Ownership;
import dev.switchboard.conversation.Past;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RecentLog;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskEvent.AvailabilityChosen;
import dev.switchboard.desk.DeskEvent.DeadlineMoved;
import dev.switchboard.desk.DeskEvent.Known;
import dev.switchboard.desk.DeskEvent.Listing;
import dev.switchboard.desk.DeskEvent.ProfileSet;
import dev.switchboard.desk.DeskEvent.ReachChanged;
import dev.switchboard.desk.DeskEvent.SlotConfirmed;
import dev.switchboard.desk.DeskEvent.SlotReleased;
import dev.switchboard.desk.DeskEvent.SlotReserved;
import dev.switchboard.desk.DeskState;
import dev.switchboard.desk.Profile;
import dev.switchboard.desk.Slot;
import dev.switchboard.routing.QueueSettings;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** One value of everything that is persisted, with every field in use; the golden bytes are of these. */
final class FormSamples {
    private static final Person CAROL = new Person(Role.CUSTOMER, "carol");
    private static final Person ALICE = new Person(Role.AGENT, "alice");
    private static final Person SHOP = new Person(Role.SERVICE, "shop-bot");
    private static final byte[] KEY = {0, 1, -1, 127, -128, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    private static final RoutingDecision DECISION = new RoutingDecision(
            AT, "alice", "longest-idle", "idle the longest", List.of("alice: idle 35 s", "bob: full (3 of 3)"));
    private static final OpenOffer OFFER = new OpenOffer("c-carol!7!alice!2", "alice", AT.plusSeconds(30), DECISION);
    private static final Ticket TICKET = new Ticket(
            "billing", 7, "carol", 9, Set.of("french", "deutsch", "日本語"), AT, true, "alice", AT.plusSeconds(45), true);
    private static final Marks MARKS = new Marks(
            Map.of(CAROL, new Watermark(12, 10), ALICE, new Watermark(300, 0)), Map.of("alice", 7L, "bob", 5L));
    private static final DeskIntent INTENT = new DeskIntent("alice", 8, DeskIntent.Kind.CONFIRM, "c-carol!7!alice!2");
    private static final Body FILE =
            new Body("file", "the bill", "https://files.example/1", "bill.pdf", "application/pdf", 123_456_789_012L);
    private static final Entry MESSAGE =
            Entry.message(41, CAROL, AT.plusMillis(1), "client-41", Body.text("Grüße, 你好 👋"));
    private static final Entry ATTACHMENT = Entry.message(42, ALICE, AT.plusMillis(2), "client-42", FILE);
    private static final Entry LABELLED =
            Entry.label(43, ALICE, AT.plusMillis(3), "client-43", List.of("vip", "refund"), List.of("new"));
    private static final Entry ASSIGNED = Entry.lifecycle(
            44, Entry.Kind.ASSIGNED, ALICE, AT.plusMillis(4), "client-44", "alice", 8, "billing", "alice", "by offer");
    private static final Listing LISTING =
            new Listing(Availability.AWAY, 5, 3, Set.of("default", "billing"), Set.of("french", "deutsch"), true, AT);
    private static final Slot SLOT =
            new Slot("c-carol", "c-carol!7!alice!2", 7, false, true, AT.plusSeconds(30), DECISION, "billing");

    private static final Letter LETTER = new Letter(
            "c-carol!7!agent!alice!41",
            ALICE,
            41,
            "billing",
            CAROL,
            "client-41",
            Letter.State.RETRIED,
            QueueSettings.DeadLetters.SKIP,
            4,
            List.of(
                    new Letter.Attempt(3, AT.plusSeconds(3), "desk-1", "too-large", "Größer als 4 kB"),
                    new Letter.Attempt(4, AT.plusSeconds(4), null, "away", null)),
            List.of(new Letter.Action("retry", new Person(Role.OPERATOR, "olga"), AT.plusSeconds(5), "key-1")),
            AT,
            AT.plusSeconds(4),
            AT.plusSeconds(35),
            AT.plusSeconds(5));

    private FormSamples() {}

    /** By the form's name. */
    static Map<String, Object> full() {
        Map<String, Object> samples = new TreeMap<>();
        samples.put(
                "c.opened",
                new Opened(AT, "carol", SHOP, TICKET, Map.of("page", "prices", "plan", ""), KEY, AT.plusSeconds(9)));
        samples.put("c.entry", new EntryAppended(MESSAGE, 0x1122334455667788L, true, MARKS, AT.plusSeconds(60)));
        samples.put(
                "c.owner",
                new OwnerChanged(
                        ASSIGNED,
                        -2,
                        Status.ASSIGNED,
                        "billing",
                        TICKET,
                        "c-carol!7!alice!2",
                        DECISION,
                        List.of(INTENT, new DeskIntent("bob", 6, DeskIntent.Kind.RELEASE, null)),
                        MARKS,
                        Instant.MAX));
        samples.put("c.offered", new Offered(OFFER, "billing", 7, AT, MARKS, AT.plusSeconds(30)));
        samples.put(
                "c.offer-ended",
                new OfferEnded(
                        "c-carol!7!alice!2",
                        "alice",
                        "declined",
                        Status.WAITING,
                        "billing",
                        7,
                        AT,
                        INTENT,
                        MARKS,
                        AT.plusSeconds(31)));
        samples.put("c.marks", new MarksMoved(MARKS, AT.plusSeconds(62)));
        samples.put("c.succeeded", new Succeeded("c-carol~2", MARKS));
        samples.put(
                "c.erased",
                new Erased(
                        AT,
                        Entry.lifecycle(45, Entry.Kind.ERASED, null, AT, null, null, 0, null, null, null),
                        new Person(Role.OPERATOR, "oscar"),
                        "request-1",
                        KEY,
                        MARKS,
                        AT.plusSeconds(60)));
        samples.put("c.attempt", new DeliveryFailed(LETTER, MARKS, AT.plusSeconds(63)));
        samples.put("c.letter", new LetterChanged(LETTER, MARKS, AT.plusSeconds(64)));
        samples.put("r.letter", LETTER);
        samples.put("c.state", state());
        samples.put("d.known", new Known(LISTING, AT.plusSeconds(70)));
        samples.put("d.chosen", new AvailabilityChosen(Availability.AWAY, LISTING, AT.plusSeconds(71)));
        samples.put(
                "d.profile",
                new ProfileSet(
                        new Profile(1000, Set.of("french", "deutsch"), Set.of("billing", "default")),
                        LISTING,
                        AT.plusSeconds(72)));
        samples.put("d.reserved", new SlotReserved(SLOT, LISTING, AT.plusSeconds(73)));
        samples.put(
                "d.confirmed",
                new SlotConfirmed("c-carol", "c-carol!7!alice!2", 8, "billing", LISTING, AT.plusSeconds(74)));
        samples.put("d.released", new SlotReleased("c-carol", 8, LISTING, AT.plusSeconds(75)));
        samples.put("d.reach", new ReachChanged(true, LISTING, AT.plusSeconds(76)));
        samples.put("d.deadline", new DeadlineMoved(LISTING, Instant.MAX));
        samples.put("d.state", deskState());
        return samples;
    }

    /** Values with every field null, zero or empty that can be; not golden, only to be read back. */
    static List<Object> sparse() {
        Listing listing = new Listing(Availability.OFFLINE, 0, 0, Set.of(), Set.of(), false, Instant.EPOCH);
        Entry system = Entry.lifecycle(1, Entry.Kind.CLOSED, null, Instant.EPOCH, null, null, 0, null, null, null);
        return List.of(
                new Opened(AT, "carol", CAROL, TICKET, Map.of(), new byte[0], null),
                new EntryAppended(system, 0, false, Marks.NONE, null),
                new OwnerChanged(system, 0, Status.CLOSED, "default", null, null, null, List.of(), Marks.NONE, null),
                new OfferEnded("o", "a", "barred", Status.WAITING, "q", 1, AT, null, Marks.NONE, null),
                new MarksMoved(Marks.NONE, null),
                new Erased(AT, null, null, null, new byte[0], Marks.NONE, null),
                ConversationState.EMPTY,
                erasedState(new Past(1, true, 0)),
                erasedState(new Past(1, false, 1)),
                DeskState.EMPTY,
                new ProfileSet(null, listing, null),
                new SlotReserved(new Slot("c", "o", 1, true, false, null, null, null), listing, null));
    }

    private static ConversationState erasedState(Past past) {
        Entry erased = new Entry(
                1, Entry.Kind.ERASED_NOTE, ALICE, AT, "n", null, null, 0, null, null, null, List.of(), List.of());
        RecentLog log = new RecentLog(1, 0, List.of(erased), Map.of(), Map.of(), past);
        return new ConversationState(
                null, null, log, Map.of(), Map.of(), List.of(), new TreeSet<>(), false, null, null, Letters.NONE);
    }

    private static ConversationState state() {
        return new ConversationState(
                new Identity(
                        "carol", SHOP, AT, 9, Set.of("french", "deutsch"), Map.of("page", "prices", "plan", ""), KEY),
                new Ownership(
                        Status.OFFERED,
                        "billing",
                        null,
                        7,
                        TICKET,
                        Map.of(OFFER.offer(), OFFER),
                        Set.of("c-carol!7!bob!1", "c-carol!7!bea!1"),
                        Set.of("bob", "bea"),
                        "zoe"),
                new RecentLog(
                        44,
                        44,
                        List.of(MESSAGE, ATTACHMENT, LABELLED, ASSIGNED),
                        Map.of(
                                CAROL,
                                List.of(new RequestRecord("client-41", 99, 41, 7)),
                                ALICE,
                                List.of(new RequestRecord("a", -1, 42, 7), new RequestRecord("b", 1, 43, 7))),
                        Map.of(SHOP, true, ALICE, true),
                        Past.NONE),
                Map.of(CAROL, new Watermark(12, 10), ALICE, new Watermark(300, 0)),
                Map.of("alice", INTENT, "bob", new DeskIntent("bob", 6, DeskIntent.Kind.RELEASE, null)),
                List.of(DECISION),
                new TreeSet<>(Set.of("vip", "refund")),
                true,
                AT.plusSeconds(33),
                "c-carol~2",
                new Letters(List.of(LETTER)));
    }

    /** The oldest first, which is not the order of the names. */
    private static Map<String, Long> released() {
        Map<String, Long> released = new LinkedHashMap<>();
        released.put("c-zoe", 3L);
        released.put("c-frank", 12L);
        released.put("c-erin", 5L);
        return released;
    }

    private static DeskState deskState() {
        return new DeskState(
                true,
                new Profile(3, Set.of("french"), Set.of("billing")),
                Availability.AVAILABLE,
                Map.of("c-carol", SLOT, "c-dave", new Slot("c-dave", "o-2", 4, true, false, null, null, "default")),
                released(),
                true,
                AT.minusSeconds(35),
                17,
                AT.plusSeconds(80));
    }
}
