package dev.switchboard.server.doctor;

/** Tasks that ran, were ready to or slept uninterruptibly, averaged over 1, 5 and 15 minutes; immutable. */
record LoadAverages(double one, double five, double fifteen) {}
