package dev.switchboard.directory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How a set of texts is kept in one column: sorted, one a line, with a line break before the first and after each, so
 * that {@code LIKE '%<break>item<break>%'} finds one. Stateless.
 */
final class TextList {
    private TextList() {}

    static String write(Collection<String> items) {
        StringBuilder text = new StringBuilder("\n");
        items.stream().sorted().forEach(item -> text.append(line(item)).append('\n'));
        return text.toString();
    }

    static Set<String> read(String text) {
        Set<String> items = new HashSet<>();
        for (String line : lines(text)) {
            items.add(line.replace("\\n", "\n").replace("\\b", "\\"));
        }
        return items;
    }

    /** The pattern that finds the lists with that item; the escape sign is {@code !}. */
    static String containing(String item) {
        return "%\n" + line(item).replace("!", "!!").replace("%", "!%").replace("_", "!_") + "\n%";
    }

    /** An item never holds a line break or a backslash that means itself. */
    private static String line(String item) {
        return item.replace("\\", "\\b").replace("\n", "\\n");
    }

    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int from = 1;
        while (from < text.length()) {
            int end = text.indexOf('\n', from);
            lines.add(text.substring(from, end));
            from = end + 1;
        }
        return lines;
    }
}
