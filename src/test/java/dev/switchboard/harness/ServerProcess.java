package dev.switchboard.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A server in a process of its own, started by the launcher as an operator would, but from the classes under test, on
 * free ports and in a new data folder. For one thread at a time.
 *
 * <pre>
 * try (ServerProcess server = ServerProcess.builder().start()) {
 *     server.awaitReady();
 *     …
 *     server.kill();       // SIGKILL
 *     server.startAgain(); // the same data folder and ports
 *     server.awaitReady();
 * }
 * </pre>
 */
public final class ServerProcess implements AutoCloseable {
    /** They live for seconds: the second compiler would take more of the machine than it gives back. */
    private static final String JAVA_OPTIONS = "-Xmx768m -XX:TieredStopAtLevel=1";

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final Builder options;
    private final ServerAddress address;
    private final Path dataFolder;
    private final boolean ownsFolder;
    private final List<String> output = new CopyOnWriteArrayList<>();
    private Process process;
    private Thread reader;

    private ServerProcess(Builder options) {
        this.options = options;
        this.address = new ServerAddress(
                "127.0.0.1",
                options.httpPort == 0 ? Ports.free() : options.httpPort,
                options.managementPort == 0 ? Ports.free() : options.managementPort);
        this.ownsFolder = options.dataFolder == null;
        this.dataFolder = ownsFolder ? Folders.temporary("switchboard-test-") : options.dataFolder;
    }

    /** What to start; {@code serve} with the shipped settings unless told otherwise. */
    public static Builder builder() {
        return new Builder();
    }

    /** The options of a process to start. For one thread at a time. */
    public static final class Builder {
        private final Map<String, String> environment = new TreeMap<>();
        private List<String> arguments = List.of("serve");
        private Path dataFolder;
        private int httpPort;
        private int managementPort;
        private boolean built;
        private Duration readyDeadline = Duration.ofSeconds(90);

        private Builder() {}

        /** Runs the built jar, as the launcher does by itself, instead of the classes under test. */
        public Builder built() {
            built = true;
            return this;
        }

        /** Sets an environment variable, such as {@code SWITCHBOARD_AUTH_MODE}. */
        public Builder environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** How long {@link ServerProcess#awaitReady} waits: more than the usual for more processes than one. */
        public Builder readyDeadline(Duration deadline) {
            readyDeadline = deadline;
            return this;
        }

        /** The command and its arguments, instead of {@code serve}. */
        public Builder arguments(String... command) {
            arguments = List.of(command);
            return this;
        }

        /** A folder of the caller's, which it deletes itself. */
        public Builder dataFolder(Path folder) {
            dataFolder = folder;
            return this;
        }

        public Builder httpPort(int port) {
            httpPort = port;
            return this;
        }

        public Builder managementPort(int port) {
            managementPort = port;
            return this;
        }

        /** Starts the process; use {@link ServerProcess#awaitReady} to wait until it serves. */
        public ServerProcess start() {
            ServerProcess server = new ServerProcess(this);
            server.startAgain();
            return server;
        }
    }

    /** Starts the process again after it ended, with the same options, ports and data folder. */
    public void startAgain() {
        if (process != null && process.isAlive()) {
            throw new IllegalStateException("the process still runs");
        }
        List<String> command = new ArrayList<>();
        command.add(Folders.top().resolve("switchboard").toString());
        command.addAll(options.arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("SWITCHBOARD_") && !name.equals("SWITCHBOARD_JAVA"));
        if (!options.built) {
            environment.put("SWITCHBOARD_CLASS_PATH", classPath());
        }
        environment.put("SWITCHBOARD_JAVA_OPTS", JAVA_OPTIONS);
        environment.put("SWITCHBOARD_HTTP_PORT", String.valueOf(address.httpPort()));
        environment.put("SWITCHBOARD_MANAGEMENT_PORT", String.valueOf(address.managementPort()));
        environment.put("SWITCHBOARD_DATA_DIR", dataFolder.toString());
        environment.putAll(options.environment);
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = new Thread(() -> read(process), "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Waits until {@code /ready} answers 200. Fails with the process's output when it ends or takes too long. */
    public void awaitReady() {
        try {
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(50))
                    .atMost(options.readyDeadline)
                    .until(() -> !process.isAlive() || readyStatus() == 200);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not ready after " + options.readyDeadline + "; it said:\n" + text(), e);
        }
        if (!process.isAlive()) {
            throw new AssertionError("ended with " + awaitExit(Duration.ofSeconds(5)) + "; it said:\n" + text());
        }
    }

    /** The status of {@code /ready}; 0 when nobody answers. */
    public int readyStatus() {
        HttpRequest request = HttpRequest.newBuilder(address.management("/ready"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Asks the process to end in order (SIGTERM); it may still run when this returns. */
    public void terminate() {
        process.destroy();
    }

    /** Ends the process at once (SIGKILL) and waits until it is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(30));
    }

    /** Waits for the end and gives the exit code: 128 + n after an unhandled signal n. */
    public int awaitExit(Duration deadline) {
        try {
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("still runs after " + deadline + "; it said:\n" + text());
            }
            reader.join(5000);
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    public ServerAddress address() {
        return address;
    }

    public Path dataFolder() {
        return dataFolder;
    }

    /** What it wrote so far, to stdout and stderr, line by line, over all its starts. */
    public List<String> output() {
        return List.copyOf(output);
    }

    /** Kills the process if it still runs, and deletes its data folder if that was made here. */
    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            kill();
        }
        if (ownsFolder) {
            Folders.delete(dataFolder);
        }
    }

    /** The class path of this test run: the classes under test and all they need. */
    public static String classPath() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return String.join(
                java.io.File.pathSeparator,
                Arrays.stream(path.split(java.io.File.pathSeparator))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .toList());
    }

    private void read(Process from) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
            }
        } catch (IOException e) {
            output.add("(the output could not be read: " + e.getMessage() + ")");
        }
    }

    private String text() {
        return String.join("\n", output);
    }
}
