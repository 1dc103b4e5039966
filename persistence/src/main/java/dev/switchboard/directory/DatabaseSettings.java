package dev.switchboard.directory;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * The settings under {@code switchboard.database}, read once at start. Immutable.
 *
 * @param url the JDBC URL, completed with what Switchboard needs
 * @param kind which database it names
 * @param connectTimeout how long a connection may take to be made or had from a pool
 * @param startWait how long a start waits for a database that can't be reached
 * @param writeTimeout how long the statement of a batch may run
 * @param readTimeout how long one statement for a list or a history may run
 * @param lockTimeout how long a statement may wait for a row of another transaction
 * @param readConnections connections and threads for histories and lists
 * @param readQueue how many reads may wait for one of them
 * @param recoveryConnections connections and threads for recoveries and snapshots
 * @param journalWriters connections and threads that write events
 * @param journalQueue how many writes may wait for them
 * @param batchRows how many events one transaction takes at most
 * @param batchFill how many waiting events are enough to begin one more transaction beside those under way
 * @param batchGather how long after the beginning of a transaction the next one begins at the earliest, while less wait
 * @param batchBytes how many bytes of events one transaction takes at most; one write more may go beyond it
 */
public record DatabaseSettings(
        String url,
        DatabaseKind kind,
        String user,
        String password,
        Duration connectTimeout,
        Duration startWait,
        Duration writeTimeout,
        Duration readTimeout,
        Duration lockTimeout,
        int readConnections,
        int readQueue,
        int recoveryConnections,
        int journalWriters,
        int journalQueue,
        int batchRows,
        int batchFill,
        Duration batchGather,
        long batchBytes) {
    private static final String PATH = "switchboard.database";

    /** Reads the settings. Throws {@link StorageStartException} for a URL of an unknown database. */
    public static DatabaseSettings of(Config config) {
        Config database = config.getConfig(PATH);
        String url = database.getString("url");
        DatabaseKind kind = DatabaseKind.of(url);
        String user = database.getString("user");
        int writers = database.getInt("journal-writers");
        return new DatabaseSettings(
                kind.completed(url),
                kind,
                user.isEmpty() && kind == DatabaseKind.H2 ? "sa" : user,
                database.getString("password"),
                database.getDuration("connect-timeout"),
                database.getDuration("start-wait"),
                database.getDuration("write-timeout"),
                database.getDuration("read-timeout"),
                database.getDuration("lock-timeout"),
                database.getInt("read-connections"),
                database.getInt("read-queue"),
                database.getInt("recovery-connections"),
                // H2 takes one commit at a time: a second writer would only wait for the first.
                kind == DatabaseKind.H2 ? 1 : writers,
                database.getInt("journal-queue"),
                database.getInt("batch-rows"),
                database.getInt("batch-fill"),
                database.getDuration("batch-gather"),
                database.getBytes("batch-bytes"));
    }

    /** The settings without the password, for logs. */
    @Override
    public String toString() {
        return "database " + shownUrl() + " as " + user;
    }

    /** The URL without its parameters: they may hold secrets. */
    public String shownUrl() {
        int end = url.length();
        for (char separator : new char[] {';', '?'}) {
            int at = url.indexOf(separator);
            end = at < 0 ? end : Math.min(end, at);
        }
        return url.substring(0, end);
    }
}
