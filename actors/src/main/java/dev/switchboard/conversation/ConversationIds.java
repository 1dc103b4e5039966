package dev.switchboard.conversation;

import java.util.regex.Pattern;

/**
 * Conversations' identities. Without an explicit id a conversation is the customer's own thread, so its id follows from
 * the customer's: fifty first messages make one conversation. A successor appends a counter: {@code c-carol~2}.
 */
public final class ConversationIds {
    /** What a person's id may be: it becomes part of actor names, keys and paths. */
    public static final Pattern PERSON_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@:+-]{0,99}");

    /** What a queue's name may be. */
    public static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private static final Pattern CONVERSATION =
            Pattern.compile("c-[A-Za-z0-9][A-Za-z0-9._@:+-]{0,99}(~[1-9][0-9]{0,8})?");

    private ConversationIds() {}

    /** The customer's own thread. */
    public static String ofCustomer(String customer) {
        return "c-" + customer;
    }

    /** True for what can be a conversation's id; anything else is unknown without a look. */
    public static boolean isWellFormed(String conv) {
        return CONVERSATION.matcher(conv).matches();
    }

    /** The customer whose thread it is. */
    public static String customerOf(String conv) {
        int counter = conv.indexOf('~');
        return conv.substring(2, counter < 0 ? conv.length() : counter);
    }

    /** The id of the conversation that follows a closed one. */
    public static String successorOf(String conv) {
        int counter = conv.indexOf('~');
        return counter < 0
                ? conv + "~2"
                : conv.substring(0, counter + 1) + (Integer.parseInt(conv.substring(counter + 1)) + 1);
    }
}
