package dev.switchboard.directory;

import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.DirectoryChange.AgentPut;
import dev.switchboard.ports.DirectoryChange.ConversationChanged;
import dev.switchboard.ports.DirectoryChange.ConversationOpened;
import dev.switchboard.ports.DirectoryChange.DeadLetterPut;
import dev.switchboard.ports.DirectoryChange.DeadlinePut;
import dev.switchboard.ports.DirectoryChange.DeadlineRemoved;
import dev.switchboard.ports.DirectoryChange.WaitingPut;
import dev.switchboard.ports.DirectoryChange.WaitingRemoved;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is left to write for each row of the directory after all changes of one batch: the last word on a row is what
 * counts, because every change but {@code ConversationChanged} says all of its row, and that one all that can change.
 * So no row is written twice, and one statement can write them all. In the order of their keys. Confined to one call.
 */
final class DirectoryRows {
    /** A conversation that was opened in this batch, as it is at the batch's end. */
    record ConversationRow(ConversationOpened opened, ConversationChanged changed) {
        String status() {
            return (changed == null ? opened.status() : changed.status()).wireName();
        }

        String owner() {
            return changed == null ? null : changed.owner();
        }

        String queue() {
            return changed == null ? opened.queue() : changed.queue();
        }

        long epoch() {
            return changed == null ? opened.epoch() : changed.epoch();
        }

        long openedMicros() {
            return Micros.of(opened.openedAt());
        }

        long updatedMicros() {
            return Micros.of(changed == null ? opened.openedAt() : changed.at());
        }
    }

    private final Map<String, ConversationRow> opened = new TreeMap<>();
    private final Map<String, ConversationChanged> changed = new TreeMap<>();
    private final Map<String, WaitingPut> waiting = new TreeMap<>();
    private final Map<String, WaitingRemoved> notWaiting = new TreeMap<>();
    private final Map<String, DeadlinePut> deadlines = new TreeMap<>();
    private final Map<String, DeadlineRemoved> noDeadlines = new TreeMap<>();
    private final Map<String, AgentPut> agents = new TreeMap<>();
    private final Map<String, DeadLetterPut> deadLetters = new TreeMap<>();

    void add(DirectoryChange change) {
        if (change instanceof ConversationOpened row) {
            opened.put(row.conv(), new ConversationRow(row, null));
            changed.remove(row.conv());
        } else if (change instanceof ConversationChanged row) {
            ConversationRow before = opened.get(row.conv());
            if (before == null) {
                changed.put(row.conv(), row);
            } else {
                opened.put(row.conv(), new ConversationRow(before.opened(), row));
            }
        } else if (change instanceof WaitingPut row) {
            waiting.put(row.conv(), row);
            notWaiting.remove(row.conv());
        } else if (change instanceof WaitingRemoved row) {
            notWaiting.put(row.conv(), row);
            waiting.remove(row.conv());
        } else if (change instanceof DeadlinePut row) {
            String key = row.entity().persistenceId(row.id());
            deadlines.put(key, row);
            noDeadlines.remove(key);
        } else if (change instanceof DeadlineRemoved row) {
            String key = row.entity().persistenceId(row.id());
            noDeadlines.put(key, row);
            deadlines.remove(key);
        } else if (change instanceof AgentPut row) {
            agents.put(row.agent(), row);
        } else if (change instanceof DeadLetterPut row) {
            deadLetters.put(row.letter().id(), row);
        } else {
            throw new IllegalArgumentException("unknown change of the directory: " + change);
        }
    }

    Collection<ConversationRow> opened() {
        return opened.values();
    }

    Collection<ConversationChanged> changed() {
        return changed.values();
    }

    Collection<WaitingPut> waiting() {
        return waiting.values();
    }

    /** Conversations that no longer wait. */
    Collection<String> notWaiting() {
        return notWaiting.keySet();
    }

    Collection<DeadlinePut> deadlines() {
        return deadlines.values();
    }

    Collection<DeadlineRemoved> noDeadlines() {
        return noDeadlines.values();
    }

    Collection<DeadLetterPut> deadLetters() {
        return deadLetters.values();
    }

    Collection<AgentPut> agents() {
        return agents.values();
    }
}
