package dev.switchboard.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A server in a process of its own, started by the launcher on free ports and a fresh data folder, as an operator
 * would. Not thread-safe.
 */
final class ServerUnderTest implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(5);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Path home;
    private final List<String> command;
    private final Path folder;
    private final int httpPort = freePort();
    private final int managementPort = freePort();
    private final Map<String, String> environment = new HashMap<>();
    private Process process;
    private long readyAfterMs;

    /** {@code settings} are environment variables, such as {@code SWITCHBOARD_DB_URL}. */
    ServerUnderTest(Map<String, String> settings) throws IOException {
        this(settings, null);
    }

    /** As above with another program in place of the launcher; null for the launcher. */
    ServerUnderTest(Map<String, String> settings, Path program) throws IOException {
        this.home = home();
        this.command = program == null
                ? List.of(home.resolve("switchboard").toString(), "serve")
                : List.of(program.toAbsolutePath().toString());
        this.folder = Files.createTempDirectory("switchboard-bench");
        environment.put("SWITCHBOARD_HTTP_PORT", String.valueOf(httpPort));
        environment.put("SWITCHBOARD_MANAGEMENT_PORT", String.valueOf(managementPort));
        environment.put("SWITCHBOARD_DATA_DIR", folder.resolve("data").toString());
        environment.putAll(settings);
    }

    /** The project's top folder: {@code SWITCHBOARD_HOME}, or the nearest folder above that has the launcher. */
    static Path home() {
        String told = System.getenv("SWITCHBOARD_HOME");
        if (told != null) {
            return Path.of(told);
        }
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isExecutable(at.resolve("switchboard"))) {
                return at;
            }
        }
        throw new IllegalStateException("no launcher ./switchboard here or above; set SWITCHBOARD_HOME");
    }

    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }

    /** Starts the process and waits until it is ready. */
    void start() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(home.toFile());
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        long startNs = System.nanoTime();
        process = builder.start();
        HttpRequest ready = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + "/ready"))
                .timeout(Duration.ofSeconds(2))
                .build();
        CountDownLatch pause = new CountDownLatch(1);
        while (true) {
            if (!process.isAlive()) {
                throw new IllegalStateException("the server ended: " + tail());
            }
            if (System.nanoTime() - startNs > START_LIMIT.toNanos()) {
                throw new IllegalStateException("the server is not ready after " + START_LIMIT + ": " + tail());
            }
            if (answers200(ready)) {
                readyAfterMs = (System.nanoTime() - startNs) / 1_000_000;
                return;
            }
            boolean unused = pause.await(50, TimeUnit.MILLISECONDS);
        }
    }

    private static boolean answers200(HttpRequest request) throws InterruptedException {
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + httpPort);
    }

    /** Where its sockets are opened. */
    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), httpPort);
    }

    long readyAfterMs() {
        return readyAfterMs;
    }

    /** The process that serves: the launcher itself when it became the server, else its Java child. */
    long pid() {
        return process.descendants()
                .filter(child -> child.info().command().orElse("").endsWith("java"))
                .map(ProcessHandle::pid)
                .findFirst()
                .orElse(process.pid());
    }

    /** Ends the server without warning. */
    void kill() throws InterruptedException {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
    }

    /** Asks the server to end and waits for it. */
    void stop() throws InterruptedException {
        if (process == null || !process.isAlive()) {
            return;
        }
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            kill();
        }
    }

    private Path log() {
        return folder.resolve("server.log");
    }

    /** The last lines of what the server wrote. */
    String tail() {
        try {
            List<String> lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
        } catch (IOException e) {
            return "(no output: " + e.getMessage() + ")";
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        stop();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
