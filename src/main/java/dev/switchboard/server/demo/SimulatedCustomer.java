package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/**
 * A customer who writes about one thing after another, waits, asks whether anybody is there, gives up, or comes
 * back. On the hall's thread only.
 */
final class SimulatedCustomer extends SimulatedPerson {
    private static final Duration PATIENCE = Duration.ofSeconds(50);
    private static final double COMES_BACK = 0.4;

    private enum Mood {
        /** Not here. */
        AWAY,
        /** Has said something and expects an answer. */
        EXPECTING,
        /** Is about to say the next thing. */
        WRITING,
        /** Has said goodbye. */
        DONE
    }

    private Mood mood = Mood.AWAY;
    private Script.Topic topic;
    private int line;
    private String conv;
    private long lastSeq;
    private int turn;

    SimulatedCustomer(ServiceHall hall, String name) {
        super(hall, "customer", name);
    }

    boolean isActive() {
        return mood != Mood.AWAY;
    }

    /** Comes after that time, if there is room in the hall then. */
    void comeAfter(Duration wait) {
        hall.later(wait, () -> {
            if (!hall.mayCome()) {
                comeAfter(Duration.ofSeconds(10));
                return;
            }
            topic = Script.topic(hall.random());
            line = 0;
            mood = Mood.WRITING;
            if (isOnline()) {
                sayNext();
            } else {
                comeOnline();
            }
        });
    }

    @Override
    void welcome(JsonNode welcome) {
        if (mood == Mood.WRITING) {
            sayNext();
        }
    }

    private void sayNext() {
        String text =
                line < topic.exchanges().size() ? topic.exchanges().get(line++).customer() : Script.FAREWELL;
        mood = text.equals(Script.FAREWELL) ? Mood.DONE : Mood.EXPECTING;
        say(text);
        if (mood == Mood.DONE) {
            int thisTurn = turn;
            // If the agent doesn't close, the customer does.
            hall.later(PATIENCE, () -> {
                if (turn == thisTurn && mood == Mood.DONE) {
                    leave("closes the conversation");
                }
            });
        }
    }

    private void say(String text) {
        int thisTurn = ++turn;
        ask(Frames.post(conv, newId(), text), answer -> {
            if (Frames.is(answer, "reply")) {
                hall.countMessage();
                if (conv == null) {
                    hall.tell(name + " writes: " + text);
                }
                conv = answer.path("conv").asText();
            } else {
                hall.tell(name + " is refused: " + answer.path("message").asText());
                mood = Mood.AWAY;
                goOffline();
                comeAfter(Duration.ofSeconds(30));
            }
        });
        hall.later(PATIENCE, () -> lostPatience(thisTurn));
    }

    private void lostPatience(int sinceTurn) {
        if (turn != sinceTurn || mood != Mood.EXPECTING) {
            return;
        }
        if (hall.random().nextInt(3) > 0) {
            say(Script.STILL_THERE);
        } else {
            leave("has waited long enough and leaves");
        }
    }

    private void leave(String how) {
        turn++;
        mood = Mood.AWAY;
        ask(Frames.close(conv, 0, "customer left", newId()), answer -> {
            hall.tell(name + " " + how);
            goOffline();
        });
        comeAfter(Duration.ofSeconds(20 + hall.random().nextInt(40)));
    }

    @Override
    void heard(JsonNode frame) {
        switch (frame.path("type").asText()) {
            case "entry" -> entry(frame);
            case "queued" -> {
                if (mood == Mood.EXPECTING && frame.path("position").asInt() > 1) {
                    hall.tell(name + " waits at place " + frame.path("position").asInt());
                }
            }
            default -> {
                // Receipts, presence and the rest need no reaction.
            }
        }
    }

    private void entry(JsonNode entry) {
        if (!entry.path("conv").asText().equals(conv) || entry.path("seq").asLong() <= lastSeq) {
            return;
        }
        lastSeq = entry.path("seq").asLong();
        if (Frames.isEntry(entry, "closed")) {
            closed();
        } else if (Frames.isMessage(entry)
                && entry.path("from").path("role").asText().equals("agent")
                && mood == Mood.EXPECTING) {
            answered(Frames.textOf(entry));
        }
    }

    private void answered(String text) {
        mood = Mood.WRITING;
        int thisTurn = ++turn;
        hall.later(Duration.ofMillis(800), () -> {
            send(Frames.read(conv, lastSeq));
            send(Frames.typing(conv));
        });
        hall.later(Duration.ofSeconds(1).plus(timeToWrite(text)), () -> {
            if (turn == thisTurn && mood == Mood.WRITING) {
                sayNext();
            }
        });
    }

    private void closed() {
        if (mood == Mood.AWAY) {
            return;
        }
        turn++;
        mood = Mood.AWAY;
        if (hall.random().nextDouble() < COMES_BACK) {
            hall.later(Duration.ofSeconds(8 + hall.random().nextInt(10)), this::comeBack);
        } else {
            hall.later(Duration.ofSeconds(3), this::goOffline);
            comeAfter(Duration.ofSeconds(15 + hall.random().nextInt(40)));
        }
    }

    private void comeBack() {
        if (!isOnline() || !hall.mayCome()) {
            comeAfter(Duration.ofSeconds(10));
            return;
        }
        hall.tell(name + " comes back with one more thing");
        topic = Script.topic(hall.random());
        line = 0;
        mood = Mood.EXPECTING;
        say(Script.ONE_MORE_THING);
    }
}
