package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.harness.Folders;
import dev.switchboard.harness.ServerInProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Pace;
import dev.switchboard.server.demo.ServiceHall;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What {@code docs/metrics.md} lists is what a node shows while it works, no less and no more. With
 * {@code -Dmetrics.write=true} it writes the list.
 */
class MetricsPageTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Path PAGE = Folders.top().resolve("docs/metrics.md");
    private static final String BEGIN = "<!-- the list: made by MetricsPageTest -->\n";
    private static final String END = "<!-- the end of the list -->\n";
    private static final Pattern META = Pattern.compile("# (HELP|TYPE) (switchboard_\\w+) (.*)");
    private static final Pattern SERIES = Pattern.compile("(switchboard_\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static ServerInProcess server;
    private static ServiceHall hall;
    private static String shown;

    /** One family of series. */
    private static final class Family {
        private String help = "";
        private String type = "";
        private final TreeSet<String> labels = new TreeSet<>();
        private int series;
    }

    @BeforeAll
    static void work() {
        server = ServerInProcess.start(Map.of("switchboard.spool.enabled", true));
        ApiClient operator = new ApiClient(HTTP, server.address().http(), "dev:operator:olga");
        ObjectNode nothing = JsonNodeFactory.instance.objectNode();
        assertEquals(200, operator.put("/queues/quiet", nothing).status());
        ObjectNode opening = JsonNodeFactory.instance.objectNode().put("queue", "quiet");
        assertTrue(operator.as("dev:customer:carol")
                        .post("/conversations", opening, "o1")
                        .status()
                < 300);
        hall = new ServiceHall(server.address().http(), new Pace(0.05), new PrintWriter(Writer.nullWriter()));
        hall.start();
        // The list has a row only for what there is, so there must be some of all.
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(300))
                .until(() -> {
                    shown = scrape();
                    return shown.contains("switchboard_line_oldest_seconds{queue=\"quiet\"}")
                            && shown.contains("switchboard_desks{availability=\"available\"}")
                            && value("switchboard_line_wait_seconds_count") > 0
                            && value("switchboard_delivery_acknowledged_seconds_count") > 0
                            && value("switchboard_delivery_written_seconds_count") > 0
                            && value("switchboard_entities") > 0
                            && value("switchboard_shards_allocated_total") > 0;
                });
    }

    @AfterAll
    static void end() {
        if (hall != null) {
            hall.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static String scrape() throws IOException, InterruptedException {
        HttpResponse<String> answer = HTTP.send(
                HttpRequest.newBuilder(server.address().management("/metrics"))
                        .header("Authorization", "Bearer dev:operator:olga")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode(), answer::body);
        return answer.body();
    }

    private static double value(String series) {
        return shown.lines()
                .map(SERIES::matcher)
                .filter(line -> line.matches() && line.group(1).equals(series))
                .mapToDouble(line -> Double.parseDouble(line.group(3)))
                .sum();
    }

    private static Map<String, Family> families() {
        Map<String, Family> families = new TreeMap<>();
        for (String line : shown.lines().toList()) {
            Matcher meta = META.matcher(line);
            Matcher series = SERIES.matcher(line);
            if (meta.matches()) {
                Family family = families.computeIfAbsent(meta.group(2), name -> new Family());
                if (meta.group(1).equals("HELP")) {
                    family.help = meta.group(3);
                } else {
                    family.type = meta.group(3);
                }
            } else if (series.matches()) {
                String name = series.group(1);
                String histogram = name.replaceFirst("_(bucket|count|sum)$", "");
                Family family = families.get(families.containsKey(name) ? name : histogram);
                family.series++;
                Matcher labels = LABEL.matcher(series.group(2) == null ? "" : series.group(2));
                while (labels.find()) {
                    if (!labels.group(1).equals("le")) {
                        family.labels.add(labels.group(1));
                    }
                }
            }
        }
        return families;
    }

    private static String list() {
        StringBuilder rows = new StringBuilder("| name | type | unit | labels | meaning |\n|---|---|---|---|---|\n");
        families()
                .forEach((name, family) -> rows.append("| `")
                        .append(name)
                        .append("` | ")
                        .append(family.type)
                        .append(" | ")
                        .append(unit(name))
                        .append(" | ")
                        .append(String.join(", ", family.labels))
                        .append(" | ")
                        .append(family.help)
                        .append(" |\n"));
        return rows.toString();
    }

    private static String unit(String name) {
        if (name.endsWith("_seconds")) {
            return "seconds";
        }
        return name.endsWith("_bytes") ? "bytes" : "";
    }

    @Test
    void shouldShowWhatThePageListsNoLessAndNoMore() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (Boolean.getBoolean("metrics.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + list() + page.substring(end));
            return;
        }
        assertEquals(
                list(),
                page.substring(begin, end),
                "docs/metrics.md is not what a node shows; -Dmetrics.write=true writes the list");
    }

    @Test
    void shouldSayOfEachWhatItMeansInBaseUnits() {
        families().forEach((name, family) -> {
            assertTrue(!family.help.isBlank(), () -> name + " says nothing");
            assertTrue(
                    List.of("counter", "gauge", "histogram").contains(family.type),
                    () -> name + " is a " + family.type);
            assertEquals(
                    family.type.equals("counter"),
                    name.endsWith("_total"),
                    () -> name + ": counters end in _total, and nothing else does");
            assertTrue(
                    !name.matches(".*_(ms|millis|minutes|kb|kib|mb|mib|nanos)(_.*)?"),
                    () -> name + " is not in a base unit");
        });
    }

    @Test
    void shouldLabelWithNothingThatGrowsWithThePeople() {
        List<String> bounded = List.of(
                "availability",
                "code",
                "dispatcher",
                "lane",
                "outcome",
                "queue",
                "reason",
                "role",
                "state",
                "status",
                "type");
        families().forEach((name, family) -> {
            assertTrue(bounded.containsAll(family.labels), () -> name + " has the labels " + family.labels);
            assertTrue(family.series < 500, () -> name + " has " + family.series + " series");
        });
        for (String person : List.of("carol", "amelie", "bogdan", "mara", "jonas", "olga")) {
            assertTrue(!shown.contains("\"" + person), () -> person + " is in the figures");
            assertTrue(!shown.contains("c-" + person), () -> person + "'s conversation is in the figures");
        }
    }

    @Test
    void shouldCountTheSameEntriesAtEveryStage() {
        // The figures of one scrape are not of one instant, so they agree when the hall is quiet for a moment.
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    Map<String, Double> now = sums(scrape());
                    double delivered = now.getOrDefault("switchboard_entries_delivered_total", 0.0);
                    return delivered > 0
                            && delivered == now.get("switchboard_delivery_attempts_total")
                            && delivered <= now.get("switchboard_entries_written_total")
                            && now.get("switchboard_delivery_acknowledged_seconds_count") <= delivered
                            && now.get("switchboard_entries_accepted_total")
                                    <= now.get("switchboard_journal_rows_total");
                });
    }

    private static Map<String, Double> sums(String text) {
        Map<String, Double> sums = new TreeMap<>();
        text.lines()
                .map(SERIES::matcher)
                .filter(Matcher::matches)
                .forEach(line -> sums.merge(line.group(1), Double.parseDouble(line.group(3)), Double::sum));
        return sums;
    }

    @Test
    void shouldCountEveryTimeInItsHistogram() {
        for (String name : families().keySet()) {
            double inAll = shown.lines()
                    .filter(line -> line.startsWith(name + "_bucket{") && line.contains("le=\"+Inf\""))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum();
            assertEquals(value(name + "_count"), inAll, name);
        }
    }

    @Test
    void shouldShowTheJavaMachineToo() {
        System.gc();
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            String now = scrape();
            return List.of(
                            "jvm_gc_pause_seconds_count",
                            "jvm_memory_used_bytes",
                            "jvm_threads_live_threads",
                            "process_cpu_usage",
                            "system_cpu_usage",
                            "process_files_open_files",
                            "process_uptime_seconds")
                    .stream()
                    .allMatch(now::contains);
        });
    }
}
