package dev.switchboard.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints a measurement and keeps it beside the others in {@code docs/measurements}. Stateless. */
public final class Reports {
    private Reports() {}

    /** The project's top folder. */
    public static Path home() {
        return ServerUnderTest.home();
    }

    /** Writes {@code docs/measurements/NAME.md} and prints it. */
    public static void write(String name, String text, PrintWriter out) throws IOException {
        Path folder = home().resolve("docs").resolve("measurements");
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name + ".md"), text);
        out.println();
        out.println(text);
        out.println("written to docs/measurements/" + name + ".md");
        out.flush();
    }
}
