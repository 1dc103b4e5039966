package dev.switchboard.server.shards;

import java.util.List;
import java.util.Optional;

/** Finds nodes by what operators call them. Stateless. */
final class Nodes {
    private Nodes() {}

    /** By its name in the cluster, or its address for clients or operators, with or without {@code http://}. */
    static Optional<NodeReport> called(List<NodeReport> nodes, String name) {
        String plain = name.startsWith("http://") ? name.substring("http://".length()) : name;
        return nodes.stream()
                .filter(node ->
                        List.of(node.node(), node.http(), node.management()).contains(plain))
                .findFirst();
    }
}
