package dev.switchboard.server.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Holds an operator's settings against the catalog before anything starts. Stateless and thread-safe. Each objection is
 * one line that names the key, its value, what is allowed, and where the value stands. Values of keys that hold secrets
 * are not repeated.
 */
public final class SettingsCheck {
    private final SettingsCatalog catalog;

    public SettingsCheck(SettingsCatalog catalog) {
        this.catalog = catalog;
    }

    /** Every objection to what stands under {@code switchboard}, by key; empty when all is allowed. */
    public List<String> objections(Config settings) {
        List<String> objections = new ArrayList<>();
        if (settings.hasPath(SettingsCatalog.ROOT)) {
            ConfigValue root = settings.getValue(SettingsCatalog.ROOT);
            check(List.of(SettingsCatalog.ROOT), root, objections);
        }
        return objections;
    }

    private void check(List<String> path, ConfigValue value, List<String> into) {
        String full = ConfigUtil.joinPath(path);
        Optional<Setting> setting = catalog.find(full);
        if (setting.isPresent()) {
            Bound bound = setting.get().bound();
            bound.objection(value)
                    .ifPresent(objection -> into.add("%s = %s %s; allowed is %s%s"
                            .formatted(full, shown(full, value), objection, bound.allowed(), place(value))));
        } else if (value.valueType() == ConfigValueType.OBJECT && isGroup(full)) {
            new TreeMap<>((ConfigObject) value).forEach((key, inner) -> {
                List<String> longer = new ArrayList<>(path);
                longer.add(key);
                check(longer, inner, into);
            });
        } else if (isGroup(full)) {
            into.add("%s = %s is not an object; allowed is a group of settings%s"
                    .formatted(full, shown(full, value), place(value)));
        } else {
            into.add("%s = %s is not a setting; %s%s".formatted(full, shown(full, value), nearest(full), place(value)));
        }
    }

    private boolean isGroup(String full) {
        return catalog.all().stream().anyMatch(s -> s.path().startsWith(full + "."));
    }

    private String nearest(String full) {
        return catalog.all().stream()
                .map(Setting::path)
                .min(Comparator.comparingInt(path -> distance(full, path)))
                .map(path -> "the nearest one is " + path)
                .orElse("there are none");
    }

    private static String shown(String path, ConfigValue value) {
        if (path.matches(".*(password|secret|token|key)[^.]*")) {
            return "(hidden)";
        }
        String text = value.render(ConfigRenderOptions.concise());
        return text.length() <= 80 ? text : text.substring(0, 77) + "...";
    }

    private static String place(ConfigValue value) {
        String origin = value.origin().description();
        return origin.isEmpty() ? "" : " (" + origin.replaceAll("^.*[/\\\\]([^/\\\\]+)$", "$1") + ")";
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j] + 1, row[j - 1] + 1), diagonal + change);
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
