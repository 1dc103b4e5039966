package dev.switchboard.bench;

import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What the ledger of steps costs a message: the five steps that one takes, noted in a loop by one thread and by two, with and
 * without a ring, in turns; and what a full ring keeps in memory. For one thread.
 */
@Command(
        name = "ledger",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = "Time and bytes of the ledger of steps, with and without it, in turns.")
final class LedgerCost implements Callable<Integer> {
    private static final Person CUSTOMER = new Person(Role.CUSTOMER, "carol");
    private static final Person AGENT = new Person(Role.AGENT, "alice");
    private static final int CONVERSATIONS = 1000;
    private static final int STEPS = 5;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--rounds", defaultValue = "9", description = "Pairs of rounds: with the ring and without.")
    private int rounds;

    @Option(names = "--messages", defaultValue = "2000000", description = "Messages of a round, by each thread.")
    private int messages;

    @Option(names = "--steps", defaultValue = "100000", description = "Slots of the ring.")
    private int size;

    private final String[] conversations = new String[CONVERSATIONS];

    @Override
    public Integer call() throws Exception {
        for (int i = 0; i < CONVERSATIONS; i++) {
            conversations[i] = "c-customer-" + i;
        }
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "# The cost of the ledger%n%nThe five steps that a message takes (routed, queued, written, acknowledged, read), in a"
                        + " loop of %,d messages by each thread%nover %,d conversations, with a ring of %,d slots and without one,"
                        + " %d rounds of each in turns; medians.%n%n| threads | with, ns a message | without, ns a message |"
                        + " the ring, ns a message |%n|---|---|---|---|%n",
                messages,
                CONVERSATIONS,
                size,
                rounds));
        for (int threads : new int[] {1, 2}) {
            List<Double> with = new ArrayList<>();
            List<Double> without = new ArrayList<>();
            run(new Ledger(size), threads);
            run(Ledger.NONE, threads);
            for (int i = 0; i < rounds; i++) {
                with.add(run(new Ledger(size), threads));
                without.add(run(Ledger.NONE, threads));
            }
            double on = Medians.of(with, each -> each);
            double off = Medians.of(without, each -> each);
            text.append(String.format(Locale.ROOT, "| %d | %.0f | %.1f | %.0f |%n", threads, on, off, on - off));
        }
        memory(text);
        Reports.write("ledger", text.toString(), spec.commandLine().getParent().getOut());
        return 0;
    }

    /** Nanoseconds a message. */
    private double run(Ledger ledger, int threads) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(threads);
        long begin = System.nanoTime();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            new Thread(
                            () -> {
                                note(ledger, messages, "desk-" + thread);
                                done.countDown();
                            },
                            "notes-" + t)
                    .start();
        }
        done.await();
        return (System.nanoTime() - begin) / (double) messages;
    }

    private void note(Ledger ledger, int count, String terminal) {
        Ledger.Endpoint endpoint = new Ledger.Endpoint(AGENT, terminal);
        for (int i = 0; i < count; i++) {
            String conv = conversations[i % CONVERSATIONS];
            ledger.routed(conv, i);
            ledger.queued(conv, i, endpoint, i, 1);
            ledger.written(endpoint, i);
            ledger.acknowledged(conv, i, AGENT, false);
            ledger.acknowledged(conv, i, AGENT, true);
        }
    }

    private void memory(StringBuilder text) {
        long before = used();
        Ledger ledger = new Ledger(size);
        long empty = used() - before;
        note(ledger, size / STEPS + 1, "desk");
        long full = used() - before;
        long begin = System.nanoTime();
        int looks = 20;
        int found = 0;
        for (int i = 0; i < looks; i++) {
            found += ledger.find(conversations[i], i, CUSTOMER).steps().size();
        }
        double lookMicros = (System.nanoTime() - begin) / 1000.0 / looks;
        text.append(String.format(
                Locale.ROOT,
                "%nA ring of %,d slots that nobody has used keeps %,d bytes, a full one %,d: %.0f a slot. Finding one message's"
                        + " steps%nlooks at all slots and takes %.0f µs (%d found). Printed by `./switchboard bench ledger`.%n",
                size,
                empty,
                full,
                full / (double) size,
                lookMicros,
                found));
    }

    /** Bytes in use after collections. */
    private static long used() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}
