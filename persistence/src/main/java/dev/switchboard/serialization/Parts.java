package dev.switchboard.serialization;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.DeskIntent;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Identity;
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
import dev.switchboard.desk.DeskEvent;
import dev.switchboard.desk.Profile;
import dev.switchboard.desk.Slot;

/**
 * The forms of what events and states are made of. A part that may gain fields begins with its version; to add one,
 * read the versions that were, and write the new one only after a release that reads it. The smallest parts have none:
 * they change with what holds them. Stateless.
 */
final class Parts {
    private static final Role[] ROLES = Role.values();
    private static final Status[] STATUSES = Status.values();
    private static final Entry.Kind[] KINDS = Entry.Kind.values();
    private static final DeskIntent.Kind[] INTENT_KINDS = DeskIntent.Kind.values();
    private static final Availability[] AVAILABILITIES = Availability.values();

    private Parts() {}

    static void person(Out out, Person person) {
        out.constant(person.role());
        out.text(person.id());
    }

    static Person person(In in) {
        return new Person(in.constant(ROLES), in.text());
    }

    static void status(Out out, Status status) {
        out.constant(status);
    }

    static Status status(In in) {
        return in.constant(STATUSES);
    }

    static void availability(Out out, Availability availability) {
        out.constant(availability);
    }

    static Availability availability(In in) {
        return in.constant(AVAILABILITIES);
    }

    static void watermark(Out out, Watermark watermark) {
        out.number(watermark.delivered());
        out.number(watermark.read());
    }

    static Watermark watermark(In in) {
        return new Watermark(in.number(), in.number());
    }

    static void request(Out out, RequestRecord request) {
        out.text(request.clientMsgId());
        out.hash(request.hash());
        out.number(request.seq());
        out.number(request.epoch());
    }

    static RequestRecord request(In in) {
        return new RequestRecord(in.text(), in.hash(), in.number(), in.number());
    }

    static void body(Out out, Body body) {
        out.version(1);
        out.text(body.type());
        out.text(body.text());
        out.text(body.url());
        out.text(body.name());
        out.text(body.mediaType());
        out.signed(body.size());
    }

    static Body body(In in) {
        in.version(1);
        return new Body(in.text(), in.text(), in.text(), in.text(), in.text(), in.signed());
    }

    static void entry(Out out, Entry entry) {
        out.version(1);
        out.number(entry.seq());
        out.constant(entry.kind());
        out.optional(entry.from(), Parts::person);
        out.time(entry.at());
        out.text(entry.clientMsgId());
        out.optional(entry.body(), Parts::body);
        out.text(entry.owner());
        out.number(entry.epoch());
        out.text(entry.queue());
        out.text(entry.agent());
        out.text(entry.reason());
        out.list(entry.labelsAdded(), Out::text);
        out.list(entry.labelsRemoved(), Out::text);
    }

    static Entry entry(In in) {
        in.version(1);
        return new Entry(
                in.number(),
                in.constant(KINDS),
                in.optional(Parts::person),
                in.time(),
                in.text(),
                in.optional(Parts::body),
                in.text(),
                in.number(),
                in.text(),
                in.text(),
                in.text(),
                in.list(In::text),
                in.list(In::text));
    }

    static void ticket(Out out, Ticket ticket) {
        out.version(1);
        out.text(ticket.queue());
        out.number(ticket.epoch());
        out.text(ticket.customer());
        out.number(ticket.priority());
        out.texts(ticket.skills());
        out.time(ticket.since());
        out.flag(ticket.front());
        out.text(ticket.prefer());
        out.time(ticket.preferUntil());
        out.flag(ticket.direct());
    }

    static Ticket ticket(In in) {
        in.version(1);
        return new Ticket(
                in.text(),
                in.number(),
                in.text(),
                in.smallNumber(),
                in.texts(),
                in.time(),
                in.flag(),
                in.text(),
                in.time(),
                in.flag());
    }

    static void decision(Out out, RoutingDecision decision) {
        out.version(1);
        out.time(decision.at());
        out.text(decision.agent());
        out.text(decision.strategy());
        out.text(decision.reason());
        out.list(decision.considered(), Out::text);
    }

    static RoutingDecision decision(In in) {
        in.version(1);
        return new RoutingDecision(in.time(), in.text(), in.text(), in.text(), in.list(In::text));
    }

    static void offer(Out out, OpenOffer offer) {
        out.version(1);
        out.text(offer.offer());
        out.text(offer.agent());
        out.time(offer.deadline());
        out.optional(offer.decision(), Parts::decision);
    }

    static OpenOffer offer(In in) {
        in.version(1);
        return new OpenOffer(in.text(), in.text(), in.time(), in.optional(Parts::decision));
    }

    static void intent(Out out, DeskIntent intent) {
        out.version(1);
        out.text(intent.agent());
        out.number(intent.epoch());
        out.constant(intent.kind());
        out.text(intent.offer());
    }

    static DeskIntent intent(In in) {
        in.version(1);
        return new DeskIntent(in.text(), in.number(), in.constant(INTENT_KINDS), in.text());
    }

    static void marks(Out out, Marks marks) {
        out.version(1);
        out.map(marks.watermarks(), Person::key, Parts::person, Parts::watermark);
        out.map(marks.settled(), Out::number);
    }

    static Marks marks(In in) {
        in.version(1);
        Marks marks = new Marks(in.map(Parts::person, Parts::watermark), in.map(In::number));
        return marks.isEmpty() ? Marks.NONE : marks;
    }

    static void identity(Out out, Identity identity) {
        out.version(1);
        out.text(identity.customer());
        out.optional(identity.openedBy(), Parts::person);
        out.time(identity.openedAt());
        out.number(identity.priority());
        out.texts(identity.skills());
        out.map(identity.attributes(), Out::text);
        out.bytes(identity.hashKey());
    }

    static Identity identity(In in) {
        in.version(1);
        return new Identity(
                in.text(),
                in.optional(Parts::person),
                in.time(),
                in.smallNumber(),
                in.texts(),
                in.map(In::text),
                in.bytes());
    }

    static void ownership(Out out, Ownership ownership) {
        out.version(1);
        out.constant(ownership.status());
        out.text(ownership.queue());
        out.text(ownership.owner());
        out.number(ownership.epoch());
        out.optional(ownership.ticket(), Parts::ticket);
        out.map(ownership.offers(), Parts::offer);
        out.texts(ownership.endedOffers());
        out.texts(ownership.declinedBy());
        out.text(ownership.lastOwner());
    }

    static Ownership ownership(In in) {
        in.version(1);
        return new Ownership(
                in.constant(STATUSES),
                in.text(),
                in.text(),
                in.number(),
                in.optional(Parts::ticket),
                in.map(Parts::offer),
                in.texts(),
                in.texts(),
                in.text());
    }

    static void recentLog(Out out, RecentLog log) {
        // A later version is written only where an earlier one can't say it, so that hardly any state needs it.
        Past past = log.past();
        int version = past.equals(Past.NONE) ? 1 : past.startsAt() == 0 ? 2 : 3;
        out.version(version);
        out.number(log.lastSeq());
        out.number(log.lastPublicSeq());
        out.list(log.recent(), Parts::entry);
        out.map(log.requests(), Person::key, Parts::person, (to, requests) -> to.list(requests, Parts::request));
        out.map(log.forgotten(), Person::key, Parts::person, Out::flag);
        if (version >= 2) {
            out.number(past.erasedAt());
            out.flag(past.erasing());
        }
        if (version >= 3) {
            out.number(past.startsAt());
        }
    }

    static RecentLog recentLog(In in) {
        int version = in.version(3);
        return new RecentLog(
                in.number(),
                in.number(),
                in.list(Parts::entry),
                in.map(Parts::person, from -> from.list(Parts::request)),
                in.map(Parts::person, In::flag),
                version == 1 ? Past.NONE : new Past(in.number(), in.flag(), version == 2 ? 0 : in.number()));
    }

    static void profile(Out out, Profile profile) {
        out.version(1);
        out.number(profile.capacity());
        out.texts(profile.skills());
        out.texts(profile.queues());
    }

    static Profile profile(In in) {
        in.version(1);
        return new Profile(in.smallNumber(), in.texts(), in.texts());
    }

    static void slot(Out out, Slot slot) {
        out.version(1);
        out.text(slot.conv());
        out.text(slot.offer());
        out.number(slot.epoch());
        out.flag(slot.confirmed());
        out.flag(slot.auto());
        out.time(slot.deadline());
        out.optional(slot.decision(), Parts::decision);
        out.text(slot.queue());
    }

    static Slot slot(In in) {
        in.version(1);
        return new Slot(
                in.text(),
                in.text(),
                in.number(),
                in.flag(),
                in.flag(),
                in.time(),
                in.optional(Parts::decision),
                in.text());
    }

    static void listing(Out out, DeskEvent.Listing listing) {
        out.version(1);
        out.constant(listing.availability());
        out.number(listing.capacity());
        out.number(listing.held());
        out.texts(listing.queues());
        out.texts(listing.skills());
        out.flag(listing.profiled());
        out.time(listing.at());
    }

    static DeskEvent.Listing listing(In in) {
        in.version(1);
        return new DeskEvent.Listing(
                in.constant(AVAILABILITIES),
                in.smallNumber(),
                in.smallNumber(),
                in.texts(),
                in.texts(),
                in.flag(),
                in.time());
    }
}
