package dev.switchboard.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where a server's processor time goes: samples of its threads by Java's flight recorder, counted by group of
 * threads, by part of the program and by method. Stateless.
 */
public final class Profile {
    private static final int LINES = 25;

    /** Package prefixes and the part of the program they stand for, the most telling first. */
    private static final List<Map.Entry<String, String>> PARTS = List.of(
            Map.entry("dev.switchboard.dispatcher", "affinity dispatcher"),
            Map.entry("dev.switchboard.bench.dispatch.Producer", "the load's producer"),
            Map.entry("dev.switchboard.bench", "the work of a message and its measurement"),
            Map.entry("dev.switchboard.serialization", "event serializers"),
            Map.entry("dev.switchboard.journal", "journal"),
            Map.entry("dev.switchboard.directory", "directory"),
            Map.entry("dev.switchboard.socket", "sockets and frames"),
            Map.entry("dev.switchboard.api", "wire JSON"),
            Map.entry("dev.switchboard", "other Switchboard code"),
            Map.entry("org.h2", "H2"),
            Map.entry("org.postgresql", "PostgreSQL driver"),
            Map.entry("slick", "Slick"),
            Map.entry("com.zaxxer", "connection pool"),
            Map.entry("com.fasterxml", "Jackson"),
            Map.entry("org.apache.pekko.http", "Pekko HTTP"),
            Map.entry("org.apache.pekko.stream", "Pekko streams"),
            Map.entry("org.apache.pekko.io", "Pekko TCP"),
            Map.entry("org.apache.pekko.cluster", "Pekko sharding and cluster"),
            Map.entry("org.apache.pekko.persistence", "Pekko persistence"),
            Map.entry("org.apache.pekko", "Pekko actors"));

    private Profile() {}

    /** Records for that time and gives the result as Markdown. */
    public static String record(long pid, int seconds) throws IOException, InterruptedException {
        Path file = Files.createTempFile("switchboard", ".jfr");
        try {
            jcmd(pid, "JFR.start", "name=bench", "settings=profile");
            boolean unused = new CountDownLatch(1).await(seconds, TimeUnit.SECONDS);
            jcmd(pid, "JFR.stop", "name=bench", "filename=" + file);
            return summary(file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Runs a diagnostic command in another Java process and gives what it printed. */
    static String jcmd(long pid, String... command) throws IOException, InterruptedException {
        String tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        List<String> line = new java.util.ArrayList<>(List.of(tool, String.valueOf(pid)));
        line.addAll(List.of(command));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", line) + " failed: " + output.strip());
        }
        return output;
    }

    private static String summary(Path file) throws IOException {
        Map<String, Integer> threads = new TreeMap<>();
        Map<String, Integer> parts = new TreeMap<>();
        Map<String, Integer> methods = new TreeMap<>();
        int samples = 0;
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                String type = event.getEventType().getName();
                boolean running = type.equals("jdk.ExecutionSample");
                if ((!running && !type.equals("jdk.NativeMethodSample")) || event.getStackTrace() == null) {
                    continue;
                }
                List<RecordedFrame> frames = event.getStackTrace().getFrames();
                if (frames.isEmpty() || (!running && waits(frames.get(0)))) {
                    continue;
                }
                samples++;
                RecordedThread thread = event.getThread("sampledThread");
                threads.merge(group(thread == null ? "?" : thread.getJavaName()), 1, Integer::sum);
                parts.merge(part(frames), 1, Integer::sum);
                methods.merge(name(frames.get(0)), 1, Integer::sum);
            }
        }
        return "\n### Where the time goes (" + samples + " samples)\n\n"
                + lines("threads", threads, samples)
                + lines("part (the innermost frame that belongs to one)", parts, samples)
                + lines("method", methods, samples);
    }

    /** True for native frames in which a thread only waits. */
    private static boolean waits(RecordedFrame frame) {
        String method = frame.getMethod().getName();
        return method.toLowerCase(Locale.ROOT).contains("wait")
                || method.equals("accept")
                || method.equals("park")
                || method.contains("socketRead");
    }

    private static String group(String thread) {
        return thread == null ? "?" : thread.replaceAll("-?[0-9]+$", "").replaceAll("@[0-9a-f]+", "");
    }

    private static String part(List<RecordedFrame> frames) {
        for (RecordedFrame frame : frames) {
            String type = frame.getMethod().getType().getName();
            for (Map.Entry<String, String> part : PARTS) {
                if (type.startsWith(part.getKey())) {
                    return part.getValue();
                }
            }
        }
        return "Java itself";
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }

    private static String lines(String title, Map<String, Integer> counts, int samples) {
        StringBuilder text = new StringBuilder("| " + title + " | share |\n|---|---|\n");
        counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(LINES)
                .forEach(count -> text.append(String.format(
                        Locale.ROOT, "| %s | %.1f %% |%n", count.getKey(), 100.0 * count.getValue() / samples)));
        return text.append('\n').toString();
    }
}
