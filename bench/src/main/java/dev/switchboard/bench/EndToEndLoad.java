package dev.switchboard.bench;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Customers with one message in flight each, and the agents who get them, on one {@link LoadLoop}. Everything here
 * runs on the loop's thread. Each person acknowledges every entry. A customer posts its next message when the last
 * is answered; the time from a post's writing to its reply, and to its entry at the agent, goes into the histograms.
 */
final class EndToEndLoad {
    private static final int REMEMBERED = 1024;
    private static final long RETRY_MS = 20;
    private static final byte[] ENTRY = FrameScan.ascii("entry");
    private static final byte[] REPLY = FrameScan.ascii("reply");
    private static final byte[] ERROR = FrameScan.ascii("error");
    private static final byte[] WELCOME = FrameScan.ascii("welcome");
    private static final byte[] PING = FrameScan.ascii("ping");
    private static final byte[] OFFER = FrameScan.ascii("offer");
    private static final byte[] MESSAGE = FrameScan.ascii("message");
    private static final byte[] PONG = FrameScan.ascii("{\"type\":\"pong\"}");

    /** What happened in one round. Times are nanoseconds. */
    record Round(
            long accepted,
            long delivered,
            long durationNs,
            Histogram toReply,
            Histogram toAgent,
            Map<String, Long> refusals) {}

    /** How the load stands. */
    record Standing(
            int agentsReady,
            int customersReady,
            int customersServed,
            int inFlight,
            long accepted,
            long delivered,
            String trouble) {}

    private final LoadLoop loop;
    private final Customer[] customers;
    private final byte[] text;
    private final byte[] scratch = new byte[4096];
    private Histogram toReply = histogram();
    private Histogram toAgent = histogram();
    private final Map<String, Long> refusals = new TreeMap<>();
    private boolean posting;
    private int agentsReady;
    private int customersReady;
    private int customersServed;
    private long accepted;
    private long delivered;
    private long roundAccepted;
    private long roundDelivered;
    private long roundStartNs;
    private String trouble;

    EndToEndLoad(LoadLoop loop, int customers, int textBytes) {
        this.loop = loop;
        this.customers = new Customer[customers];
        byte[] filler = new byte[textBytes];
        Arrays.fill(filler, (byte) 'x');
        this.text = filler;
    }

    static Histogram histogram() {
        return new Histogram(60_000_000_000L, 3);
    }

    void openAgent(String name) {
        loop.connect(new Agent(name));
    }

    void openCustomer(int index, String name) {
        customers[index] = new Customer(index, name);
        loop.connect(customers[index]);
    }

    /** Each customer's first message, which opens its conversation. */
    void firstMessages() {
        for (Customer customer : customers) {
            customer.post();
        }
    }

    void post(boolean on) {
        boolean starts = on && !posting;
        posting = on;
        if (starts) {
            for (Customer customer : customers) {
                customer.post();
            }
        }
    }

    Standing standing() {
        int inFlight = 0;
        for (Customer customer : customers) {
            inFlight += customer != null && customer.inFlight ? 1 : 0;
        }
        return new Standing(agentsReady, customersReady, customersServed, inFlight, accepted, delivered, trouble);
    }

    /** Ends a round and begins the next. */
    Round nextRound() {
        long now = System.nanoTime();
        Round round = new Round(
                accepted - roundAccepted,
                delivered - roundDelivered,
                now - roundStartNs,
                toReply,
                toAgent,
                new TreeMap<>(refusals));
        toReply = histogram();
        toAgent = histogram();
        refusals.clear();
        roundAccepted = accepted;
        roundDelivered = delivered;
        roundStartNs = now;
        return round;
    }

    private void trouble(String what) {
        if (trouble == null) {
            trouble = what;
        }
    }

    private int put(int at, byte[] bytes) {
        System.arraycopy(bytes, 0, scratch, at, bytes.length);
        return at + bytes.length;
    }

    private int put(int at, long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        long rest = number;
        for (int place = at + digits - 1; place >= at; place--) {
            scratch[place] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return at + digits;
    }

    private static final byte[] ACK_HEAD = FrameScan.ascii("{\"type\":\"ack\",\"conv\":\"");
    private static final byte[] ACK_SEQ = FrameScan.ascii("\",\"seq\":");
    private static final byte[] END = FrameScan.ascii("}");

    private void ack(LoadConnection connection, FrameScan entry) {
        int at = put(0, ACK_HEAD);
        at = entry.copy(FrameScan.CONV, scratch, at);
        at = put(at, ACK_SEQ);
        at = entry.copy(FrameScan.SEQ, scratch, at);
        connection.send(scratch, put(at, END));
    }

    private static byte[] hello(String token) {
        return FrameScan.ascii("{\"type\":\"hello\",\"token\":\"" + token + "\",\"terminal\":\"bench\"}");
    }

    private void pong(LoadConnection connection) {
        connection.send(PONG, PONG.length);
    }

    /** One customer and its only message in flight. */
    private final class Customer implements LoadConnection.Person {
        private final String name;
        private final byte[] head;
        private final long[] sentNs = new long[REMEMBERED];
        private LoadConnection connection;
        private boolean inFlight;
        private long number;
        private long lastAtAgent;

        Customer(int index, String name) {
            this.name = name;
            this.head = FrameScan.ascii("\",\"clientMsgId\":\"b" + index + "-");
        }

        private static final byte[] POST_ID = FrameScan.ascii("{\"type\":\"post\",\"id\":\"");
        private static final byte[] POST_BODY = FrameScan.ascii("\",\"body\":{\"type\":\"text\",\"text\":\"");
        private static final byte[] POST_END = FrameScan.ascii("\"}}");

        private void post() {
            if (inFlight) {
                return;
            }
            inFlight = true;
            number++;
            send();
        }

        private void send() {
            int at = put(0, POST_ID);
            at = put(at, number);
            at = put(at, head);
            at = put(at, number);
            at = put(at, POST_BODY);
            at = put(at, text);
            at = put(at, POST_END);
            sentNs[(int) (number % REMEMBERED)] = System.nanoTime();
            connection.send(scratch, at);
        }

        @Override
        public void opened(LoadConnection opened) {
            connection = opened;
            byte[] hello = hello("dev:customer:" + name);
            opened.send(hello, hello.length);
        }

        @Override
        public void frame(LoadConnection from, FrameScan frame) {
            if (frame.is(FrameScan.TYPE, ENTRY)) {
                ack(from, frame);
            } else if (frame.is(FrameScan.TYPE, REPLY)) {
                if (inFlight && frame.number(FrameScan.ID) == number) {
                    toReply.recordValue(
                            Math.min(System.nanoTime() - sentNs[(int) (number % REMEMBERED)], 60_000_000_000L));
                    accepted++;
                    inFlight = false;
                    if (posting) {
                        post();
                    }
                }
            } else if (frame.is(FrameScan.TYPE, ERROR)) {
                refusals.merge(frame.text(FrameScan.CODE), 1L, Long::sum);
                if (inFlight && frame.has(FrameScan.ID)) {
                    loop.after(RETRY_MS, this::send);
                } else {
                    trouble("customer " + name + " got " + frame.whole());
                }
            } else if (frame.is(FrameScan.TYPE, WELCOME)) {
                customersReady++;
            } else if (frame.is(FrameScan.TYPE, PING)) {
                pong(from);
            }
        }

        @Override
        public void closed(LoadConnection over, String why) {
            trouble("customer " + name + " lost its socket: " + why);
        }

        private void atAgent(long messageNumber) {
            if (messageNumber <= lastAtAgent) {
                return;
            }
            if (messageNumber != lastAtAgent + 1) {
                trouble("the agent of customer " + name + " got message " + messageNumber + " after " + lastAtAgent);
            }
            if (lastAtAgent == 0) {
                customersServed++;
            }
            lastAtAgent = messageNumber;
            delivered++;
            toAgent.recordValue(
                    Math.min(System.nanoTime() - sentNs[(int) (messageNumber % REMEMBERED)], 60_000_000_000L));
        }
    }

    /** One agent: available, takes what is offered, acknowledges what comes. */
    private final class Agent implements LoadConnection.Person {
        private static final byte[] AVAILABLE =
                FrameScan.ascii("{\"type\":\"status\",\"id\":\"s\",\"availability\":\"available\"}");
        private static final byte[] ACCEPT_HEAD = FrameScan.ascii("{\"type\":\"accept\",\"id\":\"a\",\"offer\":\"");
        private static final byte[] ACCEPT_END = FrameScan.ascii("\"}");
        private static final byte[] STATUS_ID = FrameScan.ascii("s");

        private final String name;

        Agent(String name) {
            this.name = name;
        }

        @Override
        public void opened(LoadConnection opened) {
            byte[] hello = hello("dev:agent:" + name);
            opened.send(hello, hello.length);
        }

        @Override
        public void frame(LoadConnection from, FrameScan frame) {
            if (frame.is(FrameScan.TYPE, ENTRY)) {
                ack(from, frame);
                if (frame.is(FrameScan.KIND, MESSAGE)) {
                    arrived(frame);
                }
            } else if (frame.is(FrameScan.TYPE, OFFER)) {
                int at = put(0, ACCEPT_HEAD);
                at = frame.copy(FrameScan.OFFER, scratch, at);
                from.send(scratch, put(at, ACCEPT_END));
            } else if (frame.is(FrameScan.TYPE, WELCOME)) {
                from.send(AVAILABLE, AVAILABLE.length);
            } else if (frame.is(FrameScan.TYPE, REPLY)) {
                if (frame.is(FrameScan.ID, STATUS_ID)) {
                    agentsReady++;
                }
            } else if (frame.is(FrameScan.TYPE, PING)) {
                pong(from);
            } else if (frame.is(FrameScan.TYPE, ERROR)) {
                trouble("agent " + name + " got " + frame.whole());
            }
        }

        private void arrived(FrameScan frame) {
            int index = 0;
            long number = 0;
            boolean inNumber = false;
            for (int at = 1; at < frame.length(FrameScan.CLIENT_MSG_ID); at++) {
                byte here = frame.byteAt(FrameScan.CLIENT_MSG_ID, at);
                if (here == '-') {
                    inNumber = true;
                } else if (inNumber) {
                    number = number * 10 + (here - '0');
                } else {
                    index = index * 10 + (here - '0');
                }
            }
            customers[index].atAgent(number);
        }

        @Override
        public void closed(LoadConnection over, String why) {
            trouble("agent " + name + " lost its socket: " + why);
        }
    }
}
