package dev.switchboard.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.server.cluster.LocalCluster;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs some nodes on this machine with a PostgreSQL beside them, until it is told to end. */
@Command(
        name = "cluster",
        description = {
            "Run some nodes on this machine, to try a cluster.",
            "Their ports go upwards from the configured ones; cluster.json in the data folder says which they are."
        },
        mixinStandardHelpOptions = true)
final class ClusterCommand implements Callable<Integer> {
    private static final int MOST = 20;

    @Mixin
    private SettingsOption settings;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many nodes, 1 to 20; 3 by default, the fewest that outlive the loss of one.")
    private int nodes;

    private volatile boolean started;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        if (nodes < 1 || nodes > MOST) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--nodes must be from 1 to " + MOST);
        }
        Config checked = settings.load(ConfigFactory.empty());
        LocalCluster cluster =
                new LocalCluster(checked, nodes, spec.commandLine().getErr());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(cluster), "switchboard-end"));
        cluster.start();
        started = true;
        cluster.awaitEnd();
        return Main.CANNOT_START;
    }

    private void end(LocalCluster cluster) {
        cluster.end();
        spec.commandLine().getErr().flush();
        if (started) {
            // A JVM that ends by a signal exits with 143 whatever its hooks did.
            Runtime.getRuntime().halt(0);
        }
    }
}
