package dev.switchboard.auth;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which pages may call from a browser. Immutable. A request without {@code Origin} is no browser's cross-site call and
 * passes; one whose origin is the host it was sent to passes; others pass only when listed.
 */
public final class OriginPolicy {
    private final boolean all;
    private final Set<String> allowed;

    /** @param origins as in {@code https://desk.example.com}; {@code *} allows all */
    public OriginPolicy(List<String> origins) {
        this.all = origins.contains("*");
        Set<String> normal = new TreeSet<>();
        for (String origin : origins) {
            if (!origin.equals("*")) {
                normal.add(normalize(origin));
            }
        }
        this.allowed = Set.copyOf(normal);
    }

    /**
     * True when a request may pass.
     *
     * @param origin the request's {@code Origin}; null when it has none
     * @param host the request's {@code Host}, with its port if it names one; null when it has none
     */
    public boolean allows(String origin, String host) {
        if (origin == null || all) {
            return true;
        }
        String normal = normalize(origin);
        return allowed.contains(normal) || (host != null && isSameHost(normal, host));
    }

    private static boolean isSameHost(String origin, String host) {
        int scheme = origin.indexOf("://");
        return scheme > 0
                && (origin.startsWith("http://") || origin.startsWith("https://"))
                && withoutDefaultPort(origin.substring(scheme + 3), origin.startsWith("https://"))
                        .equals(withoutDefaultPort(host.toLowerCase(Locale.ROOT), origin.startsWith("https://")));
    }

    private static String withoutDefaultPort(String authority, boolean secure) {
        String port = secure ? ":443" : ":80";
        return authority.endsWith(port) ? authority.substring(0, authority.length() - port.length()) : authority;
    }

    /**
     * Scheme, host and port in lower case, a default port left out; what is no origin stays as it is and matches none.
     */
    private static String normalize(String origin) {
        try {
            URI uri = new URI(origin.strip());
            if (uri.getScheme() == null || uri.getRawAuthority() == null) {
                return origin;
            }
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            String authority = uri.getRawAuthority().toLowerCase(Locale.ROOT);
            return scheme + "://" + withoutDefaultPort(authority, scheme.equals("https"));
        } catch (URISyntaxException e) {
            return origin;
        }
    }
}
