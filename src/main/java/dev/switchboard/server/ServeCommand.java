package dev.switchboard.server;

import com.typesafe.config.ConfigFactory;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs a node until it is told to end. */
@Command(name = "serve", description = "Run a node (this is the default).", mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Mixin
    private SettingsOption settings;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        return new ServerProcessLife(
                        settings.load(ConfigFactory.empty()), spec.commandLine().getErr(), server -> () -> {}, () -> {})
                .run();
    }
}
