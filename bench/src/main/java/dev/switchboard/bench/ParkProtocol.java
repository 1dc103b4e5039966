package dev.switchboard.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.Callable;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs jcstress over the agreement between a lane and its producers. One thread uses it.
 *
 * <p>jcstress generates code from its tests while they are compiled, and that code doesn't pass this project's warnings.
 * So the tests are a resource, compiled here when they are run, which needs a JDK.
 */
@Command(
        name = "park-protocol",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description =
                "Does a lane that goes to sleep ever miss work? Under jcstress; tests of three need 3 processors.")
final class ParkProtocol implements Callable<Integer> {
    private static final String TESTS = "LaneGateStress";

    @Option(names = "--mode", defaultValue = "quick", description = "sanity, quick, default or tough.")
    private String mode;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("switchboard-jcstress");
        String classPath = folder + System.getProperty("path.separator") + System.getProperty("java.class.path");
        compile(folder, classPath);
        Process jcstress = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        "org.openjdk.jcstress.Main",
                        "-m",
                        mode,
                        "-t",
                        TESTS,
                        "-r",
                        folder.resolve("results").toString()))
                .directory(folder.toFile())
                .inheritIO()
                .start();
        // Its exit code is that of the worst outcome: a forbidden one, or an error, is not 0.
        return jcstress.waitFor();
    }

    private static void compile(Path folder, String classPath) throws IOException {
        Path source = folder.resolve(TESTS + ".java");
        try (InputStream tests = ParkProtocol.class.getResourceAsStream("/jcstress/" + TESTS + ".java")) {
            Files.copy(tests, source, StandardCopyOption.REPLACE_EXISTING);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IOException("this needs a JDK: the Java that runs has no compiler");
        }
        int failed =
                compiler.run(null, null, null, "-nowarn", "-d", folder.toString(), "-cp", classPath, source.toString());
        if (failed != 0) {
            throw new IOException("the tests of " + source + " did not compile");
        }
    }
}
