package dev.switchboard.auth;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The settings under {@code switchboard.auth}. Immutable.
 *
 * @param mode how tokens are checked
 * @param issuer what a signed token's {@code iss} must be
 * @param audience what a signed token's {@code aud} must contain
 * @param clockSkew by how much the clocks of issuer and node may differ
 * @param keys the keys that may sign
 * @param jwksRefresh for how long fetched keys are used before they are fetched again
 * @param revocationRefresh how often the list of revoked people is read
 * @param origins the browsers' origins that are allowed besides the node's own host; {@code *} allows all
 */
public record AuthSettings(
        Mode mode,
        String issuer,
        String audience,
        Duration clockSkew,
        List<KeySettings> keys,
        Duration jwksRefresh,
        Duration revocationRefresh,
        List<String> origins) {
    /** How tokens are checked. */
    public enum Mode {
        /** For development: {@code dev:ROLE:ID} is believed. */
        NONE,
        /** Signed tokens only. */
        JWT
    }

    public AuthSettings {
        keys = List.copyOf(keys);
        origins = List.copyOf(origins);
    }

    /**
     * Reads {@code switchboard.auth}. Throws {@link ConfigException} that names the key for what can't be.
     *
     * @param config the whole configuration
     */
    public static AuthSettings of(Config config) {
        Config auth = config.getConfig("switchboard.auth");
        Mode mode = switch (auth.getString("mode")) {
            case "none" -> Mode.NONE;
            case "jwt" -> Mode.JWT;
            default ->
                throw new ConfigException.BadValue(auth.origin(), "switchboard.auth.mode", "must be none or jwt");
        };
        List<KeySettings> keys = new ArrayList<>();
        for (Config key : auth.getConfigList("keys")) {
            keys.add(KeySettings.of(key));
        }
        return new AuthSettings(
                mode,
                auth.getString("issuer"),
                auth.getString("audience"),
                auth.getDuration("clock-skew"),
                keys,
                auth.getDuration("jwks-refresh"),
                auth.getDuration("revocation-refresh"),
                auth.getStringList("origins"));
    }

    /** Where the key for the command that mints tokens is: the first HS256 key in a file, if there is one. */
    public Optional<KeySettings> mintingKey() {
        return keys.stream()
                .filter(key -> key.algorithm() == KeySettings.Algorithm.HS256 && key.file() != null)
                .findFirst();
    }

    /**
     * Why a node that listens on these addresses may not start with these settings, as one line; empty when it may.
     * Without authentication every address must be loopback; with it at least one key must be configured.
     */
    public Optional<String> startProblem(Collection<String> listenAddresses) {
        if (mode == Mode.JWT) {
            return keys.isEmpty()
                    ? Optional.of("switchboard.auth.keys: mode jwt needs at least one key")
                    : Optional.empty();
        }
        for (String address : listenAddresses) {
            if (!isLoopback(address)) {
                return Optional.of("switchboard.auth.mode: none is for development and starts only on loopback"
                        + " addresses, but the node listens on " + address);
            }
        }
        return Optional.empty();
    }

    /** True when the address, or everything that the name resolves to, is loopback. Resolving a name may block. */
    static boolean isLoopback(String address) {
        if (address.isBlank()) {
            return false;
        }
        try {
            for (InetAddress resolved : InetAddress.getAllByName(address)) {
                if (!resolved.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /**
     * One key. Exactly one of {@code file} and {@code jwks} is set.
     *
     * @param id its name, and the {@code kid} of tokens that name their key
     * @param algorithm the only algorithm it is used with
     * @param file where it is: for HS256 a line of base64 with at least 32 bytes, else a PEM public key or a JWK
     * @param jwks the address of a JWK set
     */
    public record KeySettings(String id, Algorithm algorithm, Path file, String jwks) {
        /** The algorithms that are taken. */
        public enum Algorithm {
            HS256,
            RS256,
            ES256
        }

        static KeySettings of(Config key) {
            String path = "switchboard.auth.keys";
            String id = text(key, "id");
            String algorithm = text(key, "algorithm");
            String file = key.hasPath("file") ? key.getString("file") : null;
            String jwks = key.hasPath("jwks") ? key.getString("jwks") : null;
            if (id == null || algorithm == null) {
                throw new ConfigException.BadValue(key.origin(), path, "each key needs id and algorithm");
            }
            if ((file == null) == (jwks == null)) {
                throw new ConfigException.BadValue(key.origin(), path, id + ": set exactly one of file and jwks");
            }
            Algorithm parsed = null;
            for (Algorithm known : Algorithm.values()) {
                if (known.name().equals(algorithm)) {
                    parsed = known;
                }
            }
            if (parsed == null) {
                throw new ConfigException.BadValue(
                        key.origin(), path, id + ": algorithm must be HS256, RS256 or ES256, not " + algorithm);
            }
            if (parsed == Algorithm.HS256 && jwks != null) {
                throw new ConfigException.BadValue(key.origin(), path, id + ": an HS256 key must be a file");
            }
            return new KeySettings(id, parsed, file == null ? null : Path.of(file), jwks);
        }

        private static String text(Config key, String name) {
            return key.hasPath(name) && !key.getString(name).isBlank() ? key.getString(name) : null;
        }
    }
}
