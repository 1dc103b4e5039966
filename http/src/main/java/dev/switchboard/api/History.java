package dev.switchboard.api;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush.Preview;
import dev.switchboard.ports.Directory.ConversationRow;
import dev.switchboard.ports.EntryLog;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Reads what a person may see of a conversation's entries, the same over HTTP and sockets, without waking the
 * conversation. Thread-safe; never blocks.
 */
public final class History {
    /** How far back the customer's last message is looked for. */
    private static final int PREVIEW_DEPTH = 50;

    /**
     * A page.
     *
     * @param preview true when it is only the customer's last message, cut, for one who may see no more
     */
    public record Read(List<Entry> entries, boolean hasMore, boolean preview) {
        public Read {
            entries = List.copyOf(entries);
        }
    }

    private final EntryLog log;

    public History(EntryLog log) {
        this.log = log;
    }

    /**
     * Reads a page; throws a {@link RefusedException} for one who may not.
     *
     * @param by the reader, with its queues resolved
     * @param row the conversation
     * @param since the first seq; negative: the newest entries below {@code before}
     */
    public CompletionStage<Read> read(Principal by, ConversationRow row, long since, long before, int limit) {
        return switch (AccessCheck.sight(AccessCheck.relation(by, row), row.status())) {
            case ALL -> page(row.conv(), Entry.Visibility.STAFF, since, before, limit);
            case VISIBLE -> page(row.conv(), Entry.Visibility.ALL, since, before, limit);
            case PREVIEW ->
                lastWords(row.conv())
                        .thenApply(words ->
                                new Read(words.stream().map(History::cut).toList(), false, true));
            case FACTS ->
                throw new RefusedException(Refusal.of(ErrorCode.FORBIDDEN, "an operator may not read what is said"));
            case NONE -> throw new RefusedException(ConversationCalls.notFound());
        };
    }

    private CompletionStage<Read> page(String conv, Entry.Visibility reader, long since, long before, int limit) {
        CompletionStage<EntryLog.Page> page = since < 0
                ? log.readNewest(conv, reader, before, limit)
                : log.readUpwards(conv, reader, since, before, limit);
        return page.thenApply(read -> new Read(read.entries(), read.hasMore(), false));
    }

    /** The customer's last message, if it is among the latest entries. */
    CompletionStage<Optional<Entry>> lastWords(String conv) {
        return log.readNewest(conv, Entry.Visibility.ALL, Long.MAX_VALUE, PREVIEW_DEPTH)
                .thenApply(page -> lastWords(page.entries()));
    }

    private static Optional<Entry> lastWords(List<Entry> entries) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            Entry entry = entries.get(i);
            if (entry.kind() == Entry.Kind.MESSAGE
                    && entry.from() != null
                    && entry.from().role() == Role.CUSTOMER) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    /** The same entry with no more than a preview of its text, and without what it refers to. */
    static Entry cut(Entry entry) {
        String text = entry.body().text() == null ? "" : entry.body().text();
        Body body = new Body(entry.body().type(), Preview.cut(text), null, null, null, -1);
        return Entry.message(entry.seq(), entry.from(), entry.at(), entry.clientMsgId(), body);
    }
}
