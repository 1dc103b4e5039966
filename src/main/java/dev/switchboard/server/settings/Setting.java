package dev.switchboard.server.settings;

import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.util.List;
import java.util.Locale;

/**
 * One setting as a {@code reference.conf} describes it. Immutable.
 *
 * @param path its full key, beginning with {@code switchboard.}
 * @param comment what it is, line by line, without the bound
 * @param bound what it may be
 * @param fallback its value when nobody sets it
 * @param reference its default as written, where that refers to other settings; else null
 */
public record Setting(String path, List<String> comment, Bound bound, ConfigValue fallback, String reference) {
    public Setting {
        comment = List.copyOf(comment);
    }

    /**
     * The environment variable that sets it: {@code switchboard.http.port} is {@code SWITCHBOARD_HTTP_PORT}. The group
     * {@code database} is {@code DB} there, as it is with most programs that run beside this one.
     */
    public String environmentName() {
        return path.replaceFirst("^switchboard\\.database\\.", "switchboard.db.")
                .toUpperCase(Locale.ROOT)
                .replace('.', '_')
                .replace('-', '_');
    }

    /** False for objects: an environment variable holds one value. */
    public boolean hasEnvironmentName() {
        return !(bound instanceof Bound.FreeMap);
    }

    /** The default, as it is written in a file. */
    public String fallbackText() {
        if (reference != null) {
            return reference;
        }
        if (fallback.valueType() == ConfigValueType.STRING && !(bound instanceof Bound.Text)) {
            String text = (String) fallback.unwrapped();
            if (text.matches("[A-Za-z0-9._-]+")) {
                return text;
            }
        }
        return fallback.render(ConfigRenderOptions.concise());
    }
}
