package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Attach;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.delivery.TerminalPush.EntryPush;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * The terminals attached to one conversation. Not thread-safe: its conversation's actor alone uses it. Nothing here is
 * persisted: terminals attach again after a restart.
 */
final class Attachments {
    /** One attached terminal and what it is to the conversation. */
    record Attached(Principal by, String terminal, Entry.Visibility reads, boolean customerSide, boolean watcher) {
        /** True when it is a terminal of that receiver: a service's is the customer's. */
        boolean receivesFor(Person receiver) {
            return receiver.role() == Role.CUSTOMER ? customerSide : by.person().equals(receiver);
        }
    }

    private final String conv;
    private final Map<ActorRef<TerminalPush>, Attached> terminals = new LinkedHashMap<>(4);

    /** From which seq on nothing may go to a receiver for now. */
    private Map<Person, Long> holds = Map.of();

    Attachments(String conv) {
        this.conv = conv;
    }

    /** Takes a terminal; another one of the same person and name is replaced and returned. Null: none was. */
    ActorRef<TerminalPush> add(Attach attach, Relation relation) {
        ActorRef<TerminalPush> replaced = null;
        for (Map.Entry<ActorRef<TerminalPush>, Attached> other : terminals.entrySet()) {
            Attached there = other.getValue();
            if (!other.getKey().equals(attach.ref())
                    && there.terminal().equals(attach.terminal())
                    && there.by().person().equals(attach.by().person())) {
                replaced = other.getKey();
            }
        }
        if (replaced != null) {
            terminals.remove(replaced);
        }
        boolean customerSide = relation == Relation.CUSTOMER || relation == Relation.SERVICE;
        terminals.put(
                attach.ref(),
                new Attached(
                        attach.by(),
                        attach.terminal(),
                        relation.reads(),
                        customerSide,
                        attach.watcher() || relation == Relation.SUPERVISOR));
        return replaced;
    }

    /** The terminal that was there, or null. */
    Attached remove(ActorRef<TerminalPush> ref) {
        return terminals.remove(ref);
    }

    /** True for one whose acks move nothing. */
    boolean isWatcher(ActorRef<TerminalPush> ref) {
        return terminals.containsKey(ref) && terminals.get(ref).watcher();
    }

    boolean contains(ActorRef<TerminalPush> ref) {
        return terminals.containsKey(ref);
    }

    boolean isEmpty() {
        return terminals.isEmpty();
    }

    boolean customerIsThere() {
        for (Attached terminal : terminals.values()) {
            if (terminal.by().role() == Role.CUSTOMER) {
                return true;
            }
        }
        return false;
    }

    /** Sets the receivers to whom nothing from a seq on may go for now. */
    void hold(Map<Person, Long> receivers) {
        holds = receivers;
    }

    private boolean holds(Attached terminal, long seq) {
        if (terminal.watcher()) {
            return false;
        }
        for (Map.Entry<Person, Long> hold : holds.entrySet()) {
            if (seq >= hold.getValue() && terminal.receivesFor(hold.getKey())) {
                return true;
            }
        }
        return false;
    }

    /** True when a terminal of that receiver is there. */
    boolean isThere(Person receiver) {
        return terminals.values().stream().anyMatch(terminal -> !terminal.watcher() && terminal.receivesFor(receiver));
    }

    /** Tells every terminal of that receiver. */
    void toReceiver(Person receiver, TerminalPush push) {
        tell(push, terminal -> !terminal.watcher() && terminal.receivesFor(receiver));
    }

    /** Pushes an entry to all who may see it. {@code prevPublic} is the public seq before it. */
    void entry(Entry entry, long prevPublic) {
        EntryPush toStaff = null;
        EntryPush toCustomer = null;
        for (Map.Entry<ActorRef<TerminalPush>, Attached> to : terminals.entrySet()) {
            if (!holds.isEmpty() && holds(to.getValue(), entry.seq())) {
                continue;
            }
            if (to.getValue().reads() == Entry.Visibility.STAFF) {
                toStaff = toStaff == null ? new EntryPush(conv, entry, entry.seq() - 1) : toStaff;
                to.getKey().tell(toStaff);
            } else if (entry.visibility() == Entry.Visibility.ALL) {
                toCustomer = toCustomer == null ? new EntryPush(conv, entry, prevPublic) : toCustomer;
                to.getKey().tell(toCustomer);
            }
        }
    }

    /** True when a terminal of somebody else than its writer is told of an entry, as its receiver. */
    boolean tellsOthers(Entry entry) {
        for (Attached terminal : terminals.values()) {
            if (!terminal.watcher()
                    && !terminal.by().person().equals(entry.from())
                    && terminal.reads().sees(entry.visibility())
                    && (holds.isEmpty() || !holds(terminal, entry.seq()))) {
                return true;
            }
        }
        return false;
    }

    void toCustomer(TerminalPush push) {
        tell(push, Attached::customerSide);
    }

    void toStaff(TerminalPush push) {
        tell(push, terminal -> !terminal.customerSide());
    }

    private void tell(TerminalPush push, Predicate<Attached> to) {
        for (Map.Entry<ActorRef<TerminalPush>, Attached> terminal : terminals.entrySet()) {
            if (to.test(terminal.getValue())) {
                terminal.getKey().tell(push);
            }
        }
    }

    /** Removes and returns those that may no longer read after a change of owner; the others keep what they now are. */
    List<ActorRef<TerminalPush>> removeWhoMayNot(ConversationState state) {
        List<ActorRef<TerminalPush>> gone = new ArrayList<>();
        Iterator<Map.Entry<ActorRef<TerminalPush>, Attached>> all =
                terminals.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<ActorRef<TerminalPush>, Attached> each = all.next();
            Attached terminal = each.getValue();
            if (terminal.customerSide()) {
                continue;
            }
            Relation relation = Relation.of(terminal.by(), state);
            if (relation.reads() == null) {
                gone.add(each.getKey());
                all.remove();
            } else {
                each.setValue(new Attached(
                        terminal.by(), terminal.terminal(), relation.reads(), false, relation == Relation.SUPERVISOR));
            }
        }
        return gone;
    }

    /** Tells the other side how far a receiver got, unless it only got what it had written itself. */
    void receipt(RecentLog log, Person receiver, Watermark before, Watermark mark) {
        if (log.isAllFrom(receiver, before.delivered(), mark.delivered())
                && log.isAllFrom(receiver, before.read(), mark.read())) {
            return;
        }
        if (receiver.role() == Role.CUSTOMER) {
            toStaff(new TerminalPush.Receipt(conv, receiver, mark));
        } else {
            toCustomer(new TerminalPush.Receipt(conv, receiver, ConversationViews.asCustomerSees(log, mark)));
        }
    }

    /** The entries after {@code seq} as such a reader sees them, from the log's memory; none from the hold on. */
    static List<EntryPush> missed(String conv, RecentLog log, Entry.Visibility reader, long seq, long holdFrom) {
        List<EntryPush> missed = new ArrayList<>();
        long prev = seq;
        for (Entry entry : log.recent()) {
            boolean held = holdFrom > 0 && entry.seq() >= holdFrom;
            if (entry.seq() > seq && !held && reader.sees(entry.visibility())) {
                missed.add(new EntryPush(conv, entry, prev));
                prev = entry.seq();
            }
        }
        return missed;
    }
}
