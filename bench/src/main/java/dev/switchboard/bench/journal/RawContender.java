package dev.switchboard.bench.journal;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.serialization.EventCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.postgresql.PGConnection;

/**
 * What the database can take: rows with our columns over the same keys, written by a few threads without anybody who
 * waits for an answer, in one statement and one commit of 400. One event's bytes, serialized once. On PostgreSQL the
 * statement is bound to arrays, the cheapest that was found; on H2 it has 50 rows, eight of them a commit.
 */
final class RawContender implements Contender {
    private static final int ROWS = 400;
    private static final int H2_ROWS = 50;
    private static final String COLUMNS = "deleted, persistence_id, sequence_number, writer, write_timestamp,"
            + " adapter_manifest, event_payload, event_ser_id, event_ser_manifest, entry_seq, visibility, sender,"
            + " client_msg_id, body_hash";
    private static final String ARRAYS = "INSERT INTO event_journal (" + COLUMNS + ") SELECT false, a, b, c, 1, '', d,"
            + " 53401, 'c.entry:1', b - 1, 0, e, f, b FROM (SELECT unnest(?::text[]) a, unnest(?::int8[]) b,"
            + " unnest(?::text[]) c, unnest(?::bytea[]) d, unnest(?::text[]) e, unnest(?::text[]) f) AS r";
    private static final String VALUES = "INSERT INTO event_journal (" + COLUMNS + ") VALUES "
            + "(FALSE, ?, ?, ?, 1, '', ?, 53401, 'c.entry:1', ?, 0, ?, ?, ?)"
            + ", (FALSE, ?, ?, ?, 1, '', ?, 53401, 'c.entry:1', ?, 0, ?, ?, ?)".repeat(H2_ROWS - 1);

    private final Store store;
    private final String url;
    private final int threads;
    private final int conversations;
    private final byte[] payload;
    private final LongAdder written = new LongAdder();
    private final List<Thread> running = new ArrayList<>();
    private volatile boolean stopping;
    private volatile SQLException failure;

    RawContender(Store store, String database, int threads, int conversations, EventSource events) throws SQLException {
        this.store = store;
        this.threads = threads;
        this.conversations = conversations;
        url = store.newDatabase(database);
        payload = new EventCodec().write(events.event(1, 1234));
        // Only for the schema.
        SqlStorage.open(ConfigFactory.parseMap(Map.of(
                                "switchboard.database.url",
                                url,
                                "switchboard.database.user",
                                store.user(),
                                "switchboard.database.password",
                                "postgres".equals(store.user()) ? "postgres" : ""))
                        .withFallback(ConfigFactory.defaultReference()))
                .close();
    }

    @Override
    public String name() {
        return "raw, 400 rows a commit, connections: " + threads;
    }

    @Override
    public void clear() throws SQLException {
        store.clear(url, List.of("event_tag", "event_journal"));
    }

    @Override
    public void start() {
        written.reset();
        stopping = false;
        for (int i = 0; i < threads; i++) {
            int first = i;
            Thread thread = new Thread(() -> write(first), "raw-" + i);
            running.add(thread);
            thread.start();
        }
    }

    private void write(int first) {
        boolean arrays = url.startsWith("jdbc:postgresql:");
        try (Connection connection = store.connect(url);
                PreparedStatement statement = connection.prepareStatement(arrays ? ARRAYS : VALUES)) {
            connection.setAutoCommit(arrays);
            int conversation = first;
            long number = 1;
            while (!stopping) {
                String[] ids = new String[ROWS];
                long[] numbers = new long[ROWS];
                String[] senders = new String[ROWS];
                for (int i = 0; i < ROWS; i++) {
                    ids[i] = EventSource.persistenceId(conversation);
                    numbers[i] = number;
                    senders[i] = EventSource.customer(conversation).key();
                    conversation += threads;
                    if (conversation >= conversations) {
                        conversation = first;
                        number++;
                    }
                }
                if (arrays) {
                    insertArrays(connection, statement, ids, numbers, senders);
                } else {
                    insertValues(statement, ids, numbers, senders);
                    connection.commit();
                }
                written.add(ROWS);
            }
        } catch (SQLException e) {
            failure = e;
        }
    }

    private void insertArrays(
            Connection connection, PreparedStatement statement, String[] ids, long[] numbers, String[] senders)
            throws SQLException {
        PGConnection postgres = connection.unwrap(PGConnection.class);
        String[] writers = new String[ROWS];
        byte[][] payloads = new byte[ROWS][];
        String[] messages = new String[ROWS];
        for (int i = 0; i < ROWS; i++) {
            writers[i] = "writer-" + ids[i];
            payloads[i] = payload;
            messages[i] = EventSource.clientMsgId(numbers[i]);
        }
        statement.setArray(1, postgres.createArrayOf("text", ids));
        statement.setArray(2, postgres.createArrayOf("int8", numbers));
        statement.setArray(3, postgres.createArrayOf("text", writers));
        statement.setArray(4, postgres.createArrayOf("bytea", payloads));
        statement.setArray(5, postgres.createArrayOf("text", senders));
        statement.setArray(6, postgres.createArrayOf("text", messages));
        statement.executeUpdate();
    }

    private void insertValues(PreparedStatement statement, String[] ids, long[] numbers, String[] senders)
            throws SQLException {
        for (int from = 0; from < ROWS; from += H2_ROWS) {
            int parameter = 0;
            for (int i = from; i < from + H2_ROWS; i++) {
                statement.setString(++parameter, ids[i]);
                statement.setLong(++parameter, numbers[i]);
                statement.setString(++parameter, "writer-" + ids[i]);
                statement.setBytes(++parameter, payload);
                statement.setLong(++parameter, numbers[i] - 1);
                statement.setString(++parameter, senders[i]);
                statement.setString(++parameter, EventSource.clientMsgId(numbers[i]));
                statement.setLong(++parameter, numbers[i]);
            }
            statement.executeUpdate();
        }
    }

    @Override
    public long written() {
        return written.sum();
    }

    @Override
    public void stop() throws InterruptedException, SQLException {
        stopping = true;
        for (Thread thread : running) {
            thread.join();
        }
        running.clear();
        if (failure != null) {
            throw failure;
        }
    }

    /** Nobody waits for an answer here: empty. */
    @Override
    public Histogram latencies() {
        return new Histogram(3);
    }

    @Override
    public void close() {
        // Its connections are closed with their threads.
    }
}
