package dev.switchboard.conversation;

import dev.switchboard.delivery.TerminalPush.Preview;
import java.util.List;
import java.util.Set;

/** What readers see of a conversation. Pure, but for the progress it is given: its conversation's actor alone calls it. */
final class ConversationViews {
    private ConversationViews() {}

    /** Which entries somebody of that role may see at all. */
    static Entry.Visibility readerOf(Role role) {
        return role.isStaff() ? Entry.Visibility.STAFF : Entry.Visibility.ALL;
    }

    static ConversationView view(
            String conv, ConversationState state, Progress progress, Principal by, Relation relation) {
        Ownership ownership = state.ownership();
        Entry.Visibility reader = relation.reads() == null ? Entry.Visibility.ALL : relation.reads();
        boolean staff = by.role().isStaff();
        return new ConversationView(
                conv,
                state.identity().customer(),
                ownership.status(),
                ownership.queue(),
                ownership.owner(),
                ownership.epoch(),
                state.identity().priority(),
                state.identity().skills(),
                staff ? state.labels() : Set.of(),
                state.identity().attributes(),
                state.identity().openedAt(),
                state.log().lastSeq(reader),
                progress.effective(state, receiver(state, by, relation)),
                staff ? progress.effective(state, state.identity().customerPerson()) : ownerMark(state, progress),
                staff || by.role() == Role.OPERATOR ? state.decisions() : List.of());
    }

    /** The receiver whose watermark the caller moves: a service moves its customer's. */
    static Person receiver(ConversationState state, Principal by, Relation relation) {
        return relation == Relation.SERVICE ? state.identity().customerPerson() : by.person();
    }

    /** A mark of staff cut back to what the customer may see of it. */
    static Watermark asCustomerSees(RecentLog log, Watermark mark) {
        long delivered = publicAtMost(log, mark.delivered());
        return new Watermark(delivered, Math.min(delivered, publicAtMost(log, mark.read())));
    }

    static Preview preview(ConversationState state) {
        String text = "";
        for (Entry entry : state.log().recent()) {
            boolean byCustomer = entry.kind() == Entry.Kind.MESSAGE
                    && entry.from() != null
                    && entry.from().role() == Role.CUSTOMER;
            if (byCustomer && entry.body() != null && entry.body().text() != null) {
                text = entry.body().text();
            }
        }
        Ticket ticket = state.ownership().ticket();
        return new Preview(
                state.identity().customer(),
                state.ownership().queue(),
                Preview.cut(text),
                ticket == null ? state.identity().openedAt() : ticket.since(),
                state.identity().attributes());
    }

    static long publicAtMost(RecentLog log, long seq) {
        List<Entry> recent = log.recent();
        for (int i = recent.size() - 1; i >= 0; i--) {
            Entry entry = recent.get(i);
            if (entry.seq() <= seq && entry.visibility() == Entry.Visibility.ALL) {
                return entry.seq();
            }
        }
        return Math.min(seq, log.lastPublicSeq());
    }

    private static Watermark ownerMark(ConversationState state, Progress progress) {
        String owner = state.ownership().lastOwner();
        if (owner == null) {
            return Watermark.NONE;
        }
        Watermark asSupervisor = progress.effective(state, new Person(Role.SUPERVISOR, owner));
        Watermark mark = progress.effective(state, new Person(Role.AGENT, owner))
                .max(asSupervisor.delivered(), asSupervisor.read());
        return asCustomerSees(state.log(), mark);
    }
}
