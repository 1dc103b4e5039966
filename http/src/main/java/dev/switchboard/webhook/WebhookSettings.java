package dev.switchboard.webhook;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.desk.Profile;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The settings under {@code switchboard.webhooks}. Immutable.
 *
 * @param receivers who gets what by HTTP
 * @param allowed the networks that may be called although they are private
 * @param connections how many connections one receiver gets, and so how many requests at once
 * @param keepAlive how long a connection that nothing uses is kept
 */
public record WebhookSettings(List<Receiver> receivers, List<Network> allowed, int connections, Duration keepAlive) {
    private static final String PATH = "switchboard.webhooks";
    private static final Set<String> KEYS = Set.of("agent", "url", "secret-file", "queues", "capacity", "timeout");
    private static final int MAX_CAPACITY = 1000;
    private static final int DEFAULT_CAPACITY = 100;
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(5);

    /**
     * An agent whose terminal is an HTTP endpoint.
     *
     * @param agent the agent's id
     * @param url where its entries go
     * @param profile what it serves and how much of it; empty: what operators say of the agent
     * @param timeout how long it may take to answer
     */
    record Receiver(String agent, URI url, HookSignature signature, Optional<Profile> profile, Duration timeout) {
        boolean isEncrypted() {
            return url.getScheme().equals("https");
        }
    }

    /** Reads the settings from the whole configuration, and the secrets from their files. Throws ConfigException. */
    public static WebhookSettings of(Config config) {
        Config webhooks = config.getConfig(PATH);
        Set<String> agents = new HashSet<>();
        Duration timeout = webhooks.getDuration("timeout");
        List<Receiver> receivers = webhooks.getConfigList("receivers").stream()
                .<Receiver>map(one -> receiver(one, timeout))
                .toList();
        for (Receiver receiver : receivers) {
            if (!agents.add(receiver.agent())) {
                throw bad(webhooks, "receivers", "agent " + receiver.agent() + " is named twice", null);
            }
        }
        List<Network> allowed = webhooks.getStringList("allow-networks").stream()
                .map(text -> {
                    try {
                        return Network.parse(text);
                    } catch (IllegalArgumentException e) {
                        throw bad(webhooks, "allow-networks", e.getMessage(), e);
                    }
                })
                .toList();
        return new WebhookSettings(
                receivers, allowed, webhooks.getInt("connections"), webhooks.getDuration("keep-alive"));
    }

    private static ConfigException bad(Config config, String key, String message, Exception cause) {
        return new ConfigException.BadValue(config.origin(), PATH + "." + key, message, cause);
    }

    private static Receiver receiver(Config config, Duration timeout) {
        for (String key : config.root().keySet()) {
            if (!KEYS.contains(key)) {
                throw bad(config, "receivers", "there is no '" + key + "' of a receiver", null);
            }
        }
        String agent = config.getString("agent");
        if (!ConversationIds.PERSON_ID.matcher(agent).matches()) {
            throw bad(config, "receivers", "'" + agent + "' can't be an agent's id", null);
        }
        return new Receiver(
                agent,
                url(config),
                signature(config),
                profile(config),
                config.hasPath("timeout") ? timeout(config) : timeout);
    }

    private static Duration timeout(Config config) {
        Duration timeout = config.getDuration("timeout");
        if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw bad(config, "receivers", "'timeout' must be 100ms to 5m", null);
        }
        return timeout;
    }

    private static URI url(Config config) {
        String text = config.getString("url");
        try {
            URI url = new URI(text);
            String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
            if (!Set.of("https", "http").contains(scheme)
                    || url.getHost() == null
                    || url.getUserInfo() != null
                    || url.getFragment() != null) {
                throw bad(
                        config,
                        "receivers",
                        "'" + text + "' must be an address such as https://bots.example.com/hook",
                        null);
            }
            return url;
        } catch (URISyntaxException e) {
            throw bad(config, "receivers", "'" + text + "' is no address", e);
        }
    }

    private static HookSignature signature(Config config) {
        String file = config.getString("secret-file");
        try {
            return HookSignature.of(Files.readAllLines(Path.of(file)));
        } catch (IOException e) {
            throw bad(config, "receivers", "the secret's file " + file + " can't be read", e);
        } catch (IllegalArgumentException e) {
            throw bad(config, "receivers", "the secret's file " + file + ": " + e.getMessage(), null);
        }
    }

    private static Optional<Profile> profile(Config config) {
        if (!config.hasPath("queues")) {
            if (config.hasPath("capacity")) {
                throw bad(config, "receivers", "'capacity' needs 'queues'", null);
            }
            return Optional.empty();
        }
        int capacity = config.hasPath("capacity") ? config.getInt("capacity") : DEFAULT_CAPACITY;
        List<String> queues = config.getStringList("queues");
        boolean known = queues.stream()
                .allMatch(queue -> ConversationIds.QUEUE.matcher(queue).matches());
        if (capacity < 1 || capacity > MAX_CAPACITY || queues.isEmpty() || !known) {
            throw bad(
                    config, "receivers", "'queues' must be names of queues and 'capacity' 1 to " + MAX_CAPACITY, null);
        }
        return Optional.of(new Profile(capacity, Set.of(), Set.copyOf(queues)));
    }
}
