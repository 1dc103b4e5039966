package dev.switchboard.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.server.settings.SettingsLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a node until it is told to end. */
@Command(name = "serve", description = "Run a node (this is the default).", mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "${SWITCHBOARD_CONFIG:-application.conf}",
            description = "The settings file. Default: application.conf beside the launcher.")
    private Path file;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        Config settings = SettingsLoader.load(existing(file), ConfigFactory.empty());
        return new ServerProcessLife(settings, spec.commandLine().getErr()).run();
    }

    /** The default file may be missing, so that the jar runs alone; a file that was named must be there. */
    static Optional<Path> existing(Path file) {
        boolean isDefault = file.equals(Path.of("application.conf"));
        return isDefault && !Files.exists(file) ? Optional.empty() : Optional.of(file);
    }
}
