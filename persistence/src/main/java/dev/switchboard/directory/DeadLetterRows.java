package dev.switchboard.directory;

import dev.switchboard.conversation.Letter;
import dev.switchboard.ports.Directory.DeadLetterFigures;
import dev.switchboard.ports.Directory.DeadLetterFilter;
import dev.switchboard.ports.Directory.DeadLetterRow;
import dev.switchboard.serialization.EventCodec;
import java.io.NotSerializableException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * The rows of dead letters: columns for what lists are narrowed to, and the whole letter in its versioned form. Stateless.
 */
final class DeadLetterRows {
    private static final EventCodec CODEC = new EventCodec();
    private static final String MANIFEST_1 = "r.letter:1";
    private static final List<String> OPEN = List.of(Letter.State.DEAD.wireName(), Letter.State.RETRIED.wireName());

    private DeadLetterRows() {}

    static byte[] bytes(Letter letter) {
        return CODEC.write(letter);
    }

    /** The letters of a conversation, settled ones too. */
    static Query ofConversation(String conv) {
        return Query.of("SELECT conv, letter FROM dead_letter WHERE conv = ?").with(conv);
    }

    /** Writes the letter anew, unless it has changed since. */
    static Query rewritten(Letter letter) {
        return Query.of("UPDATE dead_letter SET letter = ? WHERE id = ? AND updated_us = ?")
                .with(bytes(letter))
                .with(letter.id())
                .with(Micros.of(letter.at()));
    }

    static Query byId(String id) {
        return Query.of("SELECT conv, letter FROM dead_letter WHERE id = ?").with(id);
    }

    /** All but the order and the bound of the list; null when nothing can be found. */
    static Query list(DeadLetterFilter filter, Cursor after) {
        Query query = Query.of("SELECT conv, letter FROM dead_letter WHERE 1 = 1");
        if (!narrow(query, filter)) {
            return null;
        }
        if (after != null) {
            query.add(" AND died_us >= ? AND (died_us > ? OR id > ?)")
                    .with(after.number())
                    .with(after.number())
                    .with(after.text());
        }
        return query.add(" ORDER BY died_us, id");
    }

    /** Adds the conditions of a filter; false when nothing can be found. */
    static boolean narrow(Query query, DeadLetterFilter filter) {
        if (filter.states() != null) {
            if (filter.states().isEmpty()) {
                return false;
            }
            in(
                    query,
                    "state",
                    filter.states().stream()
                            .map(Letter.State::wireName)
                            .sorted()
                            .toList());
        }
        if (filter.queue() != null) {
            query.add(" AND queue = ?").with(filter.queue());
        }
        if (filter.queues() != null) {
            if (filter.queues().isEmpty()) {
                return false;
            }
            in(query, "queue", sorted(filter.queues()));
        }
        if (filter.conv() != null) {
            query.add(" AND conv = ?").with(filter.conv());
        }
        return true;
    }

    private static List<String> sorted(Set<String> names) {
        return names.stream().sorted().toList();
    }

    static void in(Query query, String column, List<String> values) {
        query.add(" AND " + column + " IN (?" + ", ?".repeat(values.size() - 1) + ")");
        values.forEach(query::with);
    }

    static Query figures() {
        Query query = Query.of("SELECT COUNT(*), MIN(died_us) FROM dead_letter WHERE 1 = 1");
        in(query, "state", OPEN);
        return query;
    }

    static DeadLetterFigures figures(ResultSet row) throws SQLException {
        long open = row.getLong(1);
        return new DeadLetterFigures(open, open == 0 ? null : Micros.toInstant(row.getLong(2)));
    }

    static DeadLetterRow row(ResultSet row) throws SQLException {
        try {
            return new DeadLetterRow(row.getString(1), (Letter) CODEC.read(MANIFEST_1, row.getBytes(2)));
        } catch (NotSerializableException e) {
            throw new SQLException("a dead letter's row can't be read", e);
        }
    }
}
