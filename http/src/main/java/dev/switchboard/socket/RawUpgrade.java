package dev.switchboard.socket;

import org.apache.pekko.NotUsed;
import org.apache.pekko.http.impl.engine.server.UpgradeToOtherProtocolResponseHeader;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.ws.Message;
import org.apache.pekko.http.javadsl.model.ws.WebSocketUpgrade;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/**
 * Gives a stage the bytes of an upgraded connection. Stateless. This is the only place that uses Pekko HTTP's
 * internals, and a test holds it.
 *
 * <p>Pekko HTTP makes the handshake's answer; only the flow behind it is ours. Its own flow of messages costs about ten
 * stages for each connection and a sub-stream for each message, has no limit for a message's size and no way to choose
 * the close code.
 */
final class RawUpgrade {
    private static final String HEADER = "UpgradeToOtherProtocolResponseHeader";

    private static final Flow<Message, Message, NotUsed> UNUSED =
            Flow.fromSinkAndSource(Sink.<Message>cancelled(), Source.<Message>empty());

    private RawUpgrade() {}

    /** The answer that switches to WebSocket with that subprotocol, which must be one of those offered. */
    static HttpResponse accept(
            WebSocketUpgrade upgrade, String subprotocol, Flow<ByteString, ByteString, NotUsed> connection) {
        HttpResponse answer = upgrade.handleMessagesWith(UNUSED, subprotocol);
        if (answer.getHeader(HEADER).isEmpty()) {
            throw new IllegalStateException("this version of Pekko HTTP upgrades connections in another way");
        }
        return answer.removeHeader(HEADER).addHeader(header(connection));
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // Scala's Any is Object here, which Java's generics can't express.
    private static UpgradeToOtherProtocolResponseHeader header(Flow<ByteString, ByteString, NotUsed> connection) {
        return new UpgradeToOtherProtocolResponseHeader((org.apache.pekko.stream.scaladsl.Flow) connection.asScala());
    }
}
