package dev.switchboard.conversation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The end of a conversation's log as it is held in memory: bounded in entries and characters; what lies before is read
 * from the journal. And the latest request ids of each sender. Immutable; appending shares what it can ({@link Tail}).
 *
 * @param lastSeq the last entry's seq; 0 before the first
 * @param lastPublicSeq the last seq that the customer may see
 * @param recent the latest entries, ascending and dense, ending at {@code lastSeq}
 * @param requests the latest requests of each sender, oldest first
 * @param forgotten true for senders some of whose requests are no longer among them
 * @param past what was erased
 */
public record RecentLog(
        long lastSeq,
        long lastPublicSeq,
        List<Entry> recent,
        Map<Person, List<RequestRecord>> requests,
        Map<Person, Boolean> forgotten,
        Past past) {
    /** How many entries are held at most. */
    public static final int MAX_ENTRIES = 64;

    /** How many characters of text the held entries have at most; the newest is held in any case. */
    public static final int MAX_CHARS = 64 * 1024;

    /** How many request ids are held for each sender. */
    public static final int MAX_REQUESTS = 256;

    static final RecentLog EMPTY = new RecentLog(0, 0, List.of(), Map.of(), Map.of(), Past.NONE);

    public RecentLog {
        recent = withLengths(recent);
        requests = Map.copyOf(requests);
        forgotten = Map.copyOf(forgotten);
    }

    /** Beside each entry: how many characters all up to and with it have. It wraps; only differences count. */
    private static Tail<Entry> withLengths(List<Entry> entries) {
        int[] chars = new int[1];
        return Tail.of(entries, entry -> chars[0] += textLength(entry));
    }

    private static Tail<RequestRecord> withHashes(List<RequestRecord> requests) {
        return Tail.of(requests, request -> request.clientMsgId().hashCode());
    }

    RecentLog append(Entry entry, long hash) {
        if (entry.seq() != lastSeq + 1) {
            throw new IllegalStateException("entry " + entry.seq() + " does not follow " + lastSeq);
        }
        Tail<Entry> before = withLengths(recent);
        int chars = (before.isEmpty() ? 0 : before.key(before.size() - 1)) + textLength(entry);
        Tail<Entry> entries = before.append(entry, chars, MAX_ENTRIES);
        while (entries.size() > 1 && chars - entries.key(0) + textLength(entries.get(0)) > MAX_CHARS) {
            entries = entries.withoutOldest();
        }
        long publicSeq = entry.visibility() == Entry.Visibility.ALL ? entry.seq() : lastPublicSeq;
        if (entry.clientMsgId() == null || entry.from() == null) {
            return new RecentLog(entry.seq(), publicSeq, entries, requests, forgotten, past);
        }
        Person sender = entry.from();
        Tail<RequestRecord> known = withHashes(requests.getOrDefault(sender, List.of()));
        RequestRecord request = new RequestRecord(entry.clientMsgId(), hash, entry.seq(), entry.epoch());
        Map<Person, List<RequestRecord>> all = new HashMap<>(requests);
        all.put(sender, known.append(request, request.clientMsgId().hashCode(), MAX_REQUESTS));
        Map<Person, Boolean> lost = forgotten;
        if (known.size() >= MAX_REQUESTS && !forgotten.containsKey(sender)) {
            lost = new HashMap<>(forgotten);
            lost.put(sender, true);
        }
        return new RecentLog(entry.seq(), publicSeq, entries, all, lost, past);
    }

    /**
     * The same with everything erased that was said up to now, and the entry that tells so behind it. Ids of requests are
     * kept with a hash of 0, which fits every body. {@code by} and {@code requestId} are null when nobody asked: then the
     * entries go altogether.
     */
    RecentLog erased(Entry marker, Person by, String requestId) {
        RecentLog without = erased();
        if (by == null) {
            return new RecentLog(
                            lastSeq, lastPublicSeq, List.of(), without.requests, forgotten, past.reducing(marker.seq()))
                    .append(marker, 0);
        }
        Map<Person, List<RequestRecord>> known = new HashMap<>(without.requests);
        RequestRecord request = new RequestRecord(requestId, 0, marker.seq(), 0);
        Tail<RequestRecord> own = withHashes(known.getOrDefault(by, List.of()));
        known.put(by, own.append(request, requestId.hashCode(), MAX_REQUESTS));
        return new RecentLog(lastSeq, lastPublicSeq, without.recent, known, forgotten, past.erasing(marker.seq()))
                .append(marker, 0);
    }

    /** The same without content. */
    RecentLog erased() {
        Map<Person, List<RequestRecord>> known = new HashMap<>();
        requests.forEach((sender, records) ->
                known.put(sender, records.stream().map(RequestRecord::erased).toList()));
        return new RecentLog(
                lastSeq, lastPublicSeq, recent.stream().map(Entry::erased).toList(), known, forgotten, past);
    }

    RecentLog withPast(Past changed) {
        return new RecentLog(lastSeq, lastPublicSeq, recent, requests, forgotten, changed);
    }

    /** The first answer to that request, if it is still held. */
    public Optional<RequestRecord> request(Person sender, String clientMsgId) {
        // The hashes lie side by side; following the ids of 256 records would cost as many cache misses for each post.
        Tail<RequestRecord> known = withHashes(requests.getOrDefault(sender, List.of()));
        int hash = clientMsgId.hashCode();
        for (int i = known.lastWithKey(hash, known.size()); i >= 0; i = known.lastWithKey(hash, i)) {
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

    /** True when all entries after {@code after} up to {@code to} are that person's own, as far as is known here. */
    boolean isAllFrom(Person person, long after, long to) {
        for (long seq = to; seq > after; seq--) {
            int index = recent.size() - 1 - (int) Math.min(Integer.MAX_VALUE, lastSeq - seq);
            if (index < 0 || !person.equals(recent.get(index).from())) {
                return false;
            }
        }
        return true;
    }

    private static int textLength(Entry entry) {
        return entry.body() == null || entry.body().text() == null
                ? 0
                : entry.body().text().length();
    }
}
