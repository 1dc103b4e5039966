package dev.switchboard.server.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingsCheckTest {
    private static final Config REFERENCE = ConfigFactory.parseString("""
            switchboard {
              # Where the data is.
              # @text
              data-dir = "./data"
              # The edge.
              http {
                # The port.
                # @bounds 0..65535
                port = 8080
                # How long.
                # @bounds 1s..1h
                idle = 30s
                # A secret.
                # @bounds 1..9
                password = 5
              }
              database {
                # Where the database is.
                # @text
                url = "jdbc:h2:file:"${switchboard.data-dir}"/db"
              }
              # Names of one's own.
              # @map
              queues { default {} }
            }
            """);

    private final SettingsCatalog catalog = SettingsCatalog.of(List.of(REFERENCE));

    @Test
    void shouldFindNothingWhenAllIsAllowed() {
        assertEquals(
                List.of(),
                objections(
                        "switchboard { http.port = 0, queues { billing { any = 1 } }, data-dir = /tmp }\nother.x = 1"));
    }

    @Test
    void shouldNameAnUnknownKeyAndTheNearestOne() {
        assertEquals(
                List.of("switchboard.http.prot = 80 is not a setting; the nearest one is switchboard.http.port"
                        + " (String: 1)"),
                objections("switchboard.http.prot = 80"));
    }

    @Test
    void shouldNameKeyValueRangeAndPlace() {
        assertEquals(
                List.of("switchboard.http.port = 70000 is out of range; allowed is a whole number from 0 to 65535"
                        + " (String: 2)"),
                objections("switchboard {\n http.port = 70000 }"));
    }

    @Test
    void shouldObjectToAValueWhereAGroupIs() {
        assertEquals(
                List.of("switchboard.http = 5 is not an object; allowed is a group of settings (String: 1)"),
                objections("switchboard.http = 5"));
    }

    @Test
    void shouldListEveryObjection() {
        assertEquals(2, objections("switchboard.http { idle = 5, nothing = 1 }").size());
    }

    @Test
    void shouldNotRepeatSecrets() {
        String objection = objections("switchboard.http.password = 77").get(0);
        assertTrue(objection.contains("(hidden)"), objection);
        assertFalse(objection.contains("77"), objection);
    }

    @Test
    void shouldKeepReferencesBetweenDefaults() {
        Setting url = catalog.find("switchboard.database.url").orElseThrow();
        assertEquals("jdbc:h2:file:./data/db", url.fallback().unwrapped());
        assertEquals("\"jdbc:h2:file:\"${switchboard.data-dir}\"/db\"", url.fallbackText());
        assertEquals("SWITCHBOARD_DB_URL", url.environmentName());
    }

    @Test
    void shouldRefuseASettingWithoutABound() {
        Config careless = ConfigFactory.parseString("switchboard {\n # What.\n a = 1\n}");
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> SettingsCatalog.of(List.of(careless)));
        assertTrue(e.getMessage().startsWith("switchboard.a has no bound"), e.getMessage());
    }

    @Test
    void shouldRefuseADefaultOutsideItsBound() {
        Config careless = ConfigFactory.parseString("switchboard {\n # What.\n # @bounds 2..3\n a = 1\n}");
        assertThrows(IllegalStateException.class, () -> SettingsCatalog.of(List.of(careless)));
    }

    private List<String> objections(String settings) {
        return new SettingsCheck(catalog)
                .objections(ConfigFactory.parseString(settings).withFallback(REFERENCE.resolve()));
    }
}
