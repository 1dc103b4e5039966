package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * An agent who takes offers, answers, hands over now and then, closes, and takes a break. On the hall's thread only.
 */
final class SimulatedAgent extends SimulatedPerson {
    private static final double DECLINES = 0.06;
    private static final double HANDS_OVER = 0.12;
    private static final Duration BREAK = Duration.ofSeconds(25);
    private static final Duration BETWEEN_BREAKS = Duration.ofMinutes(3);
    private static final Duration BEFORE_CLOSING = Duration.ofSeconds(4);

    /** One conversation this agent owns. */
    private static final class Talk {
        private final String conv;
        private final String customer;
        private long epoch;
        private long lastSeq;
        private boolean answered;
        private int pending;

        Talk(String conv, String customer) {
            this.conv = conv;
            this.customer = customer;
        }
    }

    private final Map<String, Talk> talks = new HashMap<>();
    private boolean onBreak;

    SimulatedAgent(ServiceHall hall, String name) {
        super(hall, "agent", name);
    }

    boolean isOnBreak() {
        return onBreak;
    }

    int talkCount() {
        return talks.size();
    }

    @Override
    void welcome(JsonNode welcome) {
        ask(Frames.status(onBreak ? "away" : "available"), answer -> {});
        for (JsonNode conversation : welcome.path("conversations")) {
            if (conversation.path("status").asText().equals("assigned")) {
                talkOf(conversation.path("conv").asText()).epoch =
                        conversation.path("epoch").asLong();
            }
        }
    }

    void planBreak() {
        hall.later(BETWEEN_BREAKS.plusSeconds(hall.random().nextInt(120)), () -> {
            if (isOnline() && hall.mayTakeBreak()) {
                onBreak = true;
                ask(Frames.status("away"), answer -> hall.tell(name + " takes a break"));
                hall.later(BREAK, () -> {
                    onBreak = false;
                    ask(Frames.status("available"), answer -> hall.tell(name + " is back"));
                });
            }
            planBreak();
        });
    }

    @Override
    void heard(JsonNode frame) {
        switch (frame.path("type").asText()) {
            case "offer" -> offered(frame);
            case "entry" -> entry(frame);
            default -> {
                // Receipts, presence and the rest need no reaction.
            }
        }
    }

    private void offered(JsonNode offer) {
        String id = offer.path("offer").asText();
        String customer = offer.path("preview")
                .path("customer")
                .asText(customerOf(offer.path("conv").asText()));
        boolean known = hall.isSimulated(customer);
        if (known && hall.random().nextDouble() < DECLINES) {
            hall.later(
                    Duration.ofSeconds(2),
                    () -> ask(Frames.decline(id), answer -> {
                        if (Frames.is(answer, "reply")) {
                            hall.tell(name + " declines " + customer);
                        }
                    }));
            return;
        }
        Duration thinking = known ? Duration.ofMillis(1200 + hall.random().nextInt(2500)) : Duration.ofMillis(600);
        hall.later(
                thinking,
                () -> ask(Frames.accept(id), answer -> {
                    if (Frames.is(answer, "reply")) {
                        talkOf(answer.path("conv").asText()).epoch =
                                answer.path("epoch").asLong();
                        hall.tell(name + " takes " + customer);
                    }
                }));
    }

    private static String customerOf(String conv) {
        String name = conv.startsWith("c-") ? conv.substring(2) : conv;
        int counter = name.indexOf('~');
        return counter < 0 ? name : name.substring(0, counter);
    }

    private Talk talkOf(String conv) {
        return talks.computeIfAbsent(conv, fresh -> new Talk(fresh, customerOf(fresh)));
    }

    private void entry(JsonNode entry) {
        String conv = entry.path("conv").asText();
        if (entry.has("epoch")) {
            if (name.equals(entry.path("owner").asText())) {
                talkOf(conv).epoch = entry.path("epoch").asLong();
            } else if (talks.containsKey(conv) && entry.path("epoch").asLong() > talks.get(conv).epoch) {
                talks.remove(conv);
            }
        }
        Talk talk = talks.get(conv);
        if (talk == null || entry.path("seq").asLong() <= talk.lastSeq) {
            return;
        }
        talk.lastSeq = entry.path("seq").asLong();
        if (Frames.isMessage(entry)) {
            if (entry.path("from").path("role").asText().equals("customer")) {
                said(talk, Frames.textOf(entry));
            } else {
                talk.answered = true;
            }
        }
    }

    private void said(Talk talk, String text) {
        if (hall.isSimulated(talk.customer) && !talk.answered && hall.random().nextDouble() < HANDS_OVER) {
            String colleague = hall.colleagueOf(this);
            if (colleague != null) {
                handOver(talk, colleague);
                return;
            }
        }
        String answer = Script.answer(name, text, !talk.answered, hall.random());
        talk.pending++;
        hall.later(Duration.ofMillis(700), () -> {
            if (talks.get(talk.conv) == talk) {
                send(Frames.read(talk.conv, talk.lastSeq));
                send(Frames.typing(talk.conv));
            }
        });
        hall.later(timeToWrite(answer), () -> {
            talk.pending--;
            // Several messages in a row get one answer, as from a person.
            if (talks.get(talk.conv) == talk && talk.pending == 0 && talk.epoch > 0) {
                ask(Frames.post(talk.conv, newId(), answer, talk.epoch), done -> {
                    if (Frames.is(done, "reply")) {
                        hall.countMessage();
                    }
                });
                if (Script.saysGoodbye(text)) {
                    hall.later(BEFORE_CLOSING, () -> close(talk));
                }
            }
        });
    }

    private void handOver(Talk talk, String colleague) {
        hall.later(Duration.ofSeconds(3), () -> {
            if (talks.get(talk.conv) != talk || talk.epoch == 0) {
                return;
            }
            ask(Frames.transferToAgent(talk.conv, colleague, talk.epoch, newId()), answer -> {
                if (Frames.is(answer, "reply")) {
                    hall.tell(name + " hands " + talk.customer + " over to " + colleague);
                } else {
                    said(talk, Script.STILL_THERE);
                }
            });
        });
    }

    private void close(Talk talk) {
        if (talks.get(talk.conv) == talk) {
            ask(Frames.close(talk.conv, talk.epoch, "solved", newId()), answer -> {
                if (Frames.is(answer, "reply")) {
                    hall.tell(name + " closes " + talk.customer);
                }
            });
        }
    }
}
