package dev.switchboard.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.dispatch.Envelope;
import org.junit.jupiter.api.Test;

/** A session's messages, and the look at the next one. */
class SessionQueueTest {
    @Test
    void shouldTakeNothingByLookingAhead() {
        SessionQueue queue = new SessionQueue(7);
        queue.lookAhead();
        assertFalse(queue.more());
        for (int i = 0; i < 3; i++) {
            queue.enqueue(ActorRef.noSender(), new Envelope("m" + i, ActorRef.noSender()));
        }
        queue.lookAhead();
        assertTrue(queue.more());
        assertEquals(3, queue.numberOfMessages());
        for (int i = 0; i < 3; i++) {
            assertEquals("m" + i, queue.dequeue().message());
            assertEquals(i < 2, queue.more(), "behind m" + i);
            queue.lookAhead();
        }
        assertNull(queue.dequeue());
        assertFalse(queue.hasMessages());
    }
}
