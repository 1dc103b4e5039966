package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A dozen customers and three agents beside a server: real clients over real sockets, who leave room for the people who
 * try it. Needs a server that takes development tokens. {@link #start} and {@link #close} may be called from any
 * thread; everything else runs on the hall's own thread.
 */
public final class ServiceHall implements AutoCloseable {
    private static final List<String> AGENTS = List.of("mara", "jonas", "priya");
    private static final List<String> CUSTOMERS = List.of(
            "amelie", "bogdan", "chloe", "dario", "elif", "farah", "goran", "hana", "ivo", "jana", "kofi", "lena");
    private static final int CAPACITY = 5;
    private static final int MOST_AT_ONCE = 8;
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(4);

    private final URI server;
    private final Pace pace;
    private final PrintWriter out;
    private final HttpClient http = WireClient.http();
    private final Random random;
    private final String runId;
    private final ScheduledExecutorService thread;
    private final List<SimulatedAgent> agents = new ArrayList<>();
    private final List<SimulatedCustomer> customers = new ArrayList<>();
    private final Set<String> names = Set.copyOf(CUSTOMERS);
    private volatile boolean closing;
    private long messages;
    private long lastLineNs;

    /**
     * A hall beside that server.
     *
     * @param server the server's address without a path, such as {@code http://127.0.0.1:8080}
     * @param out where it tells what happens
     */
    public ServiceHall(URI server, Pace pace, PrintWriter out) {
        this(server, pace, out, System.nanoTime());
    }

    ServiceHall(URI server, Pace pace, PrintWriter out, long seed) {
        this.server = server;
        this.pace = pace;
        this.out = out;
        this.random = new Random(seed);
        // Requests of an earlier demo on the same data must not look like repeats.
        this.runId = Long.toString(System.currentTimeMillis(), 36);
        ScheduledThreadPoolExecutor one = new ScheduledThreadPoolExecutor(1, task -> {
            Thread named = new Thread(task, "service-hall");
            named.setDaemon(true);
            return named;
        });
        one.setRemoveOnCancelPolicy(true);
        this.thread = one;
    }

    /** Opens the hall and prints the addresses to open. */
    public void start() {
        out.println();
        out.println("  Open the customer's chat:  " + server + "/chat");
        out.println("  Open the agent's desk:     " + server + "/desk");
        out.println();
        out.println("  " + CUSTOMERS.size() + " simulated customers write, and " + AGENTS.size() + " simulated agents ("
                + String.join(", ", AGENTS) + ") answer. Ctrl-C ends it.");
        out.println();
        out.flush();
        run(() -> {
            giveProfiles();
            for (String name : AGENTS) {
                SimulatedAgent agent = new SimulatedAgent(this, name);
                agents.add(agent);
                agent.comeOnline();
                agent.planBreak();
            }
            for (int i = 0; i < CUSTOMERS.size(); i++) {
                SimulatedCustomer customer = new SimulatedCustomer(this, CUSTOMERS.get(i));
                customers.add(customer);
                customer.comeAfter(Duration.ofMillis(400 + 700L * i * i));
            }
        });
    }

    private void giveProfiles() {
        ApiClient operator = new ApiClient(http, server, "dev:operator:demo");
        for (String name : AGENTS) {
            ObjectNode profile = JsonNodeFactory.instance.objectNode().put("capacity", CAPACITY);
            profile.putArray("queues").add("default");
            profile.putArray("skills");
            try {
                ApiClient.Answer answer = operator.put("/agents/" + name + "/profile", profile);
                if (answer.status() >= 300) {
                    tell("the profile of " + name + " was refused: " + answer.code());
                }
            } catch (UncheckedIOException e) {
                // Without a profile the agents work with the default capacity.
                tell("the profile of " + name + " could not be set: " + e.getMessage());
            }
        }
    }

    /** Sends everybody home and waits for it, at most three seconds. */
    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        try {
            thread.execute(() -> {
                customers.forEach(SimulatedPerson::goOffline);
                agents.forEach(SimulatedPerson::goOffline);
                out.println("  the hall closes after " + messages + " messages");
                out.flush();
                thread.shutdownNow();
            });
            boolean unused = thread.awaitTermination(3, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            out.flush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.shutdownNow();
    }

    // ---- for the people in the hall ----

    void run(Runnable task) {
        if (thread.isShutdown()) {
            return;
        }
        try {
            thread.execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            // The hall closed in this moment: there is nobody left to hear it.
            closing = true;
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            out.println("  (the hall stumbled: " + e + ")");
            out.flush();
        }
    }

    /** Does it after a person's time, at the hall's pace. */
    void later(Duration ofAPerson, Runnable task) {
        schedule(pace.millis(ofAPerson), task);
    }

    /** Does it after that time, whatever the pace. */
    void laterExactly(Duration wait, Runnable task) {
        schedule(wait.toMillis(), task);
    }

    private void schedule(long millis, Runnable task) {
        if (closing) {
            return;
        }
        try {
            var unused = thread.schedule(
                    () -> {
                        if (!closing) {
                            guarded(task);
                        }
                    },
                    millis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            closing = true;
        }
    }

    HttpClient http() {
        return http;
    }

    URI socket() {
        return URI.create("ws" + server.toString().substring("http".length()) + "/api/v1/socket");
    }

    Random random() {
        return random;
    }

    /** Distinguishes this hall's requests from those of an earlier one. */
    String runId() {
        return runId;
    }

    boolean isClosing() {
        return closing;
    }

    boolean isSimulated(String customer) {
        return names.contains(customer);
    }

    /** True while the hall has room for one more, so that real people needn't wait behind simulated ones. */
    boolean mayCome() {
        return customers.stream().filter(SimulatedCustomer::isActive).count() < MOST_AT_ONCE;
    }

    /** At most one agent is away at a time. */
    boolean mayTakeBreak() {
        return agents.stream().noneMatch(SimulatedAgent::isOnBreak);
    }

    /** Another agent who is there, or null. */
    String colleagueOf(SimulatedAgent agent) {
        List<SimulatedAgent> others = agents.stream()
                .filter(other -> other != agent && other.isOnline() && !other.isOnBreak())
                .filter(other -> other.talkCount() < CAPACITY)
                .toList();
        return others.isEmpty() ? null : others.get(random.nextInt(others.size())).name;
    }

    void countMessage() {
        messages++;
    }

    /** Prints a line now and then: what comes too soon after the last one is not told. */
    void tell(String line) {
        long now = System.nanoTime();
        if (lastLineNs == 0 || now - lastLineNs > TimeUnit.MILLISECONDS.toNanos(pace.millis(BETWEEN_LINES))) {
            lastLineNs = now;
            long here = customers.stream().filter(SimulatedCustomer::isActive).count();
            out.println("  " + line + "  (" + here + " customers here, " + messages + " messages)");
            out.flush();
        }
    }
}
