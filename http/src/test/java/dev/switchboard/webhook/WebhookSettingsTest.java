package dev.switchboard.webhook;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.desk.Profile;
import dev.switchboard.socket.TerminalCodec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSettingsTest {
    @TempDir
    private Path folder;

    private Path secret;

    @BeforeEach
    void writeSecret() throws IOException {
        secret = Files.writeString(folder.resolve("secret"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
    }

    private WebhookSettings settings(String receivers) {
        return WebhookSettings.of(ConfigFactory.parseString(
                        "switchboard.webhooks.receivers = [" + receivers.replace("SECRET", "\"" + secret + "\"") + "]")
                .withFallback(ConfigFactory.load()));
    }

    @Test
    void shouldHaveNoReceiversUntilToldOfSome() {
        assertTrue(settings("").receivers().isEmpty());
    }

    @Test
    void shouldReadReceivers() {
        WebhookSettings settings =
                settings("{ agent = a, url = \"https://bots.example.com/hook\", secret-file = SECRET },"
                        + "{ agent = b, url = \"https://[2001:db8::1]:8443/\", secret-file = SECRET,"
                        + " queues = [q1, q2], capacity = 7, timeout = 2s }");
        WebhookSettings.Receiver first = settings.receivers().get(0);
        assertEquals("a", first.agent());
        assertEquals(Optional.empty(), first.profile());
        assertEquals(Duration.ofSeconds(10), first.timeout());
        WebhookSettings.Receiver second = settings.receivers().get(1);
        assertEquals(Optional.of(new Profile(7, Set.of(), Set.of("q1", "q2"))), second.profile());
        assertEquals(Duration.ofSeconds(2), second.timeout());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ agent = a, url = \"ftp://bots.example.com\", secret-file = SECRET }",
                "{ agent = a, url = \"https:///hook\", secret-file = SECRET }",
                "{ agent = a, url = \"https://user@bots.example.com\", secret-file = SECRET }",
                "{ agent = a, url = \"bots.example.com\", secret-file = SECRET }",
                "{ agent = \"a b\", url = \"https://bots.example.com\", secret-file = SECRET }",
                "{ agent = a, url = \"https://bots.example.com\", secret-file = \"/nowhere/at/all\" }",
                "{ agent = a, url = \"https://bots.example.com\" }",
                "{ agent = a, url = \"https://bots.example.com\", secret-file = SECRET, color = red }",
                "{ agent = a, url = \"https://bots.example.com\", secret-file = SECRET, capacity = 3 }",
                "{ agent = a, url = \"https://bots.example.com\", secret-file = SECRET, queues = [] }",
                "{ agent = a, url = \"https://bots.example.com\", secret-file = SECRET, queues = [q], capacity = 0 }",
                "{ agent = a, url = \"https://bots.example.com\", secret-file = SECRET, timeout = 1ms }",
                "{ agent = a, url = \"https://bots.example.com\", secret-file = SECRET },"
                        + "{ agent = a, url = \"https://bots.example.com\", secret-file = SECRET }"
            })
    void shouldRefuseAReceiverThatCannotBe(String receivers) {
        assertThrows(ConfigException.class, () -> settings(receivers));
    }

    @Test
    void shouldMakeTheSameBodyForEachAttemptAndSayWhenItCannot() throws Exception {
        Entry entry = Entry.message(
                3, new Person(Role.CUSTOMER, "carol"), Instant.EPOCH, "m3", Body.text("gr\u00fc\u00df dich"));
        byte[] body = new HookBodies().of("c-carol", entry);
        assertArrayEquals(body, new HookBodies().of("c-carol", entry));
        JsonNode read = TerminalCodec.JSON.read(body);
        assertEquals("entry", read.path("type").asText());
        assertEquals("c-carol", read.path("conv").asText());
        assertEquals(2, read.path("prev").asLong());
        assertEquals("gr\u00fc\u00df dich", read.path("body").path("text").asText());

        TerminalCodec broken = new TerminalCodec() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public JsonNode read(byte[] bytes) throws IOException {
                return TerminalCodec.JSON.read(bytes);
            }

            @Override
            public void write(String type, Fields fields, OutputStream to) {
                throw new IllegalStateException("no form for this");
            }
        };
        HookBodies.UnwritableException failure =
                assertThrows(HookBodies.UnwritableException.class, () -> new HookBodies(broken).of("c-carol", entry));
        assertTrue(failure.getMessage().contains("no form for this"));
    }
}
