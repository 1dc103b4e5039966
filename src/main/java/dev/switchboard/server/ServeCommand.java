package dev.switchboard.server;

import com.typesafe.config.ConfigFactory;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a node until it is told to end. */
@Command(name = "serve", description = "Run a node (this is the default).", mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Mixin
    private SettingsOption settings;

    @Option(names = "--until-input-ends", hidden = true, description = "End when the input does.")
    private boolean untilInputEnds;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        if (untilInputEnds) {
            Thread watch = new Thread(
                    () -> {
                        InputEnd.await();
                        System.exit(0);
                    },
                    "switchboard-input");
            watch.setDaemon(true);
            watch.start();
        }
        return new ServerProcessLife(
                        settings.load(ConfigFactory.empty()), spec.commandLine().getErr(), server -> () -> {}, () -> {})
                .run();
    }
}
