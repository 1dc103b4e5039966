package dev.switchboard.routing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.routing.QueueSettings.WhenClosed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where queues come from, when changes hold, and when a line is full. */
class ConfiguredQueuesTest {
    private static final Config CONFIG = ConfigFactory.parseString("""
                    switchboard.queues-refresh = 100ms
                    switchboard.queue-length-refresh = 100ms
                    switchboard.queues.billing { acceptance = auto, max-length = 3, strategy = round-robin }
                    """).withFallback(ConfigFactory.load());

    private final ActorTestKit kit = ActorTestKit.create(CONFIG);
    private final Map<String, QueueSettings> rows = new ConcurrentHashMap<>();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private volatile boolean broken;
    private volatile int length;

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
    }

    private ConfiguredQueues start() {
        Peers peers = new Peers() {
            @Override
            public void conversation(String conv, ConversationCommand command) {}

            @Override
            public void desk(String agent, DeskCommand command) {}

            @Override
            public void line(String queue, LineCommand command) {
                if (command instanceof LineCommand.Show show) {
                    show.replyTo().tell(new LineReply.Shown(queue, length, null, 0, 0));
                } else {
                    told.add(queue);
                }
            }
        };
        return ConfiguredQueues.start(
                peers,
                new StubDirectory() {
                    @Override
                    public CompletionStage<List<QueueSettings>> queues() {
                        return broken
                                ? CompletableFuture.failedFuture(
                                        new StorageUnavailableException("broken by the test", null))
                                : CompletableFuture.completedFuture(List.copyOf(rows.values()));
                    }

                    @Override
                    public CompletionStage<Void> putQueue(QueueSettings settings) {
                        rows.put(settings.queue(), settings);
                        return CompletableFuture.completedFuture(null);
                    }
                },
                kit.system());
    }

    private static QueueSettings named(QueueSettings like, String name, int maxLength) {
        return new QueueSettings(
                name,
                like.strategy(),
                like.autoAccept(),
                like.offerTo(),
                like.offerTimeout(),
                maxLength,
                like.ageing(),
                like.relaxSkillsAfter(),
                like.preferLastAgentFor(),
                like.preferTargetFor(),
                like.ownerGrace(),
                like.abandonAfter(),
                like.closeIdleAfter(),
                like.whenClosed());
    }

    @Test
    void shouldReadQueuesOverTheDefaults() {
        ConfiguredQueues queues = start();
        QueueSettings standard = queues.find("default").orElseThrow();
        assertEquals("longest-idle", standard.strategy());
        assertFalse(standard.autoAccept());
        assertEquals(Duration.ofSeconds(20), standard.offerTimeout());
        assertEquals(WhenClosed.REOPEN, standard.whenClosed());
        QueueSettings billing = queues.find("billing").orElseThrow();
        assertTrue(billing.autoAccept());
        assertEquals("round-robin", billing.strategy());
        assertTrue(queues.find("none").isEmpty());
    }

    @Test
    void shouldRefuseAQueueThatCannotBe() {
        for (String bad : List.of(
                "switchboard.queues.a { strategy = random }",
                "switchboard.queues.a { acceptance = maybe }",
                "switchboard.queues.a { no-such-key = 1 }",
                "switchboard.queues.\"a b\" {}",
                "switchboard.queues.a = 5")) {
            Config config = ConfigFactory.parseString(bad)
                    .withFallback(ConfigFactory.load())
                    .getConfig("switchboard");
            assertThrows(ConfigException.class, () -> QueueDefaults.queues(config), bad);
        }
    }

    @Test
    void shouldFollowTheDirectoryAndTellTheLine() {
        ConfiguredQueues queues = start();
        rows.put("night", named(queues.find("default").orElseThrow(), "night", 7));
        await().until(() -> queues.find("night").isPresent());
        await().until(() -> told.contains("night"));
        assertEquals(
                Set.of("default", "billing", "night"),
                Set.copyOf(queues.all().stream().map(QueueSettings::queue).toList()));
    }

    @Test
    void shouldHoldAtOnceWhatIsPutHere() {
        ConfiguredQueues queues = start();
        QueueSettings changed = named(queues.find("billing").orElseThrow(), "billing", 9);
        queues.put(changed).toCompletableFuture().join();
        assertEquals(9, queues.find("billing").orElseThrow().maxLength());
        assertTrue(told.contains("billing"));
    }

    @Test
    void shouldKeepWhatItHasWhileTheDirectoryIsDown() {
        ConfiguredQueues queues = start();
        rows.put("night", named(queues.find("default").orElseThrow(), "night", 7));
        await().until(() -> queues.find("night").isPresent());
        broken = true;
        rows.clear();
        await().during(Duration.ofMillis(300)).until(() -> queues.find("night").isPresent());
        broken = false;
        await().until(() -> queues.find("night").isEmpty());
    }

    @Test
    void shouldAdmitNoMoreThanTheLineHolds() {
        ConfiguredQueues queues = start();
        assertFalse(queues.admits("none"));
        for (int i = 0; i < 3; i++) {
            assertTrue(queues.admits("billing"));
        }
        assertFalse(queues.admits("billing"));
        length = 3;
        await().during(Duration.ofMillis(400)).until(() -> !queues.admits("billing"));
        length = 2;
        await().until(() -> queues.admits("billing"));
    }
}
