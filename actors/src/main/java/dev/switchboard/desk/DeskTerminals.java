package dev.switchboard.desk;

import dev.switchboard.conversation.Person;
import dev.switchboard.delivery.TerminalPush;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.ActorContext;

/**
 * The terminals attached to one desk, by (person, name). Used by the desk's actor alone; never persisted, because
 * terminals attach again by themselves.
 */
final class DeskTerminals {
    private record Key(Person person, String terminal) {}

    private final ActorContext<DeskCommand> context;
    private final Map<Key, ActorRef<TerminalPush>> byName = new LinkedHashMap<>();
    private final Map<ActorRef<?>, Key> names = new HashMap<>();

    DeskTerminals(ActorContext<DeskCommand> context) {
        this.context = context;
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    boolean contains(ActorRef<?> ref) {
        return names.containsKey(ref);
    }

    /** Adds a terminal and watches it; another one of that name is told that it was replaced. */
    void add(Person person, String terminal, ActorRef<TerminalPush> ref) {
        Key key = new Key(person, terminal);
        Key before = names.get(ref);
        if (key.equals(before)) {
            return;
        }
        remove(ref);
        ActorRef<TerminalPush> other = byName.get(key);
        if (other != null) {
            other.tell(new TerminalPush.Replaced());
            remove(other);
        }
        byName.put(key, ref);
        names.put(ref, key);
        context.watch(ref);
    }

    /** Forgets a terminal; true when it was there. */
    boolean remove(ActorRef<?> ref) {
        Key key = names.remove(ref);
        if (key == null) {
            return false;
        }
        byName.remove(key);
        context.unwatch(ref);
        return true;
    }

    void tell(TerminalPush push) {
        byName.values().forEach(ref -> ref.tell(push));
    }

    /** After the actor came back within its incarnation: those that ended meanwhile are noticed. */
    void watchAgain() {
        byName.values().forEach(context::watch);
    }
}
