package dev.switchboard.routing;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.switchboard.conversation.ConversationIds;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads queues from configuration: {@code switchboard.queues} over {@code switchboard.queue-defaults}. Thread-safe. */
final class QueueDefaults {
    private static final Set<String> ACCEPTANCES = Set.of("manual", "auto");

    private QueueDefaults() {}

    /** The configured queues by name. Throws ConfigException with the key for what can't be. */
    static Map<String, QueueSettings> queues(Config switchboard) {
        Config defaults = switchboard.getConfig("queue-defaults");
        Map<String, QueueSettings> queues = new LinkedHashMap<>();
        for (Map.Entry<String, ConfigValue> entry :
                switchboard.getObject("queues").entrySet()) {
            String name = entry.getKey();
            String path = "switchboard.queues." + name;
            if (!ConversationIds.QUEUE.matcher(name).matches()) {
                throw new ConfigException.BadValue(entry.getValue().origin(), path, "not a queue's name");
            }
            if (!(entry.getValue() instanceof ConfigObject own)) {
                throw new ConfigException.WrongType(entry.getValue().origin(), path, "object", "a single value");
            }
            for (String key : own.keySet()) {
                if (!defaults.hasPath(key)) {
                    throw new ConfigException.BadPath(own.origin(), path + "." + key, "no such setting of a queue");
                }
            }
            queues.put(name, of(name, own.toConfig().withFallback(defaults)));
        }
        return queues;
    }

    /** The settings of a queue that has none of its own. */
    static QueueSettings of(String queue, Config config) {
        String acceptance = config.getString("acceptance");
        if (!ACCEPTANCES.contains(acceptance)) {
            throw new ConfigException.BadValue(
                    config.origin(), "acceptance", "must be manual or auto, not " + acceptance);
        }
        String strategy = config.getString("strategy");
        if (RoutingStrategy.ofName(strategy).isEmpty()) {
            throw new ConfigException.BadValue(config.origin(), "strategy", "no such strategy: " + strategy);
        }
        return new QueueSettings(
                queue,
                strategy,
                acceptance.equals("auto"),
                config.getInt("offer-to"),
                config.getDuration("offer-timeout"),
                config.getInt("max-length"),
                config.getDuration("ageing"),
                config.getDuration("relax-skills-after"),
                config.getDuration("prefer-last-agent-for"),
                config.getDuration("prefer-target-for"),
                config.getDuration("owner-grace"),
                config.getDuration("abandon-after"),
                config.getDuration("close-idle-after"),
                QueueSettings.WhenClosed.valueOf(
                        config.getString("when-closed").toUpperCase(Locale.ROOT).replace('-', '_')),
                QueueSettings.DeadLetters.valueOf(
                        config.getString("dead-letters").toUpperCase(Locale.ROOT)));
    }
}
