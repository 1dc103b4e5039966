package dev.switchboard.server;

import com.typesafe.config.Config;
import dev.switchboard.server.settings.SettingsLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that names the settings file, the same for every command. */
final class SettingsOption {
    private static final Path USUAL = Path.of("application.conf");

    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "${env:SWITCHBOARD_CONFIG:-application.conf}",
            description =
                    "The settings file; by default SWITCHBOARD_CONFIG, else application.conf beside the launcher.")
    private Path file;

    /** The checked settings, with what the command wants different over them. Throws StartFailure. */
    Config load(Config overrides) {
        // The jar alone runs with the defaults; a file that was named must be there.
        boolean none = file.equals(USUAL) && !Files.exists(file);
        return SettingsLoader.load(none ? Optional.empty() : Optional.of(file), overrides);
    }
}
