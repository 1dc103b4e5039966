package dev.switchboard.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.EntityTag;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;

/**
 * The two pages, the customer's chat and the agent's desk, as a route. Thread-safe: every file is read once, when this is
 * made, and is served from memory.
 *
 * <p>The pages use the public protocol only and take nothing from elsewhere. Their Content-Security-Policy allows no
 * inline script or style, no frame around them, no connection but to this server, and pictures from it and from the
 * allowed media hosts only. Files are named without a version, so browsers ask each time and mostly get 304.
 */
public final class Pages extends AllDirectives {
    /** A host as it may stand in the policy: {@code media.example.org}, {@code *.example.org}, {@code example.org:8443}. */
    private static final Pattern MEDIA_HOST = Pattern.compile("(\\*\\.)?[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?");

    private static final String HTML = "text/html; charset=UTF-8";
    private static final String SCRIPT = "text/javascript; charset=UTF-8";

    /** Path → resource and type. A path that isn't here doesn't exist: nothing is looked up by what a client sends. */
    private static final Map<String, String[]> FILES = files();

    private final Map<String, Served> served;
    private final List<HttpHeader> headers;

    /** One file, ready to be sent. */
    private record Served(EntityTag tag, HttpResponse response) {}

    /**
     * Reads the files.
     *
     * @param signInByName true when the server takes development tokens, so that the pages ask for a name only
     * @param mediaHosts hosts whose pictures the pages may load, over https; empty: pictures are links
     * @throws IllegalArgumentException for a media host that isn't one
     */
    public Pages(boolean signInByName, List<String> mediaHosts) {
        for (String host : mediaHosts) {
            if (!MEDIA_HOST.matcher(host).matches()) {
                throw new IllegalArgumentException("not a media host: " + host);
            }
        }
        this.headers = headers(mediaHosts);
        Map<String, Served> all = new LinkedHashMap<>();
        FILES.forEach((path, file) -> all.put(path, serve(read(file[0]), file[1])));
        all.put("assets/site.json", serve(site(signInByName, mediaHosts), "application/json"));
        this.served = Map.copyOf(all);
    }

    /** The route: {@code /}, {@code /chat}, {@code /desk} and {@code /assets/…}; rejects everything else. */
    public Route route() {
        Route[] routes = served.entrySet().stream()
                .map(entry -> file(entry.getKey(), entry.getValue()))
                .toArray(Route[]::new);
        return concat(routes[0], java.util.Arrays.copyOfRange(routes, 1, routes.length));
    }

    private Route file(String path, Served file) {
        Route answer = respondWithHeaders(headers, () -> conditional(file.tag(), () -> complete(file.response())));
        Route read = concat(get(() -> answer), head(() -> answer));
        if (path.isEmpty()) {
            return pathSingleSlash(() -> read);
        }
        int slash = path.indexOf('/');
        return slash < 0
                ? path(path, () -> read)
                : pathPrefix(path.substring(0, slash), () -> path(path.substring(slash + 1), () -> read));
    }

    private static Map<String, String[]> files() {
        Map<String, String[]> files = new LinkedHashMap<>();
        files.put("", new String[] {"index.html", HTML});
        files.put("chat", new String[] {"chat.html", HTML});
        files.put("desk", new String[] {"desk.html", HTML});
        files.put("assets/switchboard.css", new String[] {"assets/switchboard.css", "text/css; charset=UTF-8"});
        files.put("assets/favicon.svg", new String[] {"assets/favicon.svg", "image/svg+xml"});
        for (String script : List.of(
                "switchboard-client",
                "session",
                "conversation-log",
                "outbox",
                "words",
                "ui",
                "sign-in",
                "timeline",
                "start",
                "chat",
                "desk",
                "desk-lists",
                "desk-dialogs")) {
            files.put("assets/" + script + ".js", new String[] {"assets/" + script + ".js", SCRIPT});
        }
        return files;
    }

    private static Served serve(byte[] bytes, String type) {
        ContentType contentType = ContentTypes.parse(type);
        return new Served(
                EntityTag.create(digest(bytes), false),
                HttpResponse.create().withEntity(HttpEntities.create(contentType, bytes)));
    }

    static List<HttpHeader> headers(List<String> mediaHosts) {
        String pictures = mediaHosts.stream().map(host -> " https://" + host).collect(Collectors.joining());
        String policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
                + pictures
                + "; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                + "; require-trusted-types-for 'script'; trusted-types 'none'";
        return List.of(
                RawHeader.create("Content-Security-Policy", policy),
                RawHeader.create("X-Content-Type-Options", "nosniff"),
                RawHeader.create("Referrer-Policy", "no-referrer"),
                RawHeader.create("Cross-Origin-Opener-Policy", "same-origin"),
                RawHeader.create("Cross-Origin-Resource-Policy", "same-origin"),
                RawHeader.create("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
                RawHeader.create("Cache-Control", "no-cache"));
    }

    static byte[] site(boolean signInByName, List<String> mediaHosts) {
        String hosts = mediaHosts.stream().map(host -> '"' + host + '"').collect(Collectors.joining(","));
        return ("{\"signInByName\":" + signInByName + ",\"mediaHosts\":[" + hosts + "]}")
                .getBytes(StandardCharsets.UTF_8);
    }

    static byte[] read(String name) {
        try (InputStream in = Pages.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("a page's file is missing from the build: " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a page's file: " + name, e);
        }
    }

    static String digest(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(hash, 0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
