package dev.switchboard.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;

/** Another process that has an H2 database open until it is closed. */
public final class HoldingProcess implements AutoCloseable {
    private final Process process;

    private HoldingProcess(Process process) {
        this.process = process;
    }

    /** Returns when the other process has the database open. */
    public static HoldingProcess start(String url) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HoldingProcess.class.getName(),
                        url)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (lines.readLine() == null) {
            throw new IOException("the other process ended by itself");
        }
        return new HoldingProcess(process);
    }

    /** The other process. */
    public static void main(String[] args) throws Exception {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        try (Connection connection = DriverManager.getConnection(args[0], "sa", "")) {
            out.println("open " + connection.isValid(1));
            System.in.read();
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        process.waitFor();
    }
}
