package dev.switchboard.conversation;

import java.util.Objects;

/**
 * What a message says. Text travels inline, everything else by reference: no upload passes through a conversation.
 * Immutable; sizes are checked at the edge ({@code switchboard.limits.body}).
 *
 * @param type {@code text}, {@code markdown}, {@code image}, {@code file} or {@code custom}
 * @param text the text of {@code text} and {@code markdown}, a caption otherwise; may be null
 * @param url where the referenced content is; null for text and markdown
 * @param name a file's name or a custom body's kind; may be null
 * @param mediaType the referenced content's type; may be null
 * @param size the referenced content's bytes, or −1 when not known
 */
public record Body(String type, String text, String url, String name, String mediaType, long size) {
    public Body {
        Objects.requireNonNull(type, "type");
    }

    public static Body text(String text) {
        return new Body("text", Objects.requireNonNull(text, "text"), null, null, null, -1);
    }
}
