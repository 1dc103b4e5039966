package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Customers who post at a steady rate over HTTP while their server's database comes and goes, and a count of what became
 * of each post. Each customer has one post under way at a time, names his last successful one as {@code after}, and is
 * late rather than silent when answers take long. {@link #start}, {@link #finish} and {@link #check} are for one thread.
 */
public final class OutageTraffic implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    private static final int RETRY_MS = 200;

    /**
     * What is sent.
     *
     * @param prefix what customers' names begin with
     * @param perSecond posts of all customers together
     * @param insist true: what is refused is sent again under its id until it is accepted or spooled; false: a refusal is
     *     final, but what got no answer is sent again
     */
    public record Plan(String prefix, int customers, int perSecond, boolean insist) {}

    /**
     * What became of it.
     *
     * @param posts how many different posts were sent
     * @param refused by code, those that were refused in the end
     * @param refusedMeanwhile by code, the refusals after which a post was sent again
     * @param unanswered posts that never got an answer
     * @param lost answered {@code accepted} or {@code spooled} and not in the journal
     * @param doubled in the journal more than once
     * @param disordered behind a later one of the same sender
     * @param refusedYetWritten answered with a refusal and in the journal once: an unknown outcome that was written
     * @param slowestMs the longest that a post waited for its final answer
     */
    public record Report(
            int posts,
            int accepted,
            int spooled,
            Map<String, Integer> refused,
            Map<String, Integer> refusedMeanwhile,
            int unanswered,
            int lost,
            int doubled,
            int disordered,
            int refusedYetWritten,
            long slowestMs) {
        /** True when each accepted or spooled post is in the journal once and in order, and every other has a code. */
        public boolean isClean() {
            return unanswered == 0
                    && lost == 0
                    && doubled == 0
                    && disordered == 0
                    && accepted
                                    + spooled
                                    + refused.values().stream()
                                            .mapToInt(Integer::intValue)
                                            .sum()
                            == posts;
        }
    }

    private enum State {
        UNDER_WAY,
        ACCEPTED,
        SPOOLED,
        REFUSED
    }

    private static final class SentPost {
        private final String id;
        private final long dueNanos;
        private State state = State.UNDER_WAY;
        private String code;
        private long answeredNanos;

        SentPost(String id, long dueNanos) {
            this.id = id;
            this.dueNanos = dueNanos;
        }
    }

    /** One customer; everything under its own monitor. */
    private final class Customer {
        private final String name;
        private final List<SentPost> posts = new ArrayList<>();
        private long nextNanos;
        private String after;
        private boolean busy;

        Customer(String name, long firstNanos) {
            this.name = name;
            this.nextNanos = firstNanos;
        }

        private synchronized void tick(long now) {
            if (busy || stopping || now - nextNanos < 0) {
                return;
            }
            busy = true;
            SentPost post = new SentPost(name + "-" + posts.size(), nextNanos);
            posts.add(post);
            nextNanos += intervalNanos;
            underWay.incrementAndGet();
            send(post, false);
        }

        private void send(SentPost post, boolean repeat) {
            String text = "{\"body\":{\"type\":\"text\",\"text\":\"" + post.id + " of a customer in an outage\"}"
                    + (after == null ? "" : ",\"after\":\"" + after + "\"") + (repeat ? ",\"repeat\":true}" : "}");
            HttpRequest request = request(name, "/conversations/c-" + name + "/messages", text)
                    .header("Idempotency-Key", post.id)
                    .build();
            CompletableFuture<?> unused = client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                    .whenComplete((answer, failure) -> answered(post, answer, failure));
        }

        private synchronized void answered(SentPost post, HttpResponse<byte[]> answer, Throwable failure) {
            int status = failure == null ? answer.statusCode() : 0;
            if (status == 200 || status == 201 || status == 202) {
                end(post, status == 202 ? State.SPOOLED : State.ACCEPTED, null);
                after = post.id;
                return;
            }
            String code = status == 0 ? "no-answer" : code(answer);
            if (plan.insist() || status == 0) {
                synchronized (meanwhile) {
                    meanwhile.merge(code, 1, Integer::sum);
                }
                ScheduledFuture<?> unused = timer.schedule(() -> again(post), RETRY_MS, TimeUnit.MILLISECONDS);
            } else {
                end(post, State.REFUSED, code);
            }
        }

        private synchronized void again(SentPost post) {
            send(post, true);
        }

        private void end(SentPost post, State state, String code) {
            post.state = state;
            post.code = code;
            post.answeredNanos = System.nanoTime();
            busy = false;
            underWay.decrementAndGet();
        }
    }

    private final Plan plan;
    private final URI server;
    private final long intervalNanos;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger underWay = new AtomicInteger();
    private final Map<String, Integer> meanwhile = new TreeMap<>();
    private final List<Customer> customers = new ArrayList<>();
    private volatile boolean stopping;

    public OutageTraffic(URI server, Plan plan) {
        this.server = server;
        this.plan = plan;
        this.intervalNanos = 1_000_000_000L * plan.customers() / plan.perSecond();
    }

    private HttpRequest.Builder request(String customer, String path, String body) {
        return HttpRequest.newBuilder(server.resolve("/api/v1" + path))
                .timeout(ANSWER_LIMIT)
                .header("Authorization", "Bearer dev:customer:" + customer)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private static String code(HttpResponse<byte[]> answer) {
        try {
            JsonNode problem = JSON.readTree(answer.body());
            return problem.path("code").asText("status-" + answer.statusCode());
        } catch (IOException e) {
            return "status-" + answer.statusCode();
        }
    }

    /** Opens the customers' conversations and begins to post. */
    public void start() {
        List<CompletableFuture<HttpResponse<byte[]>>> opened = new ArrayList<>();
        for (int i = 0; i < plan.customers(); i++) {
            HttpRequest open =
                    request(plan.prefix() + i, "/conversations", "{}").build();
            opened.add(client.sendAsync(open, HttpResponse.BodyHandlers.ofByteArray()));
        }
        for (CompletableFuture<HttpResponse<byte[]>> each : opened) {
            if (each.join().statusCode() / 100 != 2) {
                throw new IllegalStateException(
                        "a conversation could not be opened: " + each.join().statusCode());
            }
        }
        long now = System.nanoTime();
        for (int i = 0; i < plan.customers(); i++) {
            customers.add(new Customer(plan.prefix() + i, now + intervalNanos * i / plan.customers()));
        }
        ScheduledFuture<?> unused = timer.scheduleWithFixedDelay(this::tick, 0, 2, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        long now = System.nanoTime();
        for (Customer customer : customers) {
            customer.tick(now);
        }
    }

    /** How many posts were answered so far with {@code accepted}, or with {@code spooled}. */
    public int answered(boolean spooled) {
        int count = 0;
        for (Customer customer : customers) {
            synchronized (customer) {
                for (SentPost post : customer.posts) {
                    count += post.state == (spooled ? State.SPOOLED : State.ACCEPTED) ? 1 : 0;
                }
            }
        }
        return count;
    }

    /** Sends no further posts, and waits until those under way are answered. False when that takes too long. */
    public boolean finish(Duration patience) throws InterruptedException {
        stopping = true;
        return await(() -> underWay.get() == 0, patience);
    }

    /** A question that is asked again until the answer is yes. */
    @FunctionalInterface
    public interface Question {
        boolean ask() throws InterruptedException;
    }

    /** Asks until the answer is yes; false when it isn't within {@code patience}. */
    public static boolean await(Question question, Duration patience) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long deadline = System.nanoTime() + patience.toNanos();
        while (!question.ask()) {
            if (System.nanoTime() - deadline > 0 || never.await(50, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return true;
    }

    /** Compares the answers with the journal, once all that was spooled is in it or {@code patience} is over. */
    public Report check(String url, String user, String password, Duration patience) throws InterruptedException {
        List<Map<String, List<Long>>> found = new ArrayList<>();
        boolean unused = await(
                () -> {
                    found.clear();
                    found.add(journal(url, user, password));
                    return compare(found.get(0)).lost() == 0;
                },
                patience);
        return compare(found.get(0));
    }

    /** The entries' seqs in the journal by their client's id. */
    private Map<String, List<Long>> journal(String url, String user, String password) {
        Map<String, List<Long>> seqs = new HashMap<>();
        try (Connection connection = DriverManager.getConnection(url, user, password);
                PreparedStatement rows =
                        connection.prepareStatement("SELECT client_msg_id, entry_seq FROM event_journal"
                                + " WHERE client_msg_id IS NOT NULL AND client_msg_id LIKE ?")) {
            rows.setString(1, plan.prefix() + "%");
            try (ResultSet row = rows.executeQuery()) {
                while (row.next()) {
                    seqs.computeIfAbsent(row.getString(1), id -> new ArrayList<>(1))
                            .add(row.getLong(2));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the journal can't be read", e);
        }
        return seqs;
    }

    private Report compare(Map<String, List<Long>> journal) {
        Map<State, Integer> count = new EnumMap<>(State.class);
        int posts = 0;
        int lost = 0;
        int doubled = 0;
        int disordered = 0;
        int refusedYetWritten = 0;
        long slowestNanos = 0;
        Map<String, Integer> refused = new TreeMap<>();
        for (Customer customer : customers) {
            synchronized (customer) {
                long last = 0;
                for (SentPost post : customer.posts) {
                    posts++;
                    count.merge(post.state, 1, Integer::sum);
                    List<Long> seqs = journal.getOrDefault(post.id, List.of());
                    boolean promised = post.state == State.ACCEPTED || post.state == State.SPOOLED;
                    lost += promised && seqs.isEmpty() ? 1 : 0;
                    doubled += seqs.size() > 1 ? 1 : 0;
                    disordered += !seqs.isEmpty() && seqs.get(0) < last ? 1 : 0;
                    last = seqs.isEmpty() ? last : Math.max(last, seqs.get(0));
                    if (post.state == State.REFUSED) {
                        refused.merge(post.code, 1, Integer::sum);
                        refusedYetWritten += seqs.isEmpty() ? 0 : 1;
                    }
                    slowestNanos = Math.max(slowestNanos, post.answeredNanos - post.dueNanos);
                }
            }
        }
        Map<String, Integer> again;
        synchronized (meanwhile) {
            again = new TreeMap<>(meanwhile);
        }
        return new Report(
                posts,
                count.getOrDefault(State.ACCEPTED, 0),
                count.getOrDefault(State.SPOOLED, 0),
                refused,
                again,
                count.getOrDefault(State.UNDER_WAY, 0),
                lost,
                doubled,
                disordered,
                refusedYetWritten,
                slowestNanos / 1_000_000);
    }

    @Override
    public void close() {
        stopping = true;
        timer.shutdownNow();
    }
}
