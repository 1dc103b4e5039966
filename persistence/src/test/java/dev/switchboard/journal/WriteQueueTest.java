package dev.switchboard.journal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.directory.DatabaseSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How waiting writes become batches. */
class WriteQueueTest {
    private final ExecutorService takers = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        takers.shutdownNow();
    }

    private static WriteQueue queue(String settings) {
        return new WriteQueue(DatabaseSettings.of(ConfigFactory.parseString("switchboard.database { " + settings + " }")
                .withFallback(ConfigFactory.load())));
    }

    private static PendingWrite write(String id, long number) {
        return new PendingWrite(
                List.of(AtomicWrite.apply(
                        PersistentRepr.apply("event", number, id, "", false, ActorRef.noSender(), "writer"))),
                null,
                null);
    }

    private CompletableFuture<List<PendingWrite>> takeLater(WriteQueue queue) {
        CompletableFuture<List<PendingWrite>> taken = new CompletableFuture<>();
        takers.execute(() -> {
            try {
                taken.complete(queue.take());
            } catch (InterruptedException e) {
                taken.completeExceptionally(e);
            }
        });
        return taken;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldTakeALoneWriteAtOnce() throws Exception {
        WriteQueue queue = queue("batch-gather = 100ms, batch-fill = 64");
        for (int i = 0; i < 3; i++) {
            PendingWrite only = write("a", i);
            assertEquals(WriteQueue.Offer.TAKEN, queue.offer(only));
            long began = System.nanoTime();
            List<PendingWrite> batch = queue.take();
            assertEquals(List.of(only), batch);
            assertTrue(System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(90), "a lone write was held back");
            queue.ended(batch);
        }
    }

    @Test
    void shouldGatherBehindTheBatchUnderWay() throws Exception {
        WriteQueue queue = queue("batch-gather = 0ms, batch-fill = 3");
        queue.offer(write("a", 1));
        List<PendingWrite> first = queue.take();
        queue.offer(write("b", 1));
        CompletableFuture<List<PendingWrite>> second = takeLater(queue);
        queue.offer(write("c", 1));
        assertFalse(second.isDone());
        queue.ended(first);
        assertEquals(2, get(second).size());
    }

    @Test
    void shouldBeginOneMoreBesideWhenEnoughWait() throws Exception {
        WriteQueue queue = queue("batch-gather = 0ms, batch-fill = 3");
        queue.offer(write("a", 1));
        queue.take();
        CompletableFuture<List<PendingWrite>> second = takeLater(queue);
        queue.offer(write("b", 1));
        queue.offer(write("c", 1));
        assertFalse(second.isDone());
        queue.offer(write("d", 1));
        assertEquals(3, get(second).size());
    }

    @Test
    void shouldNeverHaveOneIdInTwoBatches() throws Exception {
        WriteQueue queue = queue("batch-gather = 0ms, batch-fill = 1");
        queue.offer(write("a", 1));
        List<PendingWrite> first = queue.take();
        PendingWrite later = write("a", 2);
        PendingWrite other = write("b", 1);
        PendingWrite latest = write("a", 3);
        queue.offer(later);
        queue.offer(other);
        queue.offer(latest);
        assertEquals(List.of(other), queue.take());
        CompletableFuture<List<PendingWrite>> rest = takeLater(queue);
        queue.offer(write("b", 2));
        assertFalse(rest.isDone());
        queue.ended(first);
        assertEquals(List.of(later, latest), get(rest));
    }

    @Test
    void shouldRefuseBeyondTheBoundAndAfterTheEnd() throws Exception {
        WriteQueue queue = queue("journal-queue = 2");
        assertEquals(WriteQueue.Offer.TAKEN, queue.offer(write("a", 1)));
        assertEquals(WriteQueue.Offer.TAKEN, queue.offer(write("b", 1)));
        assertEquals(WriteQueue.Offer.FULL, queue.offer(write("c", 1)));
        queue.close();
        assertEquals(WriteQueue.Offer.CLOSED, queue.offer(write("d", 1)));
        assertEquals(2, queue.take().size());
        assertEquals(List.of(), queue.take());
    }

    @Test
    void shouldTakeBackWhatFollowsAFailedWrite() throws Exception {
        WriteQueue queue = queue("batch-gather = 0ms");
        queue.offer(write("a", 1));
        List<PendingWrite> first = queue.take();
        PendingWrite follower = write("a", 2);
        PendingWrite other = write("b", 1);
        queue.offer(follower);
        queue.offer(other);
        assertEquals(List.of(follower), queue.takeBack(Set.of("a")));
        queue.ended(first);
        assertEquals(List.of(other), queue.take());
    }

    /** Many senders with one write in flight each, several takers: all are taken once, each id's in order, none twice. */
    @Test
    void shouldTakeEachWriteOnceAndInOrderUnderLoad() throws Exception {
        int ids = 50;
        int perId = 400;
        WriteQueue queue = queue("batch-gather = 1ms, batch-fill = 10, batch-rows = 20");
        Map<String, Long> last = new ConcurrentHashMap<>();
        Set<String> underWay = ConcurrentHashMap.newKeySet();
        List<String> wrong = new ArrayList<>();
        AtomicInteger taken = new AtomicInteger();
        Map<PendingWrite, Long> numbers = new ConcurrentHashMap<>();
        for (int t = 0; t < 3; t++) {
            takers.execute(() -> {
                try {
                    for (List<PendingWrite> batch = queue.take(); !batch.isEmpty(); batch = queue.take()) {
                        Set<String> own = ConcurrentHashMap.newKeySet();
                        for (PendingWrite write : batch) {
                            String id = write.persistenceId();
                            long number = numbers.get(write);
                            if ((own.add(id) && !underWay.add(id)) || last.getOrDefault(id, 0L) != number - 1) {
                                synchronized (wrong) {
                                    wrong.add(id + " " + number);
                                }
                            }
                            last.put(id, number);
                        }
                        taken.addAndGet(batch.size());
                        underWay.removeAll(own);
                        queue.ended(batch);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Random random = new Random(1);
        Map<String, Long> next = new HashMap<>();
        for (int i = 0; i < ids * perId; i++) {
            String id = "id-" + random.nextInt(ids);
            long number = next.merge(id, 1L, Long::sum);
            PendingWrite write = write(id, number);
            numbers.put(write, number);
            assertEquals(WriteQueue.Offer.TAKEN, queue.offer(write));
        }
        await().atMost(30, TimeUnit.SECONDS).until(() -> taken.get() == ids * perId);
        queue.close();
        assertEquals(List.of(), wrong);
    }
}
