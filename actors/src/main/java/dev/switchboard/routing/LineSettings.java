package dev.switchboard.routing;

import com.typesafe.config.Config;
import java.time.Duration;
import java.time.InstantSource;

/**
 * How waiting lines behave, the same for all queues. Immutable.
 *
 * @param pageSize how many rows are read at once
 * @param compareEvery how often a line compares itself with the directory
 * @param deskAnswerTime how long a line waits for a desk's answer before it asks once more
 * @param apartFor how long a conversation and a desk are left apart after the desk refused it
 * @param offerMargin how long beyond an offer's time a line waits to hear what became of it before it makes another one
 * @param askAgainAfter after how long a conversation that every available agent declined is offered to them again
 * @param tellPositionsEvery how often changed places are told at most
 * @param tellAtOnce how many customers are told in one go
 * @param loadRetry the first pause before a database that couldn't answer is asked again
 * @param clock the time
 */
public record LineSettings(
        int pageSize,
        Duration compareEvery,
        Duration deskAnswerTime,
        Duration apartFor,
        Duration offerMargin,
        Duration askAgainAfter,
        Duration tellPositionsEvery,
        int tellAtOnce,
        Duration loadRetry,
        InstantSource clock) {
    /** Reads {@code switchboard.line}. */
    public static LineSettings of(Config config) {
        return new LineSettings(
                config.getInt("page-size"),
                config.getDuration("compare-every"),
                config.getDuration("desk-answer-time"),
                config.getDuration("apart-for"),
                config.getDuration("offer-margin"),
                config.getDuration("ask-again-after"),
                config.getDuration("tell-positions-every"),
                config.getInt("tell-at-once"),
                config.getDuration("load-retry"),
                InstantSource.system());
    }
}
