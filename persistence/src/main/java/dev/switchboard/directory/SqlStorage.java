package dev.switchboard.directory;

import com.typesafe.config.Config;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.Storage;
import dev.switchboard.schema.Migrations;
import dev.switchboard.serialization.EventCodec;
import java.io.FileNotFoundException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.h2.api.ErrorCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database, opened: its schema is this release's, and its pools are there. Opened by the server's main before the
 * actor system, so that whatever is wrong with the database is said in one line, and closed by it after the actor
 * system has ended. Thread-safe.
 *
 * <p>Pools, each with as many threads as connections, so that none can wait for itself: the journal's writers;
 * recoveries and snapshots; lists and histories; erasures, which have one connection; and, on PostgreSQL, the fence.
 */
public final class SqlStorage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqlStorage.class);

    private static final long SILENCE_SECONDS = 2;
    private static final long ASK_AGAIN_MILLIS = 1_000;
    private static final String CONNECTION_FAILURE = "08006";

    /** The driver's state when the server doesn't speak TLS and the URL demands it. */
    private static final String NO_TLS_THERE = "08004";

    /** Far more than may recover at once: each has one read under way. */
    private static final int RECOVERY_QUEUE = 100_000;

    private final DatabaseSettings settings;
    private final HikariDataSource writePool;
    private final HikariDataSource recoveryPool;
    private final HikariDataSource readPool;
    private final HikariDataSource upkeepPool;
    private final Optional<HikariDataSource> fencePool;
    private final SqlReader reader;
    private final SqlReader recoveries;
    private final SqlReader upkeep;
    private final SqlEraser eraser;
    private final Storage storage;
    private final NodeFence fence;
    private final OperationRows operations;
    private final WriteFigures writeFigures = new WriteFigures();

    private SqlStorage(DatabaseSettings settings) {
        this.settings = settings;
        writePool = pool("journal", settings, settings.journalWriters(), settings.writeTimeout());
        recoveryPool = pool("recovery", settings, settings.recoveryConnections(), Duration.ZERO);
        readPool = pool("directory", settings, settings.readConnections(), settings.readTimeout());
        fencePool = settings.kind() == DatabaseKind.POSTGRESQL
                ? Optional.of(pool("fence", settings, NodeFence.CONNECTIONS, settings.lockTimeout()))
                : Optional.empty();
        fence = new NodeFence(fencePool.map(DataSource.class::cast));
        reader = new SqlReader(
                "switchboard-directory",
                readPool,
                settings.readConnections(),
                settings.readQueue(),
                "switchboard.database.read-queue");
        recoveries = new SqlReader(
                "switchboard-recovery", recoveryPool, settings.recoveryConnections(), RECOVERY_QUEUE, "recoveries");
        upkeepPool = pool("upkeep", settings, 1, settings.writeTimeout());
        upkeep = new SqlReader(
                "switchboard-upkeep", upkeepPool, 1, settings.readQueue(), "switchboard.database.read-queue");
        operations = new OperationRows(reader);
        eraser = new SqlEraser(upkeep, new EventCodec());
        storage = new Storage(
                new SqlDirectory(reader, settings.kind()),
                new SqlEntryLog(reader, new EventCodec()),
                new SqlDeadlines(reader),
                eraser,
                Spool.NONE,
                new SqlBulkRetries(reader, settings.kind()));
    }

    /**
     * Connects, brings the schema up to date and opens the pools.
     *
     * @param config with {@code switchboard.database}
     * @throws StorageStartException with one line that says what is wrong
     */
    public static SqlStorage open(Config config) {
        DatabaseSettings settings = DatabaseSettings.of(config);
        // Without a pool, so that the true cause is had at once; and held, so that an embedded database stays open.
        try (Connection first = connectOrWait(settings)) {
            if (settings.kind() == DatabaseKind.POSTGRESQL) {
                requireOn(first, settings, "fsync");
                requireOn(first, settings, "synchronous_commit");
            }
            SqlStorage storage = new SqlStorage(settings);
            try {
                Migrations.apply(storage.recoveryPool, settings.kind().schemaFolder());
            } catch (FlywayException | SQLException e) {
                storage.close();
                throw new StorageStartException(
                        "the schema of " + settings.shownUrl() + " can't be brought up to date: " + firstLine(e), e);
            }
            LOG.info("Opened {}", settings);
            return storage;
        } catch (SQLException e) {
            throw new StorageStartException(whyNotConnected(e, settings), e);
        }
    }

    /** What the actors and the edge use. */
    public Storage storage() {
        return storage;
    }

    /** Which nodes may write to this database. */
    public NodeFence fence() {
        return fence;
    }

    /** What operators did with shards and nodes. */
    public OperationRows operations() {
        return operations;
    }

    public DatabaseSettings settings() {
        return settings;
    }

    /** For the journal's writers: a connection for each of them; without auto-commit on H2. */
    public DataSource writePool() {
        return writePool;
    }

    /** For the journal plugin's reads and deletes and for snapshots. */
    public DataSource recoveryPool() {
        return recoveryPool;
    }

    /** Reads what conversations and desks recover from, over {@link #recoveryPool}. */
    public SqlReader recoveries() {
        return recoveries;
    }

    /** What the journal's writers did. */
    public WriteFigures writeFigures() {
        return writeFigures;
    }

    /** How many reads wait for a connection. */
    public int waitingReads() {
        return reader.waiting();
    }

    /** How many reads failed since the start. */
    public long failedReads() {
        return reader.failures();
    }

    /** How many conversations were erased since the start. */
    public long erasedConversations() {
        return eraser.conversations();
    }

    /** How many rows of the journal were rewritten by erasures since the start. */
    public long erasedRows() {
        return eraser.rows();
    }

    /** How many erasures failed since the start; each is tried again. */
    public long failedErasures() {
        return upkeep.failures();
    }

    /** How many erasures are under way or wait for the one that is. */
    public int openErasures() {
        return upkeep.open();
    }

    /** True when the database answers now. The stage never fails. */
    public CompletionStage<Boolean> ping() {
        return reader.run(connection -> Query.of("SELECT 1")
                        .first(connection, row -> row.getInt(1))
                        .isPresent())
                .exceptionally(failure -> false);
    }

    /** Closes the pools; what still waits fails. Called after the actor system has ended. */
    @Override
    public void close() {
        upkeep.close();
        reader.close();
        recoveries.close();
        upkeepPool.close();
        fence.close();
        fencePool.ifPresent(HikariDataSource::close);
        readPool.close();
        recoveryPool.close();
        writePool.close();
    }

    private static HikariDataSource pool(
            String name, DatabaseSettings settings, int connections, Duration statementTimeout) {
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("switchboard-" + name);
        pool.setDriverClassName(settings.kind().driver());
        pool.setJdbcUrl(settings.url());
        pool.setUsername(settings.user());
        pool.setPassword(settings.password());
        pool.setMaximumPoolSize(connections);
        pool.setMinimumIdle(connections);
        pool.setConnectionTimeout(settings.connectTimeout().toMillis());
        pool.setValidationTimeout(Math.min(settings.connectTimeout().toMillis(), 5_000));
        // The database was reached a moment ago; if it is gone again, those who ask the pool are told.
        pool.setInitializationFailTimeout(-1);
        // H2's writer commits several statements together; on PostgreSQL one statement is the transaction.
        pool.setAutoCommit(!name.equals("journal") || settings.kind() == DatabaseKind.POSTGRESQL);
        // Else what the pool itself asks would leave a transaction open.
        pool.setIsolateInternalQueries(true);
        if (settings.kind() == DatabaseKind.POSTGRESQL) {
            pool.addDataSourceProperty("ApplicationName", "switchboard " + name);
            pool.addDataSourceProperty("connectTimeout", wholeSeconds(settings.connectTimeout()));
            if (!statementTimeout.isZero()) {
                // The server ends a statement first; this is for when nothing comes from it any more.
                pool.addDataSourceProperty(
                        "socketTimeout", wholeSeconds(statementTimeout.plusSeconds(SILENCE_SECONDS)));
            }
            // A frozen node's open transaction must not hold up the others.
            long idleMillis = settings.lockTimeout().toMillis() * 2;
            pool.setConnectionInitSql(
                    "SET lock_timeout = " + settings.lockTimeout().toMillis()
                            + "; SET idle_in_transaction_session_timeout = " + idleMillis + "; SET statement_timeout = "
                            + statementTimeout.toMillis());
        } else {
            long queryMillis = statementTimeout.toMillis();
            pool.setConnectionInitSql(
                    "SET LOCK_TIMEOUT " + settings.lockTimeout().toMillis() + "; SET QUERY_TIMEOUT " + queryMillis);
        }
        return new HikariDataSource(pool);
    }

    /** A server that starts beside this node, or is just being switched over, is waited for. */
    private static Connection connectOrWait(DatabaseSettings settings) throws SQLException {
        long deadline = System.nanoTime() + settings.startWait().toNanos();
        String said = "";
        while (true) {
            try {
                return connect(settings);
            } catch (SQLException e) {
                if (!isAway(e) || System.nanoTime() - deadline >= 0) {
                    throw e;
                }
                String why = whyNotConnected(e, settings);
                if (!why.equals(said)) {
                    LOG.warn("Waiting up to {}: {}", settings.startWait(), why);
                    said = why;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ASK_AGAIN_MILLIS));
            }
        }
    }

    /** No connection, or a server that starts, ends or is full; not a wrong password, name or certificate. */
    private static boolean isAway(SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        if (isUntrusted(failure) || state.equals(NO_TLS_THERE) || rootCause(failure) instanceof FileNotFoundException) {
            return false;
        }
        return state.startsWith("08") || state.startsWith("57P") || state.equals("53300");
    }

    /** Its certificate is signed by nobody who is trusted, has ended, or names another host. */
    private static boolean isUntrusted(SQLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException
                    || cause instanceof CertPathBuilderException
                    || cause instanceof CertPathValidatorException
                    || cause instanceof SSLPeerUnverifiedException) {
                return true;
            }
        }
        // What the driver says of a certificate for another host; every other failure of a connection has a cause.
        return CONNECTION_FAILURE.equals(failure.getSQLState()) && failure.getCause() == null;
    }

    private static Throwable rootCause(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static Connection connect(DatabaseSettings settings) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", settings.user());
        properties.setProperty("password", settings.password());
        if (settings.kind() == DatabaseKind.POSTGRESQL) {
            properties.setProperty("connectTimeout", wholeSeconds(settings.connectTimeout()));
        }
        return DriverManager.getConnection(settings.url(), properties);
    }

    /** Accepted means persisted: a server that answers before it has written can't hold that. */
    private static void requireOn(Connection connection, DatabaseSettings settings, String parameter)
            throws SQLException {
        String value = Query.of("SHOW " + parameter)
                .first(connection, row -> row.getString(1))
                .orElse("");
        if (value.equals("off")) {
            throw new StorageStartException(
                    settings.shownUrl() + " has " + parameter + " off: it would lose what was accepted; turn it on",
                    null);
        }
    }

    private static String whyNotConnected(SQLException failure, DatabaseSettings settings) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && settings.kind() == DatabaseKind.H2
                    && sql.getErrorCode() == ErrorCode.DATABASE_ALREADY_OPEN_1) {
                return "the data folder is in use by another process: "
                        + settings.shownUrl().substring("jdbc:h2:file:".length());
            }
        }
        if (isUntrusted(failure)) {
            return "the database " + settings.shownUrl() + " doesn't show a certificate that is trusted: "
                    + firstLine(rootOf(failure));
        }
        return "the database is out of reach: " + settings.shownUrl() + " (" + firstLine(rootOf(failure)) + ")";
    }

    private static String wholeSeconds(Duration duration) {
        return String.valueOf(Math.max(1, duration.toSeconds()));
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() instanceof SQLException) {
            root = root.getCause();
        }
        return root;
    }

    private static String firstLine(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.lines().filter(line -> !line.isBlank()).findFirst().orElse(message);
    }
}
