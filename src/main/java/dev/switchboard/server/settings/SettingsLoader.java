package dev.switchboard.server.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import dev.switchboard.server.StartFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Puts a node's settings together and checks them. Stateless and thread-safe. Highest first: what the caller overrides,
 * system properties, the operator's file with its environment variables, {@code switchboard-node.conf} (what a node
 * needs of Pekko), the defaults of the houses and of Pekko.
 */
public final class SettingsLoader {
    private SettingsLoader() {}

    /**
     * The settings of a node.
     *
     * @param file the operator's file; empty for none
     * @param overrides what the caller wants different; beats everything else
     * @throws StartFailure with one line, when the file can't be read or a setting is unknown or not allowed
     */
    public static Config load(Optional<Path> file, Config overrides) {
        Config operator = file.map(SettingsLoader::parse).orElse(ConfigFactory.empty());
        Config all;
        try {
            all = overrides
                    .withFallback(ConfigFactory.defaultOverrides())
                    .withFallback(operator)
                    .withFallback(ConfigFactory.parseResources(
                            SettingsLoader.class.getClassLoader(), "switchboard-node.conf"))
                    .withFallback(ConfigFactory.defaultReferenceUnresolved())
                    .resolve();
        } catch (ConfigException e) {
            throw new StartFailure("the settings can't be read: " + e.getMessage(), e);
        }
        SettingsCatalog catalog = SettingsCatalog.load();
        Config split = splitLists(all, catalog);
        List<String> objections = new SettingsCheck(catalog).objections(split);
        if (!objections.isEmpty()) {
            String more = objections.size() == 1 ? "" : " (and " + (objections.size() - 1) + " more)";
            throw new StartFailure(objections.get(0) + more);
        }
        return split;
    }

    private static Config parse(Path file) {
        if (!Files.isReadable(file)) {
            throw new StartFailure("the settings file " + file + " can't be read");
        }
        try {
            return ConfigFactory.parseFile(
                    file.toFile(), ConfigParseOptions.defaults().setAllowMissing(false));
        } catch (ConfigException e) {
            throw new StartFailure("the settings file can't be read: " + e.getMessage(), e);
        }
    }

    /** An environment variable can only give a list as a text with commas. */
    private static Config splitLists(Config all, SettingsCatalog catalog) {
        Config split = all;
        for (Setting setting : catalog.all()) {
            if (setting.bound() instanceof Bound.Listing && all.hasPath(setting.path())) {
                ConfigValue value = all.getValue(setting.path());
                if (value.valueType() == ConfigValueType.STRING) {
                    List<String> parts = Bound.Listing.split((String) value.unwrapped());
                    split = split.withValue(setting.path(), ConfigValueFactory.fromIterable(parts));
                }
            }
        }
        return split;
    }
}
