package dev.switchboard.routing;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.desk.DeskCommand;

/**
 * How entities and gateways reach entities by id. At most once: what must arrive is repeated by its sender.
 * Thread-safe, never blocking. The sharded implementation is {@code ShardedPeers}; tests put a dropping one in front
 * of it.
 */
public interface Peers {
    void conversation(String conv, ConversationCommand command);

    void desk(String agent, DeskCommand command);

    void line(String queue, LineCommand command);
}
