package dev.switchboard.bench;

import dev.switchboard.bench.dispatch.DispatchBench;
import dev.switchboard.bench.journal.JournalBench;
import dev.switchboard.bench.journal.RecoveryBench;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command line of the measurements: {@code ./switchboard bench dispatch | end-to-end | restart | memory | journal |
 * recovery | outage | open-rate | ledger | soak | doctor}.
 */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures a server, or a part of one alone, in processes of their own on this machine.",
        subcommands = {
            DispatchBench.class,
            Bench.EndToEndCommand.class,
            Bench.RestartCommand.class,
            Bench.MemoryCommand.class,
            Bench.JournalCommand.class,
            Bench.RecoveryCommand.class,
            Bench.OutageCommand.class,
            Bench.OpenRateCommand.class,
            LedgerCost.class,
            Soak.class,
            DoctorCost.class,
            ParkProtocol.class
        })
public final class Bench {
    private Bench() {}

    /** Runs the command line and ends the process with its result. */
    public static void main(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        System.exit(new CommandLine(new Bench())
                .setOut(out)
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    line.getErr().println("bench: " + failure.getMessage());
                    return 1;
                })
                .execute(arguments));
    }

    /** Messages per second, latency and processor time. */
    @Command(
            name = "end-to-end",
            mixinStandardHelpOptions = true,
            showDefaultValues = true,
            description = "Messages per second from customers' sockets to agents' sockets, latency, CPU per message.")
    static final class EndToEndCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(names = "--database", split = ",", defaultValue = "h2,postgres", description = "h2, postgres or both.")
        private List<String> databases;

        @Option(names = "--customers", defaultValue = "200", description = "Customers, one message in flight each.")
        private int customers;

        @Option(names = "--agents", defaultValue = "20", description = "Agents who receive.")
        private int agents;

        @Option(names = "--text", defaultValue = "100", description = "Bytes of a message's text.")
        private int textBytes;

        @Option(names = "--warm-up", defaultValue = "30", description = "Seconds before the first round.")
        private int warmUpSeconds;

        @Option(names = "--rounds", defaultValue = "5", description = "Rounds.")
        private int rounds;

        @Option(names = "--seconds", defaultValue = "10", description = "Seconds of a round.")
        private int roundSeconds;

        @Option(
                names = "--peer",
                description = "A program to measure too, on PostgreSQL, in place of ./switchboard serve and under the"
                        + " same load: bench/relay/serve is one. It gets the same environment.")
        private Path peer;

        @Option(names = "--profile", description = "One more round under the flight recorder, to show where time goes.")
        private boolean profile;

        @Override
        public Integer call() throws Exception {
            new EndToEnd(
                            new EndToEnd.Plan(
                                    customers, agents, textBytes, warmUpSeconds, rounds, roundSeconds, profile, peer),
                            spec.commandLine().getParent().getOut())
                    .run(databases);
            return 0;
        }
    }

    /** Nothing accepted is lost by a kill. */
    @Command(
            name = "restart",
            mixinStandardHelpOptions = true,
            showDefaultValues = true,
            description = "Kills a server in the middle of traffic; accepted = delivered, once each, in order?")
    static final class RestartCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(names = "--database", defaultValue = "h2", description = "h2 or postgres.")
        private String database;

        @Option(names = "--customers", defaultValue = "200", description = "Customers.")
        private int customers;

        @Option(names = "--agents", defaultValue = "20", description = "Agents.")
        private int agents;

        @Option(names = "--messages", defaultValue = "20000", description = "Messages of all customers together.")
        private int messages;

        @Option(names = "--kills", defaultValue = "1", description = "How many times the server is killed.")
        private int kills;

        @Override
        public Integer call() throws Exception {
            return new Restart(
                                    customers,
                                    agents,
                                    messages,
                                    kills,
                                    spec.commandLine().getParent().getOut())
                            .run(database)
                    ? 0
                    : 1;
        }
    }

    /** Live heap of what is idle. */
    @Command(
            name = "memory",
            mixinStandardHelpOptions = true,
            showDefaultValues = true,
            description = "Bytes of live heap for each idle socket and each idle conversation in memory.")
    static final class MemoryCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(names = "--sockets", defaultValue = "8000", description = "Idle sockets.")
        private int sockets;

        @Option(names = "--conversations", defaultValue = "8000", description = "Idle conversations.")
        private int conversations;

        @Override
        public Integer call() throws Exception {
            new Memory(sockets, conversations, spec.commandLine().getParent().getOut()).run();
            return 0;
        }
    }

    /** Events per second of the journal alone. */
    @Command(
            name = "journal",
            mixinStandardHelpOptions = true,
            showDefaultValues = true,
            description = "Events per second of the journal, beside the plugin's own and beside raw inserts.")
    static final class JournalCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(names = "--database", split = ",", defaultValue = "postgres,h2", description = "h2, postgres or both.")
        private List<String> databases;

        @Option(
                names = "--conversations",
                split = ",",
                defaultValue = "500,5000",
                description = "Conversations, one write in flight each.")
        private List<Integer> conversations;

        @Option(names = "--event", defaultValue = "512", description = "Bytes of a serialized message event.")
        private int eventBytes;

        @Option(names = "--warm-up", defaultValue = "8", description = "Seconds of each contender before the rounds.")
        private int warmUpSeconds;

        @Option(names = "--rounds", defaultValue = "5", description = "Rounds.")
        private int rounds;

        @Option(names = "--seconds", defaultValue = "4", description = "Seconds of each contender in a round.")
        private int roundSeconds;

        @Option(
                names = "--contenders",
                split = ",",
                defaultValue = "plugin,rewrite,switchboard,raw",
                description = "Who takes part.")
        private List<String> contenders;

        @Override
        public Integer call() throws Exception {
            new JournalBench(
                            new JournalBench.Plan(
                                    databases,
                                    conversations,
                                    eventBytes,
                                    warmUpSeconds,
                                    rounds,
                                    roundSeconds,
                                    contenders),
                            spec.commandLine().getParent().getOut())
                    .run();
            return 0;
        }
    }

    /** How fast long conversations come back. */
    @Command(
            name = "recovery",
            mixinStandardHelpOptions = true,
            showDefaultValues = true,
            description = "Recoveries per second of long conversations, and how long one takes.")
    static final class RecoveryCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(names = "--database", split = ",", defaultValue = "postgres,h2", description = "h2, postgres or both.")
        private List<String> databases;

        @Option(names = "--conversations", defaultValue = "50", description = "Conversations.")
        private int conversations;

        @Option(names = "--entries", defaultValue = "10000", description = "Entries of each before its snapshot.")
        private int entries;

        @Option(names = "--tail", defaultValue = "100", description = "Events after it at most.")
        private int tail;

        @Option(names = "--in-flight", split = ",", defaultValue = "1,8,50", description = "Recoveries at once.")
        private List<Integer> inFlight;

        @Option(names = "--warm-up", defaultValue = "10", description = "Seconds before the rounds.")
        private int warmUpSeconds;

        @Option(names = "--rounds", defaultValue = "5", description = "Rounds.")
        private int rounds;

        @Option(names = "--seconds", defaultValue = "2", description = "Seconds of each number in a round.")
        private int roundSeconds;

        @Override
        public Integer call() throws Exception {
            new RecoveryBench(
                            new RecoveryBench.Plan(
                                    databases,
                                    conversations,
                                    entries,
                                    tail,
                                    inFlight,
                                    warmUpSeconds,
                                    rounds,
                                    roundSeconds),
                            spec.commandLine().getParent().getOut())
                    .run();
            return 0;
        }
    }

    /** What was promised while the database was away is kept. */
    @Command(
            name = "outage",
            mixinStandardHelpOptions = true,
            showDefaultValues = true,
            description =
                    "Stops PostgreSQL under steady posts, with and without the spool, and once kills the node too;"
                            + " accepted + spooled = in the journal, once each, in order?")
    static final class OutageCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(names = "--seconds", defaultValue = "60", description = "How long PostgreSQL is away.")
        private int seconds;

        @Option(names = "--rate", defaultValue = "500", description = "Posts a second of all customers together.")
        private int perSecond;

        @Option(names = "--customers", defaultValue = "250", description = "Customers.")
        private int customers;

        @Override
        public Integer call() throws Exception {
            return new Outage(
                                    new Outage.Plan(seconds, perSecond, customers),
                                    spec.commandLine().getParent().getOut())
                            .run()
                    ? 0
                    : 1;
        }
    }

    /** Conversations opened and assigned a second. */
    @Command(
            name = "open-rate",
            mixinStandardHelpOptions = true,
            showDefaultValues = true,
            description = "Conversations a second that are opened in one queue and assigned to desks with room.")
    static final class OpenRateCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(names = "--agents", defaultValue = "3000", description = "Agents.")
        private int agents;

        @Option(names = "--capacity", defaultValue = "30", description = "Conversations of an agent at most.")
        private int capacity;

        @Option(names = "--warm-up", defaultValue = "50000", description = "Conversations before it is measured.")
        private int warmUp;

        @Option(names = "--conversations", defaultValue = "20000", description = "Conversations that are measured.")
        private int conversations;

        @Option(names = "--in-flight", defaultValue = "1000", description = "Conversations on their way at a time.")
        private int inFlight;

        @Override
        public Integer call() throws Exception {
            new OpenRate(
                            new OpenRate.Plan(agents, capacity, warmUp, conversations, inFlight),
                            spec.commandLine().getParent().getOut())
                    .run();
            return 0;
        }
    }
}
