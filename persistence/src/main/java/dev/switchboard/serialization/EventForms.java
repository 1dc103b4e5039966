package dev.switchboard.serialization;

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
import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Letters;
import dev.switchboard.conversation.Person;
import dev.switchboard.desk.DeskEvent.AvailabilityChosen;
import dev.switchboard.desk.DeskEvent.DeadlineMoved;
import dev.switchboard.desk.DeskEvent.Known;
import dev.switchboard.desk.DeskEvent.ProfileSet;
import dev.switchboard.desk.DeskEvent.ReachChanged;
import dev.switchboard.desk.DeskEvent.SlotConfirmed;
import dev.switchboard.desk.DeskEvent.SlotReleased;
import dev.switchboard.desk.DeskEvent.SlotReserved;
import dev.switchboard.desk.DeskState;
import java.util.List;
import java.util.TreeSet;

/**
 * The table of everything that is persisted: one row a class, for ever. Rows are only appended; a class id or a name is
 * never used again. Golden bytes of every version ever released hold it. Stateless.
 */
final class EventForms {
    private EventForms() {}

    static List<Form<?>> all() {
        return List.of(
                new Form<>(100, "c.opened", Opened.class, 1, EventForms::opened, EventForms::opened),
                new Form<>(101, "c.entry", EntryAppended.class, 1, EventForms::entry, EventForms::entry),
                new Form<>(102, "c.owner", OwnerChanged.class, 1, EventForms::owner, EventForms::owner),
                new Form<>(103, "c.offered", Offered.class, 1, EventForms::offered, EventForms::offered),
                new Form<>(104, "c.offer-ended", OfferEnded.class, 1, EventForms::offerEnded, EventForms::offerEnded),
                new Form<>(105, "c.marks", MarksMoved.class, 1, EventForms::marks, EventForms::marks),
                new Form<>(106, "c.succeeded", Succeeded.class, 1, EventForms::succeeded, EventForms::succeeded),
                new Form<>(107, "c.state", ConversationState.class, 2, EventForms::state, EventForms::state),
                new Form<>(108, "c.erased", Erased.class, 1, EventForms::erased, EventForms::erased),
                new Form<>(113, "c.attempt", DeliveryFailed.class, 1, EventForms::attempt, EventForms::attempt),
                new Form<>(114, "c.letter", LetterChanged.class, 1, EventForms::letter, EventForms::letter),
                new Form<>(130, "r.letter", Letter.class, 1, EventForms::letterRow, EventForms::letterRow),
                new Form<>(120, "d.known", Known.class, 1, EventForms::known, EventForms::known),
                new Form<>(121, "d.chosen", AvailabilityChosen.class, 1, EventForms::chosen, EventForms::chosen),
                new Form<>(122, "d.profile", ProfileSet.class, 1, EventForms::profile, EventForms::profile),
                new Form<>(123, "d.reserved", SlotReserved.class, 1, EventForms::reserved, EventForms::reserved),
                new Form<>(124, "d.confirmed", SlotConfirmed.class, 1, EventForms::confirmed, EventForms::confirmed),
                new Form<>(125, "d.released", SlotReleased.class, 1, EventForms::released, EventForms::released),
                new Form<>(126, "d.reach", ReachChanged.class, 1, EventForms::reach, EventForms::reach),
                new Form<>(127, "d.deadline", DeadlineMoved.class, 1, EventForms::deadline, EventForms::deadline),
                new Form<>(128, "d.state", DeskState.class, 1, EventForms::deskState, EventForms::deskState));
    }

    // ---- conversations ----

    private static void opened(Out out, Opened event) {
        out.time(event.at());
        out.text(event.customer());
        out.optional(event.openedBy(), Parts::person);
        out.optional(event.ticket(), Parts::ticket);
        out.map(event.attributes(), Out::text);
        out.bytes(event.hashKey());
        out.time(event.deadline());
    }

    private static Opened opened(In in, int version) {
        return new Opened(
                in.time(),
                in.text(),
                in.optional(Parts::person),
                in.optional(Parts::ticket),
                in.map(In::text),
                in.bytes(),
                in.time());
    }

    private static void entry(Out out, EntryAppended event) {
        Parts.entry(out, event.entry());
        out.hash(event.hash());
        out.flag(event.viaSocket());
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static EntryAppended entry(In in, int version) {
        return new EntryAppended(Parts.entry(in), in.hash(), in.flag(), Parts.marks(in), in.time());
    }

    private static void owner(Out out, OwnerChanged event) {
        Parts.entry(out, event.entry());
        out.hash(event.hash());
        Parts.status(out, event.status());
        out.text(event.queue());
        out.optional(event.ticket(), Parts::ticket);
        out.text(event.offer());
        out.optional(event.decision(), Parts::decision);
        out.list(event.intents(), Parts::intent);
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static OwnerChanged owner(In in, int version) {
        return new OwnerChanged(
                Parts.entry(in),
                in.hash(),
                Parts.status(in),
                in.text(),
                in.optional(Parts::ticket),
                in.text(),
                in.optional(Parts::decision),
                in.list(Parts::intent),
                Parts.marks(in),
                in.time());
    }

    private static void offered(Out out, Offered event) {
        Parts.offer(out, event.offer());
        out.text(event.queue());
        out.number(event.epoch());
        out.time(event.at());
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static Offered offered(In in, int version) {
        return new Offered(Parts.offer(in), in.text(), in.number(), in.time(), Parts.marks(in), in.time());
    }

    private static void offerEnded(Out out, OfferEnded event) {
        out.text(event.offer());
        out.text(event.agent());
        out.text(event.reason());
        Parts.status(out, event.status());
        out.text(event.queue());
        out.number(event.epoch());
        out.time(event.at());
        out.optional(event.intent(), Parts::intent);
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static OfferEnded offerEnded(In in, int version) {
        return new OfferEnded(
                in.text(),
                in.text(),
                in.text(),
                Parts.status(in),
                in.text(),
                in.number(),
                in.time(),
                in.optional(Parts::intent),
                Parts.marks(in),
                in.time());
    }

    private static void marks(Out out, MarksMoved event) {
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static MarksMoved marks(In in, int version) {
        return new MarksMoved(Parts.marks(in), in.time());
    }

    private static void succeeded(Out out, Succeeded event) {
        out.text(event.successor());
        Parts.marks(out, event.marks());
    }

    private static Succeeded succeeded(In in, int version) {
        return new Succeeded(in.text(), Parts.marks(in));
    }

    private static void erased(Out out, Erased event) {
        out.time(event.at());
        out.optional(event.entry(), Parts::entry);
        out.optional(event.by(), Parts::person);
        out.text(event.requestId());
        out.bytes(event.hashKey());
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static Erased erased(In in, int version) {
        return new Erased(
                in.time(),
                in.optional(Parts::entry),
                in.optional(Parts::person),
                in.text(),
                in.bytes(),
                Parts.marks(in),
                in.time());
    }

    private static void state(Out out, ConversationState state) {
        out.optional(state.identity(), Parts::identity);
        out.optional(state.ownership(), Parts::ownership);
        Parts.recentLog(out, state.log());
        out.map(state.watermarks(), Person::key, Parts::person, Parts::watermark);
        out.map(state.intents(), Parts::intent);
        out.list(state.decisions(), Parts::decision);
        out.texts(state.labels());
        out.flag(state.customerOnSocket());
        out.time(state.deadline());
        out.text(state.successor());
        out.list(state.letters().open(), LetterParts::letter);
    }

    private static ConversationState state(In in, int version) {
        return new ConversationState(
                in.optional(Parts::identity),
                in.optional(Parts::ownership),
                Parts.recentLog(in),
                in.map(Parts::person, Parts::watermark),
                in.map(Parts::intent),
                in.list(Parts::decision),
                new TreeSet<>(in.texts()),
                in.flag(),
                in.time(),
                in.text(),
                version < 2 ? Letters.NONE : new Letters(in.list(LetterParts::letter)));
    }

    private static void attempt(Out out, DeliveryFailed event) {
        LetterParts.letter(out, event.letter());
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static DeliveryFailed attempt(In in, int version) {
        return new DeliveryFailed(LetterParts.letter(in), Parts.marks(in), in.time());
    }

    private static void letter(Out out, LetterChanged event) {
        LetterParts.letter(out, event.letter());
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static LetterChanged letter(In in, int version) {
        return new LetterChanged(LetterParts.letter(in), Parts.marks(in), in.time());
    }

    private static void letterRow(Out out, Letter letter) {
        LetterParts.letter(out, letter);
    }

    private static Letter letterRow(In in, int version) {
        return LetterParts.letter(in);
    }

    // ---- desks ----

    private static void known(Out out, Known event) {
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static Known known(In in, int version) {
        return new Known(Parts.listing(in), in.time());
    }

    private static void chosen(Out out, AvailabilityChosen event) {
        Parts.availability(out, event.availability());
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static AvailabilityChosen chosen(In in, int version) {
        return new AvailabilityChosen(Parts.availability(in), Parts.listing(in), in.time());
    }

    private static void profile(Out out, ProfileSet event) {
        out.optional(event.profile(), Parts::profile);
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static ProfileSet profile(In in, int version) {
        return new ProfileSet(in.optional(Parts::profile), Parts.listing(in), in.time());
    }

    private static void reserved(Out out, SlotReserved event) {
        Parts.slot(out, event.slot());
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static SlotReserved reserved(In in, int version) {
        return new SlotReserved(Parts.slot(in), Parts.listing(in), in.time());
    }

    private static void confirmed(Out out, SlotConfirmed event) {
        out.text(event.conv());
        out.text(event.offer());
        out.number(event.epoch());
        out.text(event.queue());
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static SlotConfirmed confirmed(In in, int version) {
        return new SlotConfirmed(in.text(), in.text(), in.number(), in.text(), Parts.listing(in), in.time());
    }

    private static void released(Out out, SlotReleased event) {
        out.text(event.conv());
        out.number(event.epoch());
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static SlotReleased released(In in, int version) {
        return new SlotReleased(in.text(), in.number(), Parts.listing(in), in.time());
    }

    private static void reach(Out out, ReachChanged event) {
        out.flag(event.gone());
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static ReachChanged reach(In in, int version) {
        return new ReachChanged(in.flag(), Parts.listing(in), in.time());
    }

    private static void deadline(Out out, DeadlineMoved event) {
        Parts.listing(out, event.listing());
        out.time(event.deadline());
    }

    private static DeadlineMoved deadline(In in, int version) {
        return new DeadlineMoved(Parts.listing(in), in.time());
    }

    private static void deskState(Out out, DeskState state) {
        out.flag(state.known());
        out.optional(state.profile(), Parts::profile);
        Parts.availability(out, state.availability());
        out.map(state.slots(), Parts::slot);
        out.orderedMap(state.released(), Out::number);
        out.flag(state.ownersGone());
        out.time(state.idleSince());
        out.number(state.offersMade());
        out.time(state.deadline());
    }

    private static DeskState deskState(In in, int version) {
        return new DeskState(
                in.flag(),
                in.optional(Parts::profile),
                Parts.availability(in),
                in.map(Parts::slot),
                in.map(In::number),
                in.flag(),
                in.time(),
                in.smallNumber(),
                in.time());
    }
}
