package dev.switchboard.dispatcher;

import org.HdrHistogram.Histogram;

/**
 * What one lane has done since its dispatcher was made, and what it has before it. A copy: nobody changes it any more.
 *
 * @param lane its number, from 0
 * @param inUse whether sessions are scheduled on it now
 * @param messages messages processed by actors with a {@link SessionMailbox}
 * @param batches how often a mailbox ran
 * @param tasks plain tasks run
 * @param spins waits that spun
 * @param yields times the processor was given way
 * @param naps naps taken
 * @param parks times parked
 * @param wakeUps times a producer had to wake it from parking
 * @param wakeUpsSaved times something was scheduled on it by another thread that didn't have to wake it
 * @param caughtByNet times work was found only because a park is bounded: a lost wake-up, so it must stay 0
 * @param failures exceptions that got out of a mailbox or a task
 * @param threads threads started for it
 * @param given mailboxes and tasks given to idle lanes because of a backlog
 * @param backlog mailboxes and tasks that wait to run
 * @param mailboxWait how long sampled mailboxes waited from being scheduled until they ran, in nanoseconds
 */
public record LaneView(
        int lane,
        boolean inUse,
        long messages,
        long batches,
        long tasks,
        long spins,
        long yields,
        long naps,
        long parks,
        long wakeUps,
        long wakeUpsSaved,
        long caughtByNet,
        long failures,
        long threads,
        long given,
        long backlog,
        Histogram mailboxWait) {}
