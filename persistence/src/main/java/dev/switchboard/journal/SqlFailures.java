package dev.switchboard.journal;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** What a failed statement means for the events that it was to write. Stateless. */
final class SqlFailures {
    private static final int MAX_SHOWN = 300;

    private SqlFailures() {}

    /** True for an error of data or keys, which lies in a row; any other lies in the database or on the way to it. */
    static boolean isOfData(SQLException failure) {
        return hasState(failure, "22") || hasState(failure, "23");
    }

    /** True when a key is there already. */
    static boolean isDuplicateKey(SQLException failure) {
        return hasState(failure, "23505");
    }

    /**
     * The failure without what was written: the drivers put whole statements and values into their messages, and
     * people's words must not get into logs.
     */
    static SQLException withoutContent(SQLException failure) {
        SQLException last = failure;
        while (last.getNextException() != null) {
            last = last.getNextException();
        }
        String message = last.getMessage();
        if (last instanceof PSQLException server && server.getServerErrorMessage() != null) {
            message = server.getServerErrorMessage().getMessage();
        }
        String line = String.valueOf(message).lines().findFirst().orElse("");
        String shown = line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) + "…" : line;
        return new SQLException(shown, failure.getSQLState(), failure.getErrorCode());
    }

    private static boolean hasState(SQLException failure, String prefix) {
        for (SQLException each = failure; each != null; each = each.getNextException()) {
            if (each.getSQLState() != null && each.getSQLState().startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
