package dev.switchboard.server.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Every setting that there is, read from the {@code reference.conf}s of the houses. Immutable and thread-safe. The
 * defaults, the check at the start, the page of the settings and {@code application.conf} all come from it, so a
 * setting is described in one place.
 */
public final class SettingsCatalog {
    static final String ROOT = "switchboard";

    private final Map<String, Setting> byPath;
    private final Map<String, List<String>> groupComments;

    private SettingsCatalog(Map<String, Setting> byPath, Map<String, List<String>> groupComments) {
        this.byPath = byPath;
        this.groupComments = groupComments;
    }

    /**
     * Reads the {@code reference.conf}s on the class path. Throws IllegalStateException when one of them describes a
     * setting twice, without a bound, or with a default outside it: that is a fault of the build, not of an operator.
     */
    public static SettingsCatalog load() {
        List<Config> references = new ArrayList<>();
        try {
            ClassLoader loader = SettingsCatalog.class.getClassLoader();
            for (URL url : Collections.list(loader.getResources("reference.conf"))) {
                references.add(ConfigFactory.parseURL(url));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return of(references);
    }

    /** The settings that these files describe. */
    static SettingsCatalog of(List<Config> references) {
        Config merged = references.stream()
                .reduce(ConfigFactory.empty(), Config::withFallback)
                .withOnlyPath(ROOT)
                .resolve();
        List<List<Setting>> files = new ArrayList<>();
        Map<String, List<String>> groupComments = new TreeMap<>();
        for (Config reference : references) {
            if (reference.root().get(ROOT) instanceof ConfigObject root) {
                Reader reader = new Reader(merged, groupComments);
                reader.read(List.of(ROOT), root);
                files.add(reader.inOrderOfTheFile());
            }
        }
        // Files come in the order of the class path; their keys, and then groups, make the order the same everywhere.
        List<Setting> all = files.stream()
                .sorted(Comparator.comparing(file -> file.stream()
                        .map(Setting::path)
                        .min(Comparator.naturalOrder())
                        .orElse("")))
                .flatMap(List::stream)
                .toList();
        Map<String, List<Setting>> groups =
                all.stream().collect(Collectors.groupingBy(SettingsCatalog::group, TreeMap::new, Collectors.toList()));
        // Those that are in no group have no order of their own.
        groups.computeIfPresent(
                "",
                (none, found) -> found.stream()
                        .sorted(Comparator.comparing(Setting::path))
                        .toList());
        Map<String, Setting> byPath = new LinkedHashMap<>();
        groups.values()
                .forEach(group -> group.forEach(setting -> {
                    if (byPath.put(setting.path(), setting) != null) {
                        throw new IllegalStateException(setting.path() + " is described twice");
                    }
                }));
        return new SettingsCatalog(byPath, groupComments);
    }

    /** Every setting, in groups by the first part of its key, and within one in the order of its file. */
    public List<Setting> all() {
        return List.copyOf(byPath.values());
    }

    /** Those for operators. */
    List<Setting> forOperators() {
        return byPath.values().stream()
                .filter(setting -> !(setting.bound() instanceof Bound.Internal))
                .toList();
    }

    /** The setting of that full key. */
    public Optional<Setting> find(String path) {
        return Optional.ofNullable(byPath.get(path));
    }

    /** What the files say of a group as a whole; empty when they say nothing. */
    List<String> groupComment(String group) {
        return groupComments.getOrDefault(ConfigUtil.joinPath(ROOT, group), List.of());
    }

    /** The first part of a setting's key after {@code switchboard}; empty for a setting that is in no group. */
    static String group(Setting setting) {
        List<String> parts = ConfigUtil.splitPath(setting.path());
        return parts.size() > 2 ? parts.get(1) : "";
    }

    /** Reads the settings of one file. A default may refer to another setting, so its value comes from all files. */
    private static final class Reader {
        private record Found(Setting setting, int line) {}

        private final Config merged;
        private final Map<String, List<String>> groupComments;
        private final List<Found> found = new ArrayList<>();

        Reader(Config merged, Map<String, List<String>> groupComments) {
            this.merged = merged;
            this.groupComments = groupComments;
        }

        void read(List<String> path, ConfigObject object) {
            object.forEach((key, value) -> {
                List<String> inner = new ArrayList<>(path);
                inner.add(key);
                String full = ConfigUtil.joinPath(inner);
                List<String> comment =
                        value.origin().comments().stream().map(String::strip).toList();
                boolean described =
                        !comment.isEmpty() && comment.get(comment.size() - 1).startsWith("@");
                if (described) {
                    found.add(new Found(
                            setting(full, comment, value), value.origin().lineNumber()));
                } else if (value instanceof ConfigObject group) {
                    groupComments.put(full, comment);
                    read(inner, group);
                } else {
                    throw new IllegalStateException(
                            full + " has no bound in " + value.origin().description());
                }
            });
        }

        List<Setting> inOrderOfTheFile() {
            return found.stream()
                    .sorted(Comparator.comparingInt(Found::line))
                    .map(Found::setting)
                    .toList();
        }

        private Setting setting(String full, List<String> comment, ConfigValue written) {
            ConfigValue value = merged.getValue(full);
            Bound bound = Bound.parse(comment.get(comment.size() - 1));
            bound.objection(value).ifPresent(objection -> {
                throw new IllegalStateException("the default of " + full + " " + objection);
            });
            String reference = isReference(written) ? written.render(ConfigRenderOptions.concise()) : null;
            return new Setting(full, comment.subList(0, comment.size() - 1), bound, value, reference);
        }

        private static boolean isReference(ConfigValue written) {
            try {
                written.unwrapped();
                return false;
            } catch (ConfigException.NotResolved e) {
                return true;
            }
        }
    }
}
