package dev.switchboard.pages;

import java.util.List;

/** What both pages show of a log. Stateless. */
final class Seqs {
    private Seqs() {}

    /** The seqs of all entries on screen, in their order. */
    @SuppressWarnings("unchecked")
    static List<String> shown(Browser browser) {
        return (List<String>)
                browser.evaluate(
                        "[...document.querySelectorAll('#timeline .messages:not(.unsent) [data-seq]')].map((e) => e.dataset.seq)");
    }

    /** The state of the tick at one's own message; empty when there is none. */
    static String tick(Browser browser, String text) {
        return (String) browser.evaluate(
                "[...document.querySelectorAll('#timeline .message.mine')].filter((e) =>"
                        + " e.querySelector('.body').textContent === arguments[0]).at(-1)"
                        + "?.querySelector('.tick')?.dataset.state ?? ''",
                text);
    }
}
