/**
 * Measures ways of handing messages to the workers that run sessions: an open-loop load over the same sessions and the
 * same work, in a fresh process for each contender and round. {@link dev.switchboard.bench.dispatch.DispatchBench} says
 * how and why.
 */
package dev.switchboard.bench.dispatch;
