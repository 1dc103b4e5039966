package dev.switchboard.dispatcher;

/**
 * Keeps the fields of a subclass away from what lies before it in memory: a superclass's fields come first, and these fill
 * more than a cache line and the one that processors fetch along with it. Without it a thread that writes its own
 * object's fields can slow down another that reads a neighbour's. Nobody uses the fields.
 */
abstract class Padding {
    long p00;
    long p01;
    long p02;
    long p03;
    long p04;
    long p05;
    long p06;
    long p07;
    long p08;
    long p09;
    long p10;
    long p11;
    long p12;
    long p13;
    long p14;
    long p15;
}
