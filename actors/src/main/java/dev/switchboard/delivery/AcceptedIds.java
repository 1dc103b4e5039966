package dev.switchboard.delivery;

import dev.switchboard.conversation.Person;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * The ids that senders' posts had which this node saw accepted last, so that a post's {@code after} can be judged while
 * its conversation can't be asked. Thread-safe. Bounded: some ids of each sender, and the senders of late; who is not
 * remembered here is told to send the earlier post again, which costs a repeat and no order.
 */
final class AcceptedIds {
    private static final int SENDERS = 50_000;
    private static final int IDS = 8;

    private record Key(String conv, Person sender) {}

    // Two generations: the older one goes when the younger one is full.
    private Map<Key, ArrayDeque<String>> young = new HashMap<>();
    private Map<Key, ArrayDeque<String>> old = new HashMap<>();

    synchronized void add(String conv, Person sender, String clientMsgId) {
        Key key = new Key(conv, sender);
        ArrayDeque<String> ids = young.get(key);
        if (ids == null) {
            if (young.size() >= SENDERS) {
                old = young;
                young = new HashMap<>();
            }
            ids = old.remove(key);
            ids = ids == null ? new ArrayDeque<>(2) : ids;
            young.put(key, ids);
        }
        if (ids.size() >= IDS) {
            ids.removeFirst();
        }
        ids.addLast(clientMsgId);
    }

    synchronized boolean contains(String conv, Person sender, String clientMsgId) {
        Key key = new Key(conv, sender);
        ArrayDeque<String> ids = young.getOrDefault(key, old.get(key));
        return ids != null && ids.contains(clientMsgId);
    }
}
