package dev.switchboard.api;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The calls of the API by method and path, such as {@code GET /conversations/{conv}}. Immutable once built,
 * thread-safe.
 * Paths are looked up by their segments; a segment in braces is a variable. No two paths match the same request.
 */
final class RouteTable {
    /** Carries one call out. It may throw {@link RefusedException}, or give a stage that fails with it. */
    @FunctionalInterface
    interface Handler {
        CompletionStage<HttpResponse> handle(Call call);
    }

    /** A call that exists: who carries it out, and the path's variables. */
    record Found(Handler handler, Map<String, String> variables) {}

    private record Route(String method, String path, List<String> segments, Handler handler) {}

    private final List<Route> routes = new ArrayList<>();
    private final Map<Integer, List<Route>> byLength = new HashMap<>();

    RouteTable add(String method, String path, Handler handler) {
        Route route = new Route(method, path, List.of(path.substring(1).split("/", -1)), handler);
        routes.add(route);
        byLength.computeIfAbsent(route.segments().size(), n -> new ArrayList<>())
                .add(route);
        return this;
    }

    /** The call of that method at that path. Refuses an unknown path, and a method that the path doesn't have. */
    Found find(String method, List<String> segments) {
        Set<String> others = new TreeSet<>();
        for (Route route : byLength.getOrDefault(segments.size(), List.of())) {
            if (matches(route.segments(), segments)) {
                if (route.method().equals(method)) {
                    return new Found(route.handler(), variables(route.segments(), segments));
                }
                others.add(route.method());
            }
        }
        if (others.isEmpty()) {
            throw new RefusedException(Refusal.of(ErrorCode.NOT_FOUND, "there is no such address"));
        }
        throw new RefusedException(
                Refusal.of(ErrorCode.METHOD_NOT_ALLOWED, "this address takes " + String.join(", ", others))
                        .withFact("allow", String.join(", ", others)));
    }

    /** Every call as {@code GET /conversations/{conv}}, for the test that holds the OpenAPI document against it. */
    List<String> describe() {
        return routes.stream().map(route -> route.method() + " " + route.path()).toList();
    }

    private static boolean matches(List<String> pattern, List<String> segments) {
        for (int i = 0; i < pattern.size(); i++) {
            if (!isVariable(pattern.get(i)) && !pattern.get(i).equals(segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, String> variables(List<String> pattern, List<String> segments) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < pattern.size(); i++) {
            if (isVariable(pattern.get(i))) {
                values.put(pattern.get(i).substring(1, pattern.get(i).length() - 1), segments.get(i));
            }
        }
        return values;
    }

    private static boolean isVariable(String segment) {
        return segment.startsWith("{");
    }
}
