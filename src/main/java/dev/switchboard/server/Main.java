package dev.switchboard.server;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;

/** The command line. Called once, by the launcher. */
@Command(
        name = "switchboard",
        description = "A session dispatcher for customer service and messaging.",
        footer = {"", "The launcher also runs `bench`: measurements of a server, see `bench --help`."},
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            ServeCommand.class,
            DemoCommand.class,
            ClusterCommand.class,
            ClusterDatabaseCommand.class,
            TokenCommand.class,
            DoctorCommand.class,
            OpsCommand.class,
            SettingsCommand.class,
            WarmUpCommand.class
        })
public final class Main implements Runnable {
    /** The exit code of a start that can't be, with one line on stderr that says why. */
    static final int CANNOT_START = 1;

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Main() {}

    /** Runs the command that the arguments name; {@code serve} when they name none. */
    public static void main(String[] args) {
        int code = commandLine().execute(args.length == 0 ? new String[] {"serve"} : args);
        // A fault must not leave a process behind that listens but no longer serves.
        System.exit(code);
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        line.setOut(new PrintWriter(new OutputStreamWriter(System.out, Charset.defaultCharset()), true));
        line.setErr(new PrintWriter(new OutputStreamWriter(System.err, Charset.defaultCharset()), true));
        line.setExecutionExceptionHandler(Main::sayWhy);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        return line;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    private static int sayWhy(Exception failure, CommandLine line, ParseResult parsed) {
        if (failure instanceof StartFailure) {
            line.getErr().println("switchboard: " + failure.getMessage());
        } else {
            line.getErr().println("switchboard: this is a fault of the program: " + failure);
            LOG.error("a command failed", failure);
        }
        return CANNOT_START;
    }
}
