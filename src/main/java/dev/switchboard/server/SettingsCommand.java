package dev.switchboard.server;

import dev.switchboard.server.settings.SettingsCatalog;
import dev.switchboard.server.settings.SettingsPages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes the page of the settings and the operator's file anew. For those who change a {@code reference.conf}. */
@Command(name = "settings", hidden = true, description = "Print the settings page.", mixinStandardHelpOptions = true)
final class SettingsCommand implements Callable<Integer> {
    @Option(
            names = "--write",
            paramLabel = "DIR",
            description = "Write docs/settings.md and application.conf under this folder instead.")
    private Path folder;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        SettingsPages pages = new SettingsPages(SettingsCatalog.load());
        if (folder == null) {
            spec.commandLine().getOut().print(pages.markdown());
            spec.commandLine().getOut().flush();
        } else {
            Files.createDirectories(folder.resolve("docs"));
            Files.writeString(folder.resolve("docs/settings.md"), pages.markdown());
            Files.writeString(folder.resolve("application.conf"), pages.applicationConf());
        }
        return 0;
    }
}
