package dev.switchboard.bench;
final class Restart { Restart(int a, int b, int c, int d, java.io.PrintWriter o) {} boolean run(String s) { return true; } }
