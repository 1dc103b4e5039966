package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.switchboard.harness.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard and the alerts use figures that there are, and every alert says what to do. */
class DeployFilesTest {
    private static final Path TOP = Folders.top();
    private static final Pattern NAME = Pattern.compile("\\b(?:switchboard|jvm|process|system)_\\w+");
    private static final Pattern LISTED = Pattern.compile("\\| `(switchboard_\\w+)` \\| (\\w+) \\|");
    private static final Pattern OPERATIONS_LINK = Pattern.compile("docs/operations\\.md#([\\w-]+)");

    private static String read(String file) throws IOException {
        return Files.readString(TOP.resolve(file));
    }

    private static JsonNode alerts() throws IOException {
        return new ObjectMapper(new YAMLFactory())
                .readTree(read("deploy/prometheus/alerts.yml"))
                .at("/groups/0/rules");
    }

    /** Every name that may be asked for. */
    private static Set<String> known() throws IOException {
        Set<String> names = new HashSet<>();
        String page = read("docs/metrics.md");
        Matcher listed = LISTED.matcher(page);
        while (listed.find()) {
            if (listed.group(2).equals("histogram")) {
                List.of("_bucket", "_sum", "_count").forEach(part -> names.add(listed.group(1) + part));
            } else {
                names.add(listed.group(1));
            }
        }
        return names;
    }

    private static void shouldBeKnown(String where, String expression) throws IOException {
        Set<String> known = known();
        Matcher name = NAME.matcher(expression);
        boolean any = expression.startsWith("up{");
        while (name.find()) {
            any = true;
            String used = name.group();
            boolean ofTheMachine = !used.startsWith("switchboard_");
            assertTrue(
                    ofTheMachine ? isOfTheMachine(used) : known.contains(used),
                    () -> where + " uses " + used + ", which docs/metrics.md doesn't list");
        }
        assertTrue(any, () -> where + " uses no figure: " + expression);
    }

    /** Micrometer's names, as its binders give them; the page names the groups. */
    private static boolean isOfTheMachine(String name) {
        return Set.of(
                        "jvm_gc_pause_seconds_sum",
                        "jvm_gc_pause_seconds_max",
                        "jvm_memory_used_bytes",
                        "jvm_memory_max_bytes",
                        "jvm_threads_live_threads",
                        "process_cpu_usage",
                        "process_files_open_files",
                        "system_cpu_usage")
                .contains(name);
    }

    @Test
    void shouldAlertByFiguresThatThereAre() throws IOException {
        for (JsonNode alert : alerts()) {
            shouldBeKnown(alert.path("alert").asText(), alert.path("expr").asText());
        }
    }

    @Test
    void shouldSayWhatToDoAboutEachAlertInItsOwnSection() throws IOException {
        Set<String> sections = new TreeSet<>();
        Set<String> texts = new HashSet<>();
        String page = read("docs/operations.md");
        String part = page.substring(page.indexOf("\n## Alerts\n"));
        part = part.substring(0, part.indexOf("\n## ", 5));
        for (String section : part.split("\n### ", -1)) {
            if (section.contains("\n\n")) {
                sections.add(section.substring(0, section.indexOf('\n')).toLowerCase(Locale.ROOT));
                texts.add(section.substring(section.indexOf('\n')));
            }
        }
        Set<String> alerts = new TreeSet<>();
        for (JsonNode alert : alerts()) {
            String name = alert.path("alert").asText();
            JsonNode says = alert.path("annotations");
            for (String annotation : List.of("summary", "action")) {
                String text = says.path(annotation).asText();
                assertTrue(!text.isBlank(), () -> name + " has no " + annotation);
                assertTrue(
                        texts.stream().anyMatch(section -> section.contains(text)),
                        () -> "docs/operations.md doesn't say what " + name + " says: " + text);
            }
            assertTrue(
                    Set.of("page", "warn").contains(alert.at("/labels/severity").asText()), name);
            Matcher link = OPERATIONS_LINK.matcher(says.path("runbook_url").asText());
            assertTrue(link.matches(), () -> name + " links to " + says.path("runbook_url"));
            assertEquals(name.toLowerCase(Locale.ROOT), link.group(1));
            assertTrue(alerts.add(link.group(1)), () -> name + " is there twice");
        }
        sections.remove("## alerts");
        sections.removeIf(String::isBlank);
        assertEquals(alerts, sections, "each alert has a section, and each section an alert");
    }

    @Test
    void shouldDrawFiguresThatThereAre() throws IOException {
        JsonNode dashboard = new ObjectMapper().readTree(read("deploy/grafana/switchboard.json"));
        List<Long> ids = new ArrayList<>();
        int graphs = 0;
        for (JsonNode panel : dashboard.path("panels")) {
            ids.add(panel.path("id").asLong());
            for (JsonNode target : panel.path("targets")) {
                graphs++;
                shouldBeKnown(
                        "panel " + panel.path("title").asText(),
                        target.path("expr").asText());
            }
        }
        assertEquals(new HashSet<>(ids).size(), ids.size(), "each panel has an id of its own");
        assertTrue(graphs > 50, "only " + graphs + " graphs");
    }
}
