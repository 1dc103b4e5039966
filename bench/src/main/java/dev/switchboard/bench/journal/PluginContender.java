package dev.switchboard.bench.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.journal.StorageSetup;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.persistence.Persistence;

/**
 * Writes through the journal plugin's own actor, as persistent actors do: so all that a write costs a node is in the
 * figures, what Pekko does for it included, but for the persistent actors themselves. A few actors stand for all
 * conversations; each has one write in flight.
 */
final class PluginContender implements Contender {
    private static final int LOAD_ACTORS = 2;
    private static final List<String> PLUGIN_TABLES = List.of("event_tag", "event_journal");
    private static final List<String> OUR_TABLES =
            List.of("event_tag", "event_journal", "conversation", "waiting", "deadline");

    private final String name;
    private final Store store;
    private final String url;
    private final List<String> tables;
    private final ActorSystem system;
    private final SqlStorage storage;
    private final List<ActorRef> load = new ArrayList<>();
    private final LongAdder written = new LongAdder();
    private final Recorder latencies = new Recorder(3);

    private PluginContender(
            String name,
            Store store,
            String url,
            List<String> tables,
            ActorSystem system,
            SqlStorage storage,
            int conversations,
            EventSource events) {
        this.name = name;
        this.store = store;
        this.url = url;
        this.tables = tables;
        this.system = system;
        this.storage = storage;
        ActorRef journal = Persistence.get(system).journalFor("", ConfigFactory.empty());
        for (int i = 0; i < LOAD_ACTORS; i++) {
            int first = i;
            load.add(system.actorOf(
                    Props.create(
                            LoadActor.class,
                            () -> new LoadActor(
                                    journal, events, first, LOAD_ACTORS, conversations, written, latencies)),
                    "load-" + i));
        }
    }

    /** Switchboard's journal, on its own settings. */
    static PluginContender ours(Store store, String database, int conversations, EventSource events)
            throws SQLException {
        String url = store.newDatabase(database);
        Config config = base(url, store.user());
        SqlStorage storage = SqlStorage.open(config);
        ActorSystem system = ActorSystem.create("bench", StorageSetup.of(storage, config));
        return new PluginContender("Switchboard", store, url, OUR_TABLES, system, storage, conversations, events);
    }

    /**
     * The plugin as it comes, on its own tables, with the same serializers, dispatcher and order of answers, and with a
     * queue that holds all conversations.
     */
    static PluginContender plugin(Store store, String database, boolean rewrite, int conversations, EventSource events)
            throws SQLException, IOException {
        String url = store.newDatabase(database);
        boolean postgres = url.startsWith("jdbc:postgresql:");
        try (Connection connection = store.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(schema(postgres ? "postgres" : "h2"));
        }
        String full = postgres
                ? url + (rewrite ? "?reWriteBatchedInserts=true" : "")
                : url + ";DATABASE_TO_UPPER=FALSE;DB_CLOSE_ON_EXIT=FALSE";
        Config own = ConfigFactory.parseMap(Map.of(
                "pekko-persistence-jdbc.database-provider-fqcn",
                "org.apache.pekko.persistence.jdbc.db.DefaultSlickDatabaseProvider",
                "jdbc-journal.dao",
                "org.apache.pekko.persistence.jdbc.journal.dao.DefaultJournalDao",
                "jdbc-journal.bufferSize",
                Math.max(1000, 2 * conversations),
                "jdbc-journal.slick.profile",
                postgres ? "slick.jdbc.PostgresProfile$" : "slick.jdbc.H2Profile$",
                "jdbc-journal.slick.db.url",
                full,
                "jdbc-journal.slick.db.user",
                store.user(),
                "jdbc-journal.slick.db.password",
                postgres ? "postgres" : "",
                "jdbc-journal.slick.db.driver",
                postgres ? "org.postgresql.Driver" : "org.h2.Driver",
                "pekko.persistence.snapshot-store.auto-start-snapshot-stores",
                List.of(),
                "pekko.persistence.snapshot-store.plugin",
                ""));
        Config config = own.withFallback(StorageSetup.withJournal(base(url, store.user())));
        return new PluginContender(
                rewrite ? "the plugin's DAO, reWriteBatchedInserts" : "the plugin's default DAO",
                store,
                url,
                PLUGIN_TABLES,
                ActorSystem.create("bench", config),
                null,
                conversations,
                events);
    }

    /** The configuration of an actor system on that database. */
    static Config base(String url, String user) {
        return ConfigFactory.parseMap(Map.of(
                        "switchboard.database.url",
                        url,
                        "switchboard.database.user",
                        user,
                        "switchboard.database.password",
                        "postgres".equals(user) ? "postgres" : "",
                        "pekko.loglevel",
                        "WARNING",
                        "pekko.actor.provider",
                        "local",
                        "pekko.coordinated-shutdown.run-by-jvm-shutdown-hook",
                        "off"))
                .withFallback(ConfigFactory.systemProperties())
                .withFallback(ConfigFactory.defaultReference());
    }

    private static String schema(String database) throws IOException {
        String file = "schema/" + database + "/" + database + "-create-schema.sql";
        try (InputStream in = Persistence.class.getClassLoader().getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException("the plugin's jar has no " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("CONCURRENTLY ", "");
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void clear() throws SQLException {
        store.clear(url, tables);
    }

    @Override
    public void start() {
        written.reset();
        latencies.reset();
        load.forEach(actor -> actor.tell(LoadActor.START, ActorRef.noSender()));
    }

    @Override
    public long written() {
        return written.sum();
    }

    @Override
    public void stop() throws InterruptedException {
        CountDownLatch quiet = new CountDownLatch(load.size());
        load.forEach(actor -> actor.tell(new LoadActor.Stop(quiet), ActorRef.noSender()));
        if (!quiet.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException(name + ": some writes were not answered within a minute");
        }
    }

    @Override
    public Histogram latencies() {
        return latencies.getIntervalHistogram();
    }

    @Override
    public void close() throws Exception {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(60, TimeUnit.SECONDS);
        if (storage != null) {
            storage.close();
        }
    }
}
