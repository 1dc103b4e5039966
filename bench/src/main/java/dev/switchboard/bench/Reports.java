package dev.switchboard.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints a measurement and keeps it beside the others in {@code docs/measurements}. Stateless. */
final class Reports {
    private Reports() {}

    static void write(String name, String text, PrintWriter out) throws IOException {
        Path folder = ServerUnderTest.home().resolve("docs").resolve("measurements");
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name + ".md"), text);
        out.println();
        out.println(text);
        out.println("written to docs/measurements/" + name + ".md");
        out.flush();
    }
}
