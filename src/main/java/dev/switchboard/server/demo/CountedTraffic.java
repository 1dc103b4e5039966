package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BinaryOperator;

/**
 * Customers who post a counted number of messages, each after the last was accepted, and agents who receive them;
 * all keep on through the loss of the server: they connect again, resume, and repeat what was not answered. At the
 * end everything that was accepted is compared with what the agents got and with the histories. Any thread may call it.
 */
public final class CountedTraffic implements AutoCloseable {
    /** How much traffic; {@code prefix} keeps the names of several runs on one server apart. */
    public record Plan(String prefix, int customers, int agents, int messagesEach) {}

    /**
     * What came of it. Everything but the first three and the last two must be 0.
     *
     * @param accepted posts that were answered as accepted
     * @param delivered different messages that arrived at agents
     * @param inHistories messages in the histories
     * @param lost accepted, but not in the history or not at an agent
     * @param doubled in the history or at the agents under two numbers
     * @param disordered in another order than posted, in the history or at an agent
     * @param gaps entries whose predecessor the receiver never got
     * @param refused posts that ended with a refusal that no retry can help
     * @param repeatedPosts posts that were sent again because they were not answered
     * @param resent entries that came again, recognised by their number and dropped
     */
    public record Report(
            long accepted,
            long delivered,
            long inHistories,
            long lost,
            long doubled,
            long disordered,
            long gaps,
            long refused,
            long repeatedPosts,
            long resent,
            List<String> examples) {
        /** True when accepted = delivered, once each and in order. */
        public boolean isClean() {
            return lost == 0
                    && doubled == 0
                    && disordered == 0
                    && gaps == 0
                    && refused == 0
                    && accepted == delivered
                    && accepted == inHistories;
        }
    }

    private final URI server;
    private final Plan plan;
    private final BinaryOperator<String> tokens;
    private final String queue;
    private final HttpClient http = WireClient.http();
    private final ScheduledExecutorService timer;
    private final List<Customer> customers = new ArrayList<>();
    private final List<Agent> agents = new ArrayList<>();
    private final CountDownLatch done;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong repeatedPosts = new AtomicLong();
    private final AtomicLong resent = new AtomicLong();
    private final AtomicLong gaps = new AtomicLong();
    private final List<String> examples = new ArrayList<>();

    /** Traffic on that server. {@code tokens} makes a token of a role and an id. */
    public CountedTraffic(URI server, Plan plan, BinaryOperator<String> tokens) {
        this.server = server;
        this.plan = plan;
        this.tokens = tokens;
        this.queue = plan.prefix() + "-queue";
        this.done = new CountDownLatch(plan.customers());
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread named = new Thread(task, "counted-traffic");
            named.setDaemon(true);
            return named;
        });
    }

    /** Traffic with development tokens. */
    public CountedTraffic(URI server, Plan plan) {
        this(server, plan, (role, id) -> "dev:" + role + ":" + id);
    }

    /** Makes the queue, opens every socket and begins. Throws IllegalStateException when the server refuses it. */
    public void start() {
        ApiClient operator = new ApiClient(http, server, tokens.apply("operator", plan.prefix() + "-op"));
        expect(operator.put(
                "/queues/" + queue,
                JsonNodeFactory.instance.objectNode().put("autoAccept", true).put("strategy", "least-loaded")));
        int capacity = Math.min(1000, (plan.customers() + plan.agents() - 1) / plan.agents() + 2);
        for (int i = 0; i < plan.agents(); i++) {
            Agent agent = new Agent(plan.prefix() + "-agent" + i);
            ObjectNode profile = JsonNodeFactory.instance.objectNode().put("capacity", capacity);
            profile.putArray("queues").add(queue);
            expect(operator.put("/agents/" + agent.name + "/profile", profile));
            agents.add(agent);
            agent.connect();
        }
        for (int i = 0; i < plan.customers(); i++) {
            Customer customer = new Customer(plan.prefix() + "-customer" + i);
            customers.add(customer);
            customer.connect();
        }
    }

    private static void expect(ApiClient.Answer answer) {
        if (answer.status() >= 300) {
            throw new IllegalStateException("the server answered " + answer.status() + ": " + answer.text());
        }
    }

    /** How many posts have been accepted so far. */
    public long accepted() {
        return accepted.get();
    }

    /** How many posts there will be. */
    public long planned() {
        return (long) plan.customers() * plan.messagesEach();
    }

    /** Waits until every post is accepted and every accepted message is at an agent; false when that took too long. */
    public boolean awaitDone(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        if (!done.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        CountDownLatch pause = new CountDownLatch(1);
        while (deliveredCount() < accepted.get()) {
            if (System.nanoTime() > deadline || pause.await(50, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return true;
    }

    private long deliveredCount() {
        return agents.stream()
                .flatMap(agent -> agent.texts.entrySet().stream())
                .map(heard -> heard.getKey())
                .distinct()
                .mapToLong(conv -> deliveredOf(conv).size())
                .sum();
    }

    /** What the agents got of a conversation, by number. */
    private Map<Long, String> deliveredOf(String conv) {
        Map<Long, String> all = new TreeMap<>();
        for (Agent agent : agents) {
            Map<Long, String> heard = agent.texts.get(conv);
            if (heard != null) {
                synchronized (heard) {
                    all.putAll(heard);
                }
            }
        }
        return all;
    }

    /** Reads every history and compares. */
    public Report report() {
        long lost = 0;
        long doubled = 0;
        long disordered = 0;
        long delivered = 0;
        long inHistories = 0;
        for (Customer customer : customers) {
            List<Integer> history = customer.history();
            List<Integer> atAgents = deliveredOf(customer.conv()).values().stream()
                    .map(Integer::valueOf)
                    .toList();
            inHistories += history.size();
            delivered += atAgents.stream().distinct().count();
            for (List<Integer> got : List.of(history, atAgents)) {
                long missing = customer.acceptedMessages().stream()
                        .filter(number -> !got.contains(number))
                        .count();
                long twice = got.size() - got.stream().distinct().count();
                long moved = outOfOrder(got);
                lost += missing;
                doubled += twice;
                disordered += moved;
                if (missing + twice + moved > 0) {
                    example(customer.name + " has " + got);
                }
            }
        }
        synchronized (examples) {
            return new Report(
                    accepted.get(),
                    delivered,
                    inHistories,
                    lost,
                    doubled,
                    disordered,
                    gaps.get(),
                    refused.get(),
                    repeatedPosts.get(),
                    resent.get(),
                    List.copyOf(examples));
        }
    }

    private static long outOfOrder(List<Integer> numbers) {
        long count = 0;
        for (int i = 1; i < numbers.size(); i++) {
            if (numbers.get(i) < numbers.get(i - 1)) {
                count++;
            }
        }
        return count;
    }

    private void example(String what) {
        synchronized (examples) {
            if (examples.size() < 10) {
                examples.add(what);
            }
        }
    }

    @Override
    public void close() {
        customers.forEach(Person::end);
        agents.forEach(Person::end);
        timer.shutdownNow();
    }

    /** Somebody who notices what comes twice, or behind a gap. Guarded by itself. */
    private abstract class Person extends ReconnectingClient {
        final String name;
        private final Map<String, Long> lastSeqs = new HashMap<>();

        Person(String role, String name) {
            super(http, server, tokens.apply(role, name), "counted", timer);
            this.name = name;
        }

        /** True for an entry that was not seen before; counts repeats and gaps. */
        final synchronized boolean isNew(JsonNode entry) {
            String conv = entry.path("conv").asText();
            long seq = entry.path("seq").asLong();
            Long last = lastSeqs.get(conv);
            if (last != null && seq <= last) {
                resent.incrementAndGet();
                return false;
            }
            if (last != null && entry.path("prev").asLong() != last) {
                gaps.incrementAndGet();
                example(name + " got seq " + seq + " of " + conv + " behind " + last + ", but its predecessor is "
                        + entry.path("prev").asLong());
            }
            lastSeqs.put(conv, seq);
            return true;
        }
    }

    private final class Customer extends Person {
        private final List<Integer> acceptedNumbers = new ArrayList<>();
        private String conv;
        private boolean opening;
        private int number;
        private boolean sentBefore;
        private long lastSeq;

        Customer(String name) {
            super("customer", name);
        }

        synchronized List<Integer> acceptedMessages() {
            return List.copyOf(acceptedNumbers);
        }

        synchronized String conv() {
            return conv == null ? "" : conv;
        }

        @Override
        protected void online(WireClient client) {
            if (conv == null) {
                open(client);
            } else {
                post(client);
            }
        }

        private synchronized void open(WireClient client) {
            if (opening) {
                return;
            }
            opening = true;
            var unused = client.request(Frames.of("open").put("queue", queue)).whenComplete((answer, failure) -> {
                synchronized (this) {
                    opening = false;
                    if (answer != null && Frames.is(answer, "reply")) {
                        conv = answer.path("conv").asText();
                        post(client);
                    } else {
                        retry();
                    }
                }
            });
        }

        private synchronized void post(WireClient client) {
            if (number == plan.messagesEach()) {
                return;
            }
            ObjectNode post = Frames.post(conv, "t-" + number, String.valueOf(number));
            if (number > 0) {
                post.put("after", "t-" + (number - 1));
            }
            if (sentBefore) {
                post.put("repeat", true);
                repeatedPosts.incrementAndGet();
            }
            sentBefore = true;
            int sent = number;
            var unused = client.request(post).whenComplete((answer, failure) -> answered(client, sent, answer));
        }

        /** {@code answer} is null when the socket was lost: then the next socket repeats the post. */
        private synchronized void answered(WireClient client, int sent, JsonNode answer) {
            if (answer == null || sent != number) {
                return;
            }
            if (Frames.is(answer, "reply")) {
                acceptedNumbers.add(sent);
                accepted.incrementAndGet();
                if (answer.path("seq").asLong() <= lastSeq) {
                    gaps.incrementAndGet();
                    example(name + " got seq " + answer.path("seq").asLong() + " for a post behind " + lastSeq);
                }
                lastSeq = answer.path("seq").asLong();
                number++;
                sentBefore = false;
                if (number == plan.messagesEach()) {
                    done.countDown();
                } else {
                    post(client);
                }
            } else if (answer.path("retryable").asBoolean()) {
                retry();
            } else {
                refused.incrementAndGet();
                example(name + " is refused: " + answer);
                done.countDown();
            }
        }

        private void retry() {
            later(() -> {
                WireClient now = current();
                if (now != null) {
                    online(now);
                }
            });
        }

        @Override
        protected void heard(WireClient client, JsonNode frame) {
            if (Frames.is(frame, "entry")) {
                boolean unused = isNew(frame);
            }
        }

        private List<Integer> history() {
            ApiClient api = new ApiClient(http, server, tokens.apply("customer", name));
            List<Integer> numbers = new ArrayList<>();
            long since = 1;
            boolean more = true;
            while (more) {
                ApiClient.Answer page = api.get(ApiClient.of(conv(), "/entries?limit=200&since=" + since));
                expect(page);
                for (JsonNode entry : page.json().path("entries")) {
                    since = entry.path("seq").asLong() + 1;
                    if (entry.path("kind").asText().equals("message")) {
                        numbers.add(Integer.valueOf(Frames.textOf(entry)));
                    }
                }
                more = page.json().path("hasMore").asBoolean();
            }
            return numbers;
        }
    }

    private final class Agent extends Person {
        private final Map<String, Map<Long, String>> texts = new ConcurrentHashMap<>();

        Agent(String name) {
            super("agent", name);
        }

        @Override
        protected void online(WireClient client) {
            client.send(Frames.status("available").put("id", "status"));
        }

        @Override
        protected void heard(WireClient client, JsonNode frame) {
            if (Frames.is(frame, "entry") && isNew(frame) && Frames.isMessage(frame)) {
                Map<Long, String> heard =
                        texts.computeIfAbsent(frame.path("conv").asText(), conv -> new TreeMap<>());
                synchronized (heard) {
                    heard.put(frame.path("seq").asLong(), Frames.textOf(frame));
                }
            }
        }
    }
}
