package dev.switchboard.auth;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.ports.Directory;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorSystem;

/**
 * Everything about who calls, assembled by the settings: verified tokens of people who aren't revoked, the list of the
 * revoked, and the browsers' origins. Thread-safe. Close it after the sockets and the HTTP server.
 */
public final class Authentication implements Authenticator, AutoCloseable {
    private static final int FETCHING_THREADS = 2;
    private static final int FETCHING_QUEUE = 1000;

    private final Authenticator tokens;
    private final RevocationList revocations;
    private final OriginPolicy origins;
    private final ExecutorService fetching;

    private Authentication(
            Authenticator tokens, RevocationList revocations, OriginPolicy origins, ExecutorService fetching) {
        this.tokens = tokens;
        this.revocations = revocations;
        this.origins = origins;
        this.fetching = fetching;
    }

    /**
     * Reads the keys (blocking on their files) and begins to follow the directory's revocations. Throws
     * IllegalArgumentException, naming the key, for one that can't be used.
     */
    public static Authentication start(ActorSystem<?> system, AuthSettings settings, Directory directory) {
        ExecutorService fetching = fetchingExecutor();
        Authenticator tokens;
        try {
            tokens = settings.mode() == AuthSettings.Mode.NONE
                    ? new DevAuthenticator()
                    : jwt(settings, Clock.systemUTC(), fetching);
        } catch (RuntimeException e) {
            fetching.shutdown();
            throw e;
        }
        RevocationList revocations = new RevocationList(directory);
        revocations.start(system, settings.revocationRefresh());
        return new Authentication(tokens, revocations, new OriginPolicy(settings.origins()), fetching);
    }

    static Authenticator jwt(AuthSettings settings, Clock clock, ExecutorService fetching) {
        List<SigningKey> keys = new ArrayList<>();
        for (AuthSettings.KeySettings key : settings.keys()) {
            keys.add(SigningKey.of(key, settings.jwksRefresh()));
        }
        return new JwtAuthenticator(
                keys, settings.issuer(), settings.audience(), settings.clockSkew(), clock, fetching);
    }

    /**
     * Few threads that wait for other people's servers, so that nobody else has to; more work than they can do is
     * refused.
     */
    private static ExecutorService fetchingExecutor() {
        AtomicInteger count = new AtomicInteger();
        ThreadFactory threads = task -> {
            Thread thread = new Thread(task, "switchboard-jwks-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                FETCHING_THREADS,
                FETCHING_THREADS,
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(FETCHING_QUEUE),
                threads);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    @Override
    public CompletionStage<Verdict> verify(String token) {
        return tokens.verify(token).thenApply(this::unlessRevoked);
    }

    private Verdict unlessRevoked(Verdict verdict) {
        return verdict instanceof Verdict.Verified verified && isRevoked(verified.principal())
                ? new Verdict.Denied(Refusal.of(ErrorCode.UNAUTHORIZED, "this person's tokens are no longer taken"))
                : verdict;
    }

    private boolean isRevoked(Principal principal) {
        return revocations.isRevoked(principal.person());
    }

    public RevocationList revocations() {
        return revocations;
    }

    public OriginPolicy origins() {
        return origins;
    }

    @Override
    public void close() {
        revocations.close();
        fetching.shutdown();
    }
}
