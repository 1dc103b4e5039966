package dev.switchboard.socket;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.api.JsonFields;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.Directory.ConversationFilter;
import dev.switchboard.ports.Directory.ConversationRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What a hello says the client has, and which conversations it is to be attached to. Immutable.
 *
 * @param resume what it has of each conversation that it named
 */
record Arrival(Map<String, Has> resume) {
    private static final int MAX_CONV_BYTES = 256;
    private static final int MAX_LOG_BYTES = 256;

    /** What the client has of one conversation: everything up to {@code after}; {@code log} may be null. */
    record Has(long after, String log) {}

    /** What a hello needs to know of the directory. */
    record Found(String log, List<String> conversations) {}

    /** Reads the {@code resume} of a hello; null when it has none. */
    static Arrival read(JsonFields hello, JsonNode items, int most) {
        if (items == null || items.isNull()) {
            return new Arrival(Map.of());
        }
        if (!items.isArray() || items.size() > most) {
            throw hello.invalid("resume", "must be a list of at most " + most + " objects");
        }
        Map<String, Has> resume = new LinkedHashMap<>();
        for (JsonNode item : items) {
            JsonFields fields = JsonFields.of(item);
            resume.put(
                    fields.requiredText("conv", MAX_CONV_BYTES),
                    new Has(fields.requiredInteger("after", 0, Long.MAX_VALUE), fields.text("log", MAX_LOG_BYTES)));
        }
        return new Arrival(resume);
    }

    /** The last seq that the client has of a conversation; −1 when it named none. */
    long after(String conv) {
        Has has = resume.get(conv);
        return has == null ? -1 : has.after();
    }

    /** True unless what the client has of the conversation is of another log than that one. */
    boolean isOfLog(String conv, String log) {
        Has has = resume.get(conv);
        return has == null || has.log() == null || has.log().equals(log);
    }

    /** Looks up a customer's latest conversation, and which of those named in {@code resume} exist. */
    CompletionStage<Found> find(SocketContext context, Principal who) {
        CompletionStage<List<String>> found = CompletableFuture.completedFuture(List.of());
        if (who.role() == Role.CUSTOMER) {
            ConversationFilter own = new ConversationFilter(null, null, null, null, who.id());
            found = context.services()
                    .storage()
                    .directory()
                    .conversations(own, Optional.empty(), 1)
                    .thenApply(rows ->
                            rows.items().stream().map(ConversationRow::conv).toList());
        }
        for (String conv : resume.keySet()) {
            if (mayResume(who, conv)) {
                found = found.thenCombine(
                        context.services().gateway().known(conv),
                        (list, known) -> known && !list.contains(conv) ? with(list, conv) : list);
            }
        }
        return context.logId().get().thenCombine(found, Found::new);
    }

    private static boolean mayResume(Principal who, String conv) {
        return ConversationIds.isWellFormed(conv)
                && (who.role() != Role.CUSTOMER
                        || ConversationIds.customerOf(conv).equals(who.id()));
    }

    private static List<String> with(List<String> list, String conv) {
        List<String> more = new ArrayList<>(list);
        more.add(conv);
        return more;
    }
}
