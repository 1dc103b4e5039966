package dev.switchboard.server.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds out what a process is. Stateless. */
final class Targets {
    private static final String SERVER = "dev.switchboard.server.Main";
    private static final Set<String> SERVING = Set.of("serve", "demo", "cluster");

    private Targets() {}

    /** A process, and on how many cores it may run. */
    record Seen(Window.Target target, int cores) {}

    /** Throws when there is no such process or it may not be looked at. */
    static Seen see(Path proc, long pid, ProcFile.Buffer buffer) {
        Path folder = proc.resolve(Long.toString(pid));
        if (!Files.exists(folder.resolve("status"))) {
            throw Files.exists(folder) ? ExaminationFailure.noPermission(pid) : ExaminationFailure.noSuchProcess(pid);
        }
        try {
            String status = ProcFile.once(folder.resolve("status"), buffer);
            int cores = ProcText.sizeOfList(ProcText.statusValue(status, "Cpus_allowed_list"));
            String commandLine = ProcFile.once(folder.resolve("cmdline"), buffer);
            String program = program(commandLine, ProcText.statusValue(status, "Name"));
            return new Seen(
                    new Window.Target(pid, program, isJava(folder, commandLine)),
                    cores == 0 ? Integer.MAX_VALUE : cores);
        } catch (IOException e) {
            throw Files.exists(folder) ? ExaminationFailure.noPermission(pid) : ExaminationFailure.noSuchProcess(pid);
        }
    }

    /** The main class or jar of a Java program, else the name of the executable; {@code name} when nothing is shown. */
    static String program(String commandLine, String name) {
        List<String> words = List.of(commandLine.split("\0", -1));
        String executable = words.get(0).substring(words.get(0).lastIndexOf('/') + 1);
        if (executable.isEmpty()) {
            return name;
        }
        if (!executable.equals("java")) {
            return executable;
        }
        for (int i = 1; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("-cp") || word.equals("-classpath") || word.equals("--class-path") || word.equals("-p")) {
                i++;
            } else if (word.equals("-jar") && i + 1 < words.size()) {
                return words.get(i + 1).substring(words.get(i + 1).lastIndexOf('/') + 1);
            } else if (!word.startsWith("-") && !word.isEmpty()) {
                return word;
            }
        }
        return executable;
    }

    /** The processes that run a Switchboard server, without {@code except}. */
    static List<Long> servers(Path proc, long except) {
        List<Long> found = new ArrayList<>();
        String[] names = proc.toFile().list((folder, name) -> Character.isDigit(name.charAt(0)));
        for (String name : names == null ? new String[0] : names) {
            long pid = Long.parseLong(name);
            if (pid != except && serves(proc.resolve(name).resolve("cmdline"))) {
                found.add(pid);
            }
        }
        return found;
    }

    private static boolean serves(Path commandLine) {
        try {
            List<String> words = List.of(Files.readString(commandLine).split("\0", -1));
            int main = words.indexOf(SERVER);
            return main >= 0 && (main + 1 == words.size() - 1 || SERVING.contains(words.get(main + 1)));
        } catch (IOException e) {
            // It has ended, or isn't ours to see.
            return false;
        }
    }

    private static boolean isJava(Path folder, String commandLine) {
        String executable = commandLine.split("\0", 2)[0];
        if (executable.endsWith("/java") || executable.equals("java")) {
            return true;
        }
        try {
            return Files.readString(folder.resolve("maps")).contains("/libjvm.so");
        } catch (IOException e) {
            return false;
        }
    }
}
