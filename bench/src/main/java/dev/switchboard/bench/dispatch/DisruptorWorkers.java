package dev.switchboard.bench.dispatch;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A ring of the LMAX Disruptor for each worker, and a session always on the same one, which keeps its order. The rings
 * take any number of producers, as every contender does, and have room for all that a flood keeps in flight.
 */
final class DisruptorWorkers implements Contender {
    private final List<Disruptor<Slot>> disruptors = new ArrayList<>();
    private final List<RingBuffer<Slot>> rings = new ArrayList<>();

    DisruptorWorkers(int workers, Sessions sessions, Supplier<WaitStrategy> waiting) {
        for (int i = 0; i < workers; i++) {
            String name = "disruptor-" + i;
            Disruptor<Slot> disruptor = new Disruptor<>(
                    Slot::new, Load.FLOOD_IN_FLIGHT, task -> new Thread(task, name), ProducerType.MULTI, waiting.get());
            disruptor.handleEventsWith((slot, sequence, endOfBatch) -> {
                Message message = slot.message;
                slot.message = null;
                sessions.handle(message);
            });
            disruptors.add(disruptor);
            rings.add(disruptor.start());
        }
    }

    @Override
    public void send(Message message) {
        RingBuffer<Slot> ring = rings.get(message.session() % rings.size());
        long sequence = ring.next();
        ring.get(sequence).message = message;
        ring.publish(sequence);
    }

    @Override
    public void close() {
        disruptors.forEach(Disruptor::shutdown);
    }

    private static final class Slot {
        private Message message;
    }
}
