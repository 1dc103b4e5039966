package dev.switchboard.server.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import dev.switchboard.harness.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is shipped says the same as the code. If it doesn't: {@code ./switchboard settings --write .}. */
class ShippedSettingsTest {
    private final SettingsCatalog catalog = SettingsCatalog.load();

    @Test
    void shouldHoldThePageOfTheSettingsEqualToTheDefaults() throws IOException {
        assertEquals(
                new SettingsPages(catalog).markdown(),
                Files.readString(Folders.top().resolve("docs/settings.md")));
    }

    @Test
    void shouldHoldTheOperatorsFileEqualToTheDefaults() {
        Map<String, Object> shipped = new TreeMap<>();
        Map<String, Object> defaults = new TreeMap<>();
        Config file = ConfigFactory.parseFile(
                Folders.top().resolve("application.conf").toFile());
        Config resolved = file.resolve(ConfigResolveOptions.noSystem());
        for (Setting setting : catalog.forOperators()) {
            defaults.put(setting.path(), setting.fallback().unwrapped());
            shipped.put(
                    setting.path(),
                    resolved.hasPathOrNull(setting.path())
                            ? resolved.getValue(setting.path()).unwrapped()
                            : "(missing)");
        }
        assertEquals(defaults, shipped);
        assertEquals(Map.of(), unknown(resolved));
    }

    @Test
    void shouldLetEachEnvironmentVariableSetItsSetting() {
        Config file = ConfigFactory.parseFile(
                Folders.top().resolve("application.conf").toFile());
        Map<String, String> variables = new HashMap<>();
        for (Setting setting : catalog.forOperators()) {
            if (setting.hasEnvironmentName()) {
                variables.put(setting.environmentName(), "set by " + setting.environmentName());
            }
        }
        Config environment = ConfigFactory.empty();
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            ConfigValue value = ConfigValueFactory.fromAnyRef(variable.getValue());
            environment = environment.withValue(variable.getKey(), value);
        }
        Config resolved = environment.withFallback(file).resolve(ConfigResolveOptions.noSystem());
        for (Setting setting : catalog.forOperators()) {
            if (setting.hasEnvironmentName()) {
                assertEquals("set by " + setting.environmentName(), resolved.getString(setting.path()));
            }
        }
    }

    @Test
    void shouldTakeTheShippedFile() {
        SettingsLoader.load(Optional.of(Folders.top().resolve("application.conf")), ConfigFactory.empty());
    }

    private Map<String, Object> unknown(Config resolved) {
        Map<String, Object> unknown = new TreeMap<>();
        new SettingsCheck(catalog).objections(resolved).forEach(objection -> unknown.put(objection, ""));
        return unknown;
    }
}
