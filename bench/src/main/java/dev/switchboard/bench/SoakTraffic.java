package dev.switchboard.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.ReconnectingClient;
import dev.switchboard.server.demo.WireClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Customers who post at a steady pace to agents, while sockets are cut, clients stand still and terminals refuse. Some
 * messages are refused once, some always, so that they become dead letters; the queue goes on behind them. At the end each
 * accepted message must have been acknowledged, once by each owner that it reached, or be dead. Any thread may call it.
 */
final class SoakTraffic implements AutoCloseable {
    private static final String QUEUE = "soak";

    /** Of so many messages one is refused by every terminal, as often as it comes. */
    private static final int ALWAYS_REFUSED = 97;

    /** Of so many messages one is refused the first time an agent gets it. */
    private static final int REFUSED_ONCE = 31;

    private static final long STAND_STILL_MS = 8_000;
    private static final int TRAIL = 30;

    /** What came of it; {@code lost}, {@code doubled}, {@code disordered} and {@code refused} must be 0. */
    record Report(
            long accepted,
            long acknowledged,
            long dead,
            long lost,
            long doubled,
            long disordered,
            long refused,
            long repeatedPosts,
            long nacks,
            long cuts,
            long standStills,
            List<String> examples) {
        boolean isClean() {
            return lost == 0 && doubled == 0 && disordered == 0 && refused == 0 && acknowledged + dead == accepted;
        }
    }

    private final URI server;
    private final HttpClient http = WireClient.http();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread named = new Thread(task, "soak");
        named.setDaemon(true);
        return named;
    });
    private final SplittableRandom random = new SplittableRandom(11);
    private final List<Customer> customers = new ArrayList<>();
    private final List<Agent> agents = new ArrayList<>();
    private final Duration pace;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong repeatedPosts = new AtomicLong();
    private final AtomicLong nacks = new AtomicLong();
    private final AtomicLong disordered = new AtomicLong();
    private final AtomicLong cuts = new AtomicLong();
    private final AtomicLong standStills = new AtomicLong();
    private final List<String> examples = new ArrayList<>();
    private volatile boolean posting = true;
    private volatile boolean faults;

    /** {@code pace}: how long a customer waits from one message to the next. */
    SoakTraffic(URI server, int customers, int agents, Duration pace) {
        this.server = server;
        this.pace = pace;
        for (int i = 0; i < agents; i++) {
            this.agents.add(new Agent("soak-agent" + i));
        }
        for (int i = 0; i < customers; i++) {
            this.customers.add(new Customer("soak-customer" + i));
        }
    }

    private static String token(String role, String id) {
        return "dev:" + role + ":" + id;
    }

    /** Makes the queue and the agents, opens every socket and begins. */
    void start() {
        ApiClient operator = operator();
        expect(operator.put(
                "/queues/" + QUEUE,
                JsonNodeFactory.instance
                        .objectNode()
                        .put("autoAccept", true)
                        .put("strategy", "least-loaded")
                        .put("deadLetters", "skip")));
        int capacity = Math.min(1000, 2 * customers.size() / agents.size() + 2);
        for (Agent agent : agents) {
            ObjectNode profile = JsonNodeFactory.instance.objectNode().put("capacity", capacity);
            profile.putArray("queues").add(QUEUE);
            expect(operator.put("/agents/" + agent.name + "/profile", profile));
            agent.connect();
        }
        customers.forEach(Customer::connect);
        long everyMs = Math.max(1, pace.toMillis() / customers.size());
        var unused = timer.scheduleAtFixedRate(new Round(), everyMs, everyMs, TimeUnit.MILLISECONDS);
        var unusedToo = timer.scheduleAtFixedRate(this::fault, 500, 500, TimeUnit.MILLISECONDS);
    }

    private ApiClient operator() {
        return new ApiClient(http, server, token("operator", "soak-op"));
    }

    private static ApiClient.Answer expect(ApiClient.Answer answer) {
        if (answer.status() >= 300) {
            throw new IllegalStateException("the server answered " + answer.status() + ": " + answer.text());
        }
        return answer;
    }

    /** Begins or ends the faults of clients. */
    void faults(boolean on) {
        faults = on;
    }

    /** Asks for no more posts; those under way go on. */
    void stopPosting() {
        posting = false;
    }

    long accepted() {
        return accepted.get();
    }

    /** Waits until every post is answered and every accepted message is acknowledged or dead; false: not in time. */
    boolean awaitSettled(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        CountDownLatch never = new CountDownLatch(1);
        while (System.nanoTime() < deadline) {
            if (customers.stream().noneMatch(Customer::isPosting)) {
                Map<String, Set<Integer>> dead = dead();
                if (customers.stream()
                        .allMatch(customer -> customer.missing(dead).isEmpty())) {
                    return true;
                }
            }
            boolean unused = never.await(500, TimeUnit.MILLISECONDS);
        }
        return false;
    }

    /** Reads every history and compares. */
    Report report() {
        Map<String, Set<Integer>> dead = dead();
        long lost = 0;
        long doubled = 0;
        long moved = disordered.get();
        long acknowledged = 0;
        long given = 0;
        for (Customer customer : customers) {
            List<Integer> history = customer.history();
            Set<Integer> missing = new TreeSet<>(customer.acceptedNumbers());
            missing.removeAll(history);
            missing.addAll(customer.missing(dead));
            lost += missing.size();
            doubled += history.size() - new HashSet<>(history).size();
            for (int i = 1; i < history.size(); i++) {
                moved += history.get(i) < history.get(i - 1) ? 1 : 0;
            }
            Set<Integer> taken = taken(customer.conv());
            acknowledged += taken.size();
            Set<Integer> onlyDead = new HashSet<>(dead.getOrDefault(customer.conv(), Set.of()));
            onlyDead.removeAll(taken);
            given += onlyDead.size();
            if (!missing.isEmpty()) {
                example(customer.name + " misses " + missing + ", "
                        + operator().get(ApiClient.of(customer.conv(), "")).text() + ", "
                        + operator()
                                .get("/dead-letters?conv=" + ApiClient.segment(customer.conv()))
                                .text()
                        + agents.stream()
                                .map(agent -> agent.trail(customer.conv()))
                                .toList());
            }
        }
        synchronized (examples) {
            return new Report(
                    accepted.get(),
                    acknowledged,
                    given,
                    lost,
                    doubled,
                    moved,
                    refused.get(),
                    repeatedPosts.get(),
                    nacks.get(),
                    cuts.get(),
                    standStills.get(),
                    List.copyOf(examples));
        }
    }

    /** The numbers of the dead letters of each conversation. */
    private Map<String, Set<Integer>> dead() {
        Map<String, Set<Integer>> dead = new HashMap<>();
        String cursor = "";
        do {
            JsonNode page = expect(operator().get("/dead-letters?queue=" + QUEUE + "&state=dead&limit=200" + cursor))
                    .json();
            for (JsonNode letter : page.path("items")) {
                dead.computeIfAbsent(letter.path("conv").asText(), conv -> new HashSet<>())
                        .add(Integer.valueOf(letter.path("clientMsgId").asText().substring(2)));
            }
            cursor = page.hasNonNull("cursor")
                    ? "&cursor=" + ApiClient.segment(page.path("cursor").asText())
                    : "";
        } while (!cursor.isEmpty());
        return dead;
    }

    /** What any agent acknowledged of a conversation. */
    private Set<Integer> taken(String conv) {
        Set<Integer> taken = new HashSet<>();
        agents.forEach(agent -> taken.addAll(agent.taken(conv)));
        return taken;
    }

    private void example(String what) {
        synchronized (examples) {
            if (examples.size() < 10) {
                examples.add(what);
            }
        }
    }

    // ---- faults of clients ----

    private void fault() {
        if (!faults) {
            return;
        }
        ReconnectingClient victim = random.nextInt(4) == 0
                ? agents.get(random.nextInt(agents.size()))
                : customers.get(random.nextInt(customers.size()));
        if (random.nextInt(3) > 0) {
            cuts.incrementAndGet();
            victim.cut();
            return;
        }
        WireClient open = open(victim);
        if (open != null) {
            standStills.incrementAndGet();
            open.pause();
            var unused = timer.schedule(open::goOn, STAND_STILL_MS, TimeUnit.MILLISECONDS);
        }
    }

    private static WireClient open(ReconnectingClient of) {
        return of instanceof Customer customer ? customer.socket() : ((Agent) of).socket();
    }

    /** One customer after the other. */
    private final class Round implements Runnable {
        private int next;

        @Override
        public void run() {
            if (posting) {
                customers.get(next++ % customers.size()).postNext();
            }
        }
    }

    @Override
    public void close() {
        customers.forEach(ReconnectingClient::end);
        agents.forEach(ReconnectingClient::end);
        timer.shutdownNow();
    }

    /** Posts one message after the other, each again until it is answered. Guarded by itself. */
    private final class Customer extends ReconnectingClient {
        private final String name;
        private final List<Integer> acceptedNumbers = new ArrayList<>();
        private String conv = "";
        private boolean opening;

        /** Which one is under way; −1: none. */
        private int underWay = -1;

        private int number;

        Customer(String name) {
            super(http, server, token("customer", name), "soak", timer);
            this.name = name;
        }

        synchronized String conv() {
            return conv;
        }

        synchronized List<Integer> acceptedNumbers() {
            return List.copyOf(acceptedNumbers);
        }

        synchronized boolean isPosting() {
            return underWay >= 0;
        }

        WireClient socket() {
            return current();
        }

        /** Accepted, but neither acknowledged by anybody nor dead. */
        Set<Integer> missing(Map<String, Set<Integer>> dead) {
            Set<Integer> missing = new TreeSet<>(acceptedNumbers());
            missing.removeAll(taken(conv()));
            missing.removeAll(dead.getOrDefault(conv(), Set.of()));
            return missing;
        }

        @Override
        protected synchronized void online(WireClient client) {
            if (conv.isEmpty()) {
                open(client);
            } else if (underWay >= 0) {
                repeatedPosts.incrementAndGet();
                send(client, true);
            }
        }

        private void open(WireClient client) {
            if (opening) {
                return;
            }
            opening = true;
            var unused = client.request(Frames.of("open").put("queue", QUEUE)).whenComplete((answer, failure) -> {
                synchronized (this) {
                    opening = false;
                    if (answer != null && Frames.is(answer, "reply")) {
                        conv = answer.path("conv").asText();
                    } else {
                        later(this::again);
                    }
                }
            });
        }

        synchronized void postNext() {
            WireClient client = current();
            if (underWay < 0 && client != null && !conv.isEmpty()) {
                underWay = number++;
                send(client, false);
            }
        }

        private void send(WireClient client, boolean repeat) {
            int sent = underWay;
            ObjectNode post = Frames.post(conv, "t-" + sent, String.valueOf(sent));
            if (sent > 0) {
                post.put("after", "t-" + (sent - 1));
            }
            if (repeat) {
                post.put("repeat", true);
            }
            var unused = client.request(post).whenComplete((answer, failure) -> answered(sent, answer));
        }

        /** {@code answer} is null when the socket was lost: then the next one repeats the post. */
        private synchronized void answered(int sent, JsonNode answer) {
            if (answer == null || sent != underWay) {
                return;
            }
            if (Frames.is(answer, "reply")) {
                acceptedNumbers.add(sent);
                accepted.incrementAndGet();
                underWay = -1;
            } else if (answer.path("retryable").asBoolean()) {
                later(this::again);
            } else {
                refused.incrementAndGet();
                example(name + " is refused: " + answer);
                underWay = -1;
            }
        }

        private void again() {
            WireClient now = current();
            if (now != null) {
                online(now);
            }
        }

        @Override
        protected void heard(WireClient client, JsonNode frame) {
            // It reads nothing but answers.
        }

        private List<Integer> history() {
            ApiClient api = new ApiClient(http, server, token("customer", name));
            List<Integer> numbers = new ArrayList<>();
            long since = 1;
            boolean more = true;
            while (more) {
                JsonNode page = expect(api.get(ApiClient.of(conv(), "/entries?limit=200&since=" + since)))
                        .json();
                for (JsonNode entry : page.path("entries")) {
                    since = entry.path("seq").asLong() + 1;
                    if (entry.path("kind").asText().equals("message")) {
                        numbers.add(Integer.valueOf(Frames.textOf(entry)));
                    }
                }
                more = page.path("hasMore").asBoolean();
            }
            return numbers;
        }
    }

    /** Acknowledges, but refuses some. Guarded by itself. */
    private final class Agent extends ReconnectingClient {
        private final String name;
        private final Map<String, TreeSet<Integer>> taken = new HashMap<>();

        /** The last entry of each conversation that it took. */
        private final Map<String, Long> last = new HashMap<>();

        private final Set<String> refusedOnce = new HashSet<>();

        /** The latest frames about each conversation, for the report. */
        private final Map<String, ArrayDeque<String>> trail = new HashMap<>();

        Agent(String name) {
            super(http, server, token("agent", name), "soak", timer);
            this.name = name;
        }

        WireClient socket() {
            return current();
        }

        synchronized Set<Integer> taken(String conv) {
            return Set.copyOf(taken.getOrDefault(conv, new TreeSet<>()));
        }

        @Override
        protected WireClient.Builder configured(WireClient.Builder builder) {
            return builder.withoutAcks();
        }

        /** Behind what it took: what it refused, and what came behind that, it has not got. */
        @Override
        protected synchronized void resume(WireClient.Builder next, WireClient earlier) {
            last.forEach((conv, seq) -> {
                note(conv, "resumes after " + seq);
                next.resume(conv, seq, earlier.position(conv).log());
            });
        }

        @Override
        protected void online(WireClient client) {
            client.send(Frames.status("available").put("id", "status"));
        }

        @Override
        protected synchronized void heard(WireClient client, JsonNode frame) {
            if (!Frames.is(frame, "entry")) {
                if (Frames.is(frame, "error") || Frames.is(frame, "bye")) {
                    last.keySet().forEach(each -> note(each, frame.toString()));
                }
                return;
            }
            String conv = frame.path("conv").asText();
            long seq = frame.path("seq").asLong();
            Long before = last.get(conv);
            if (before != null && frame.path("prev").asLong() > before) {
                // It was under way when one before it was refused; it comes again behind that one.
                note(conv, "left " + seq + " behind " + frame.path("prev").asLong());
                return;
            }
            if (!Frames.isMessage(frame)) {
                take(client, conv, seq);
                return;
            }
            int number = Integer.parseInt(Frames.textOf(frame));
            boolean always = number % ALWAYS_REFUSED == 13;
            if (always || (number % REFUSED_ONCE == 7 && refusedOnce.add(conv + " " + seq))) {
                nacks.incrementAndGet();
                note(conv, "refused " + seq);
                client.send(
                        Frames.of("nack").put("conv", conv).put("seq", seq).put("code", always ? "never" : "not-now"));
                return;
            }
            TreeSet<Integer> numbers = taken.computeIfAbsent(conv, none -> new TreeSet<>());
            if (!numbers.contains(number) && !numbers.isEmpty() && number < numbers.last()) {
                disordered.incrementAndGet();
                example(name + " got " + number + " of " + conv + " behind " + numbers.last());
            }
            numbers.add(number);
            take(client, conv, seq);
        }

        synchronized String trail(String conv) {
            return trail.getOrDefault(conv, new ArrayDeque<>()).toString();
        }

        private void note(String conv, String what) {
            ArrayDeque<String> notes = trail.computeIfAbsent(conv, none -> new ArrayDeque<>());
            notes.add(what);
            if (notes.size() > TRAIL) {
                notes.removeFirst();
            }
        }

        private void take(WireClient client, String conv, long seq) {
            note(conv, "took " + seq);
            last.merge(conv, seq, Math::max);
            client.send(Frames.ack(conv, seq));
        }
    }
}
