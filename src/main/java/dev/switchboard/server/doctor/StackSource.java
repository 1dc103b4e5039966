package dev.switchboard.server.doctor;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the stacks of a Java process once, as {@code Thread.print} writes them; empty when that can't be done in time. It
 * stops all threads of that process for some milliseconds, so it is asked only when a verdict needs it.
 */
@FunctionalInterface
interface StackSource {
    /** Takes none. */
    StackSource NONE = Optional::empty;

    Optional<String> print() throws InterruptedException;

    /** The stacks of another process, by the jcmd of this Java. Empty where this Java has none, or it isn't allowed. */
    static StackSource ofProcess(long pid, long timeoutMs) {
        return () -> {
            Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
            if (!Files.isExecutable(jcmd)) {
                return Optional.empty();
            }
            return run(
                    List.of(jcmd.toString(), "-J-XX:TieredStopAtLevel=1", Long.toString(pid), "Thread.print"),
                    timeoutMs);
        };
    }

    private static Optional<String> run(List<String> command, long timeoutMs) throws InterruptedException {
        Path output = null;
        try {
            output = Files.createTempFile("switchboard-stacks-", ".txt");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean done = process.waitFor(timeoutMs, TimeUnit.MILLISECONDS);
            if (!done) {
                process.destroyForcibly();
                return Optional.empty();
            }
            return process.exitValue() == 0
                    ? Optional.of(new String(Files.readAllBytes(output), StandardCharsets.UTF_8))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } finally {
            delete(output);
        }
    }

    private static void delete(Path file) {
        try {
            if (file != null) {
                Files.delete(file);
            }
        } catch (IOException e) {
            LoggerFactory.getLogger(StackSource.class).debug("a temporary file stays behind", e);
        }
    }

    /** The stacks of the process that asks. */
    static StackSource ofThisProcess() {
        return () -> {
            try {
                Object print = ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "threadPrint",
                                new Object[] {new String[0]},
                                new String[] {String[].class.getName()});
                return Optional.of(String.valueOf(print));
            } catch (JMException e) {
                Logger log = LoggerFactory.getLogger(StackSource.class);
                log.debug("this Java doesn't give its own stacks", e);
                return Optional.empty();
            }
        };
    }
}
