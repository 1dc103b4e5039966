package dev.switchboard.server.demo;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** What the simulated people say. Immutable but for the {@link Random}s it is handed; any thread may call it. */
final class Script {
    /** What a customer says and what an agent answers to it. */
    record Exchange(String customer, String agent) {}

    /** What a customer writes about, in order. */
    record Topic(List<Exchange> exchanges) {
        private static Topic of(String... lines) {
            Exchange[] exchanges = new Exchange[lines.length / 2];
            for (int i = 0; i < exchanges.length; i++) {
                exchanges[i] = new Exchange(lines[2 * i], lines[2 * i + 1]);
            }
            return new Topic(List.of(exchanges));
        }
    }

    static final String FAREWELL = "That's all, thank you. Bye!";
    static final String STILL_THERE = "Hello? Is anybody there?";
    static final String ONE_MORE_THING = "Sorry, one more thing.";

    private static final List<Topic> TOPICS = List.of(
            Topic.of(
                    "Hi, my parcel should have come on Monday. Where is it?",
                    "Hello! Let me look. May I have the order number?",
                    "It's 4711-23.",
                    "Thank you. It left the depot this morning and will be with you tomorrow before noon.",
                    "Tomorrow is fine. Can it go to my neighbour if I'm out?",
                    "Yes, I've noted it: if nobody opens, they'll ring next door."),
            Topic.of(
                    "Good morning, I was charged twice for the same invoice.",
                    "Good morning, I'm sorry about that. Which amount do you see twice?",
                    "39.90 on the 3rd and again on the 4th.",
                    "I can see both. I'm sending the second one back; it takes two or three working days."),
            Topic.of(
                    "I can't sign in any more, it says my password is wrong.",
                    "Hello! Did you change it lately, or is it the same one as always?",
                    "I changed it last week on my phone.",
                    "Then your other device still has the old one. I've sent you a link to set it anew.",
                    "Got the mail. It works now, great!",
                    "Glad to hear it."),
            Topic.of(
                    "Do you have the green lamp in stock in the Lyon store?",
                    "Hi! The large or the small one?",
                    "The small one, please.",
                    "Two are left in Lyon. I can keep one for you until Saturday.",
                    "Please do. The name is on my account.",
                    "Done. You'll find it at the desk on the ground floor."),
            Topic.of(
                    "I'd like to change my appointment on Thursday.",
                    "Of course. Would Friday at ten or at three suit you?",
                    "Friday at three.",
                    "It's changed: Friday at three. You'll get a confirmation by mail."),
            Topic.of(
                    "The coffee machine shows E05 and stops. What does that mean?",
                    "Hello! E05 is the water pump. When did you last descale it?",
                    "Honestly? Never.",
                    "Then that's it, I think. Run the descaling programme twice, and write again if E05 comes back.",
                    "I'll try that tonight.",
                    "Good luck with it!"),
            Topic.of(
                    "Can I still cancel order 2290?",
                    "One moment, I'm checking. Yes, it hasn't been packed yet. Shall I cancel it?",
                    "Yes please, I ordered the wrong size.",
                    "Cancelled. The money goes back to your card. Shall I order the right size?",
                    "No, I'll do it myself.",
                    "All right."),
            Topic.of(
                    "My internet has been slow since yesterday evening.",
                    "I'm sorry. I'm measuring your line, this takes a moment.",
                    "Sure, I'm waiting.",
                    "Your line itself is fine. Please unplug the router for half a minute and start it again.",
                    "Better! It's fast again.",
                    "Good. If it happens again, we'll change the router."));

    private static final List<String> OPENERS = List.of(
            "Hello, you're talking to %s. How can I help?",
            "Hi, this is %s. What can I do for you?", "Good day, %s here. Tell me what's going on.");

    private static final List<String> TO_A_QUESTION = List.of(
            "Good question. Let me look that up for you.",
            "I'm checking that right now, one moment please.",
            "As far as I can see that's possible. Let me make sure.");

    private static final List<String> TO_ANYTHING = List.of(
            "I see. Could you tell me a little more?",
            "Understood, I've written that down. Is there anything else I should know?",
            "Thank you, that helps.",
            "All right, I'm on it.");

    private static final Map<String, String> ANSWERS = answers();

    private Script() {}

    private static Map<String, String> answers() {
        Map<String, String> answers = new HashMap<>();
        for (Topic topic : TOPICS) {
            for (Exchange exchange : topic.exchanges()) {
                answers.put(exchange.customer(), exchange.agent());
            }
        }
        answers.put(FAREWELL, "You're welcome. Have a nice day!");
        answers.put(STILL_THERE, "I'm here, sorry for the wait.");
        answers.put(ONE_MORE_THING, "No problem, go ahead.");
        return Map.copyOf(answers);
    }

    static Topic topic(Random random) {
        return TOPICS.get(random.nextInt(TOPICS.size()));
    }

    /** What an agent answers: by the script to a simulated customer, something civil to anybody else. */
    static String answer(String agent, String said, boolean first, Random random) {
        String scripted = ANSWERS.get(said);
        if (scripted != null) {
            return scripted;
        }
        String lower = said.toLowerCase(Locale.ROOT);
        if (saysGoodbye(said)) {
            return "You're welcome. Have a nice day!";
        }
        if (lower.contains("thank")) {
            return "You're welcome! Is there anything else?";
        }
        if (first) {
            return pick(OPENERS, random).formatted(Character.toUpperCase(agent.charAt(0)) + agent.substring(1));
        }
        return pick(said.contains("?") ? TO_A_QUESTION : TO_ANYTHING, random);
    }

    /** True when nothing more will come. */
    static boolean saysGoodbye(String said) {
        return said.toLowerCase(Locale.ROOT).matches(".*\\b(bye|goodbye)\\b.*");
    }

    private static String pick(List<String> lines, Random random) {
        return lines.get(random.nextInt(lines.size()));
    }
}
