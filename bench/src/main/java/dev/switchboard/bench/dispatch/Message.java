package dev.switchboard.bench.dispatch;

/**
 * One message of the load; immutable by convention, so that any thread may hold it: nobody writes to the payload once
 * it is made.
 *
 * @param session which session it belongs to, from 0
 * @param number its place among its session's messages, from 0, as the producer sent them
 * @param intendedNs when it should have been sent, by the schedule and on {@link System#nanoTime}'s clock
 * @param payload what the handler reads
 */
record Message(int session, long number, long intendedNs, byte[] payload) {}
