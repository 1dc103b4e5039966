package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.harness.ServerProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The launcher with what was built: the jar, the libraries that its manifest names, the archive of loaded classes. */
class LauncherIT {
    private static final Duration DEADLINE = Duration.ofSeconds(90);

    @Test
    void shouldStartAndEndWhatWasBuilt() {
        try (ServerProcess server = ServerProcess.builder().built().start()) {
            server.awaitReady();
            server.terminate();
            assertEquals(0, server.awaitExit(DEADLINE), () -> String.join("\n", server.output()));
            server.startAgain();
            server.awaitReady();
        }
    }

    @Test
    void shouldSayItsVersionAndCommands() {
        assertTrue(output("--version").startsWith("Switchboard "), () -> output("--version"));
        String help = output("--help");
        for (String command : new String[] {"serve", "demo", "token", "bench"}) {
            assertTrue(help.contains(command), help);
        }
    }

    @Test
    void shouldMintADevelopmentTokenWithTheShippedSettings() {
        String output = output("token", "--role", "agent", "--id", "alice");
        assertTrue(output.contains("dev:agent:alice"), output);
    }

    private static String output(String... arguments) {
        try (ServerProcess process =
                ServerProcess.builder().built().arguments(arguments).start()) {
            assertEquals(0, process.awaitExit(DEADLINE), () -> String.join("\n", process.output()));
            return String.join("\n", process.output());
        }
    }
}
