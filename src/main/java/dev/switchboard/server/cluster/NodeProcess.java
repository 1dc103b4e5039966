package dev.switchboard.server.cluster;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Another process of this program: the same Java, options and classes, with a command and settings of its own. It ends
 * in order when the pipe to its input ends, so it outlives its parent by no more than that, however the parent ends.
 * Thread-safe.
 */
final class NodeProcess {
    private static final String MAIN = "dev.switchboard.server.Main";

    private final String name;
    private final Process process;

    private NodeProcess(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param before words before the Java program, such as a program that starts it
     * @param options options for its Java, over those of this process
     * @param settings settings that beat those of the file
     * @param arguments the command and its arguments
     * @param log where its output goes; appended
     */
    static NodeProcess start(
            String name,
            List<String> before,
            List<String> options,
            Map<String, String> settings,
            List<String> arguments,
            Path log)
            throws IOException {
        List<String> words = new ArrayList<>(before);
        words.add(java());
        words.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        words.addAll(options);
        settings.forEach((key, value) -> words.add("-D" + key + "=" + value));
        words.add("-cp");
        words.add(System.getProperty("java.class.path"));
        words.add(MAIN);
        words.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return new NodeProcess(name, builder.start());
    }

    private static String java() {
        return ProcessHandle.current()
                .info()
                .command()
                .orElseGet(() -> System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    Process process() {
        return process;
    }

    /** Asks it to end; returns at once. */
    void askToEnd() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            process.destroy();
        }
    }

    /** Waits until it has ended; after the deadline it is killed. True when it ended by itself. */
    boolean awaitEnd(long deadlineNanos) {
        try {
            if (process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return true;
            }
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        return false;
    }
}
