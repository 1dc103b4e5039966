package dev.switchboard.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.auth.AuthSettings;
import dev.switchboard.auth.TokenMinter;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Mints a token that a node with the same settings takes, and prints nothing else to stdout. */
@Command(name = "token", description = "Mint a token and print it.", mixinStandardHelpOptions = true)
final class TokenCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofDays(366);

    @Mixin
    private SettingsOption settings;

    @Option(names = "--role", required = true, description = "One of: ${COMPLETION-CANDIDATES}.")
    private Role role;

    @Option(names = "--id", required = true, description = "Who it is for: the token's sub.")
    private String id;

    @Option(names = "--queues", split = ",", description = "The queues it may serve or supervise; * for all.")
    private Set<String> queues = Set.of();

    @Option(names = "--priority", defaultValue = "0", description = "A customer's priority, 0 (default) to 9.")
    private int priority;

    @Option(names = "--skills", split = ",", description = "Skills that a customer's conversations need.")
    private Set<String> skills = Set.of();

    @Option(
            names = "--customers",
            split = ",",
            description = "For a service: the customers it may act for, each exact or ending in *.")
    private Set<String> customers = Set.of();

    @Option(names = "--ttl", defaultValue = "1h", description = "How long it is taken, such as 15m, 8h or 30d (1h).")
    private String timeToLive;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        Instant expires = Instant.now().plus(duration()).truncatedTo(ChronoUnit.SECONDS);
        Config checked = settings.load(ConfigFactory.empty());
        spec.commandLine().getOut().println(token(checked, expires));
        return 0;
    }

    private String token(Config checked, Instant expires) {
        try {
            AuthSettings auth = AuthSettings.of(checked);
            if (auth.mode() == AuthSettings.Mode.NONE) {
                spec.commandLine()
                        .getErr()
                        .println("switchboard: switchboard.auth.mode is none: this development token makes no claims");
                return "dev:" + role.wireName() + ":" + id;
            }
            AuthSettings.KeySettings key = auth.mintingKey()
                    .orElseThrow(() -> new StartFailure(
                            "switchboard.auth.keys has no HS256 key in a file: only with one can tokens be minted"));
            return new TokenMinter(key, auth.issuer(), auth.audience())
                    .mint(new Principal(role, id, queues, priority, skills, customers, expires));
        } catch (ConfigException | IllegalArgumentException e) {
            throw new StartFailure(e.getMessage(), e);
        }
    }

    private Duration duration() {
        try {
            Duration read = ConfigFactory.parseString("ttl = " + timeToLive).getDuration("ttl");
            if (read.isNegative() || read.isZero() || read.compareTo(LONGEST) > 0) {
                throw new CommandLine.ParameterException(
                        spec.commandLine(), "--ttl must be above 0 and at most " + LONGEST.toDays() + "d");
            }
            return read;
        } catch (ConfigException e) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--ttl " + timeToLive + " is no duration such as 15m, 8h or 30d", e);
        }
    }
}
