package dev.switchboard.socket;

import dev.switchboard.conversation.Person;
import dev.switchboard.delivery.TerminalPush;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is only worth telling while it is so (who types, who is there) and finds other frames waiting for the receiver: the
 * latest of each person in each conversation, and of those only so many. Not thread-safe; lives in the connection's stage. So
 * it never takes room in the send queue that an entry could have, and is the first to be dropped.
 */
final class Ephemerals {
    /** How many wait; of more the oldest are dropped. */
    static final int MOST = 32;

    private enum Kind {
        TYPING,
        PRESENCE
    }

    private record Key(Kind kind, String conv, Person who) {
        static Key of(TerminalPush push) {
            if (push instanceof TerminalPush.Typing typing) {
                return new Key(Kind.TYPING, typing.conv(), typing.from());
            }
            TerminalPush.Presence presence = (TerminalPush.Presence) push;
            return new Key(Kind.PRESENCE, presence.conv(), presence.who());
        }
    }

    /** Null while nothing waits: most terminals never need it. */
    private Map<Key, TerminalPush> latest;

    /** Keeps a {@code Typing} or {@code Presence} instead of an older one of the same person; true when one was dropped. */
    boolean keep(TerminalPush push) {
        if (latest == null) {
            latest = new LinkedHashMap<>(4);
        }
        Key key = Key.of(push);
        boolean replaced = latest.remove(key) != null;
        latest.put(key, push);
        if (latest.size() <= MOST) {
            return replaced;
        }
        Iterator<Key> oldest = latest.keySet().iterator();
        oldest.next();
        oldest.remove();
        return true;
    }

    boolean isEmpty() {
        return latest == null;
    }

    /** Takes the oldest; null when there is none. */
    TerminalPush poll() {
        if (latest == null) {
            return null;
        }
        Iterator<TerminalPush> all = latest.values().iterator();
        TerminalPush first = all.next();
        all.remove();
        if (latest.isEmpty()) {
            latest = null;
        }
        return first;
    }

    /** Drops everything. */
    void clear() {
        latest = null;
    }
}
