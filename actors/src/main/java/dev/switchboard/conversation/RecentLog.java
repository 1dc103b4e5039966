package dev.switchboard.conversation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The end of a conversation's log as it is held in memory: bounded in entries and characters; what lies before is read
 * from the journal. And the latest request ids of each sender. Immutable; appending copies the small lists.
 *
 * @param lastSeq the last entry's seq; 0 before the first
 * @param lastPublicSeq the last seq that the customer may see
 * @param recent the latest entries, ascending and dense, ending at {@code lastSeq}
 * @param requests the latest requests of each sender, oldest first
 * @param forgotten true for senders some of whose requests are no longer among them
 */
public record RecentLog(
        long lastSeq,
        long lastPublicSeq,
        List<Entry> recent,
        Map<Person, List<RequestRecord>> requests,
        Map<Person, Boolean> forgotten) {
    /** How many entries are held at most. */
    public static final int MAX_ENTRIES = 64;

    /** How many characters of text the held entries have at most; the newest is held in any case. */
    public static final int MAX_CHARS = 64 * 1024;

    /** How many request ids are held for each sender. */
    public static final int MAX_REQUESTS = 256;

    static final RecentLog EMPTY = new RecentLog(0, 0, List.of(), Map.of(), Map.of());

    public RecentLog {
        recent = List.copyOf(recent);
        requests = Map.copyOf(requests);
        forgotten = Map.copyOf(forgotten);
    }

    RecentLog append(Entry entry, long hash) {
        if (entry.seq() != lastSeq + 1) {
            throw new IllegalStateException("entry " + entry.seq() + " does not follow " + lastSeq);
        }
        List<Entry> entries = new ArrayList<>(recent.size() + 1);
        entries.addAll(recent);
        entries.add(entry);
        int from = Math.max(0, entries.size() - MAX_ENTRIES);
        long chars = 0;
        for (int i = entries.size() - 1; i >= from; i--) {
            chars += textLength(entries.get(i));
            if (chars > MAX_CHARS && i < entries.size() - 1) {
                from = i + 1;
            }
        }
        long publicSeq = entry.visibility() == Entry.Visibility.ALL ? entry.seq() : lastPublicSeq;
        RecentLog appended =
                new RecentLog(entry.seq(), publicSeq, entries.subList(from, entries.size()), requests, forgotten);
        return entry.clientMsgId() == null || entry.from() == null
                ? appended
                : appended.remember(
                        entry.from(), new RequestRecord(entry.clientMsgId(), hash, entry.seq(), entry.epoch()));
    }

    private RecentLog remember(Person sender, RequestRecord request) {
        List<RequestRecord> before = requests.getOrDefault(sender, List.of());
        List<RequestRecord> after = new ArrayList<>(before.size() + 1);
        boolean full = before.size() >= MAX_REQUESTS;
        after.addAll(full ? before.subList(1, before.size()) : before);
        after.add(request);
        Map<Person, List<RequestRecord>> all = new HashMap<>(requests);
        all.put(sender, List.copyOf(after));
        Map<Person, Boolean> lost = forgotten;
        if (full && !forgotten.containsKey(sender)) {
            lost = new HashMap<>(forgotten);
            lost.put(sender, true);
        }
        return new RecentLog(lastSeq, lastPublicSeq, recent, all, lost);
    }

    /** The first answer to that request, if it is still held. */
    public Optional<RequestRecord> request(Person sender, String clientMsgId) {
        List<RequestRecord> known = requests.getOrDefault(sender, List.of());
        for (int i = known.size() - 1; i >= 0; i--) {
            if (known.get(i).clientMsgId().equals(clientMsgId)) {
                return Optional.of(known.get(i));
            }
        }
        return Optional.empty();
    }

    /** True when that sender made requests that are no longer held here, only in the journal. */
    public boolean hasForgotten(Person sender) {
        return forgotten.containsKey(sender);
    }

    /** The last seq that such a reader may see. */
    public long lastSeq(Entry.Visibility reader) {
        return reader == Entry.Visibility.STAFF ? lastSeq : lastPublicSeq;
    }

    /** True when every entry after {@code seq} is held here. */
    public boolean holdsAllAfter(long seq) {
        return seq >= lastSeq || (!recent.isEmpty() && recent.get(0).seq() <= seq + 1);
    }

    private static int textLength(Entry entry) {
        return entry.body() == null || entry.body().text() == null
                ? 0
                : entry.body().text().length();
    }
}
