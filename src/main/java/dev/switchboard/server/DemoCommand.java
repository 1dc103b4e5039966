package dev.switchboard.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.server.demo.Pace;
import dev.switchboard.server.demo.ServiceHall;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a node with a small simulated service hall beside it, in a data folder that goes when it ends. */
@Command(
        name = "demo",
        description = "Run a node with simulated customers and agents, to look at in a browser.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final String DATA_DIR = "switchboard.data-dir";

    @Mixin
    private SettingsOption settings;

    @Option(
            names = "--slowness",
            paramLabel = "FACTOR",
            defaultValue = "1",
            description = "How slowly the simulated people live: 1 as people do (default), 0.1 ten times faster.")
    private double slowness;

    @Option(
            names = "--keep-data",
            description = "Use the configured data folder and keep it; by default the data is thrown away.")
    private boolean keepData;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        Pace pace = pace();
        Config overrides = ConfigFactory.parseMap(Map.of("switchboard.auth.mode", "none"));
        if (keepData) {
            return run(settings.load(overrides), pace, () -> {});
        }
        Path folder = TemporaryFolder.make("switchboard-demo-");
        Config throwaway = ConfigFactory.parseMap(Map.of(
                DATA_DIR, folder.toString(), "switchboard.database.url", "jdbc:h2:file:" + folder + "/switchboard"));
        return run(settings.load(throwaway.withFallback(overrides)), pace, () -> TemporaryFolder.delete(folder));
    }

    private int run(Config checked, Pace pace, Runnable afterwards) {
        return new ServerProcessLife(checked, spec.commandLine().getErr(), server -> openHall(server, pace), afterwards)
                .run();
    }

    private AutoCloseable openHall(Server server, Pace pace) {
        ServiceHall hall = new ServiceHall(
                URI.create("http://" + server.httpAddress()),
                pace,
                spec.commandLine().getOut());
        hall.start();
        return hall;
    }

    private Pace pace() {
        try {
            return new Pace(slowness);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--" + e.getMessage(), e);
        }
    }
}
