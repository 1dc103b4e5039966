package dev.switchboard.server.settings;

import com.typesafe.config.ConfigUtil;
import java.util.List;
import java.util.stream.Collectors;

/** Writes what is generated from the catalog: the page of the settings and the operator's file. Thread-safe. */
public final class SettingsPages {
    private final SettingsCatalog catalog;

    public SettingsPages(SettingsCatalog catalog) {
        this.catalog = catalog;
    }

    /** The text of {@code docs/settings.md}. */
    public String markdown() {
        StringBuilder page = new StringBuilder("""
                # Settings

                Every setting of Switchboard, its default, what is allowed, and the environment variable that sets it.
                This page is generated from the `reference.conf` of each house by `./switchboard settings --write .`;
                a test holds it equal to them.

                An unknown key under `switchboard`, a value of the wrong type and a value out of range stop the start
                with one line that names the key. Highest first: environment variables, `application.conf`, these
                defaults.
                """);
        String group = null;
        for (Setting setting : catalog.forOperators()) {
            if (!SettingsCatalog.group(setting).equals(group)) {
                group = SettingsCatalog.group(setting);
                page.append("\n## ")
                        .append(group.isEmpty() ? "switchboard" : "switchboard." + group)
                        .append("\n");
                List<String> comment = catalog.groupComment(group);
                page.append(comment.isEmpty() ? "" : "\n" + String.join("\n", comment) + "\n");
            }
            page.append("\n### `").append(setting.path()).append("`\n\n");
            page.append(String.join("\n", setting.comment())).append("\n\n");
            page.append("Default `").append(setting.fallbackText()).append("`; ");
            page.append(setting.bound().allowed().replace("|", "\\|")).append(".");
            if (setting.hasEnvironmentName()) {
                page.append(" Environment: `").append(setting.environmentName()).append("`.");
            }
            page.append("\n");
        }
        return page.toString();
    }

    /** The text of {@code application.conf}. */
    public String applicationConf() {
        StringBuilder file = new StringBuilder("""
                # The settings of Switchboard. Change a value here, or set the environment variable under it.
                # Durations and sizes need a unit: 500ms, 10s, 5m, 64KiB, 4MiB. docs/settings.md is the same as a page.
                # A key that is unknown or a value that is not allowed stops the start with one line that names it.

                switchboard {
                """);
        String group = "";
        for (Setting setting : catalog.forOperators()) {
            String own = SettingsCatalog.group(setting);
            if (!own.equals(group)) {
                file.append(group.isEmpty() ? "" : "  }\n\n");
                catalog.groupComment(own)
                        .forEach(line -> file.append("  # ").append(line).append("\n"));
                file.append("  ").append(own).append(" {\n");
                group = own;
            }
            append(file, setting, own);
        }
        file.append(group.isEmpty() ? "" : "  }\n").append("}\n");
        return file.toString().replace("\n\n  }\n", "\n  }\n");
    }

    private static void append(StringBuilder file, Setting setting, String group) {
        String indent = group.isEmpty() ? "  " : "    ";
        List<String> parts = ConfigUtil.splitPath(setting.path());
        String key = parts.stream().skip(group.isEmpty() ? 1 : 2).collect(Collectors.joining("."));
        String comment = setting.comment().stream()
                .map(line -> indent + "# " + line + "\n")
                .collect(Collectors.joining());
        file.append(comment);
        file.append(indent)
                .append("# Allowed: ")
                .append(setting.bound().allowed())
                .append(".\n");
        file.append(indent)
                .append(key)
                .append(" = ")
                .append(setting.fallbackText())
                .append("\n");
        if (setting.hasEnvironmentName()) {
            file.append(indent)
                    .append(key)
                    .append(" = ${?")
                    .append(setting.environmentName())
                    .append("}\n");
        }
        file.append("\n");
    }
}
