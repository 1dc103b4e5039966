package dev.switchboard.server.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A made-up program in a process of its own. For one thread at a time; ends its process when closed. */
final class PatientProcess implements AutoCloseable {
    private final Process process;

    private PatientProcess(Process process) {
        this.process = process;
    }

    /** Starts a class of {@code dev.switchboard.patients} and returns when all its threads were started. */
    static PatientProcess start(String name) throws IOException {
        Path classes = Path.of(PatientProcess.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classes.toString(),
                        "dev.switchboard.patients." + name))
                .redirectErrorStream(true)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (!"READY".equals(line)) {
            process.destroyForcibly();
            throw new IOException(name + " said " + line);
        }
        return new PatientProcess(process);
    }

    long pid() {
        return process.pid();
    }

    /** Kills it, and returns when it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a killed process doesn't end");
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
