package dev.switchboard.bench;
final class Memory { Memory(int a, int b, java.io.PrintWriter o) {} void run() {} }
