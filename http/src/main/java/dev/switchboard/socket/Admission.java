package dev.switchboard.socket;

import dev.switchboard.api.RateLimit;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Decides which sockets this node takes, and how much one person may ask over all of its sockets here. Thread-safe; never
 * blocks.
 *
 * <p>Those who are turned away are told to come back at moments spread over {@code switchboard.socket.retry-spread}: a crowd
 * that came at once would else come back at once.
 */
final class Admission {
    /** The only bucket of all connects. */
    private static final String ALL = "";

    private static final Duration SOONEST = Duration.ofSeconds(1);

    private final SocketSettings settings;
    private final SocketFigures figures;
    private final RateLimit connects;
    private final RateLimit senders;

    /**
     * Takes as many sockets as the settings say.
     *
     * @param nanoClock a clock that only moves forward, in nanoseconds
     */
    Admission(SocketSettings settings, SocketFigures figures, LongSupplier nanoClock) {
        this.settings = settings;
        this.figures = figures;
        this.connects = new RateLimit(settings.connectRate(), settings.connectBurst(), nanoClock);
        this.senders = new RateLimit(settings.senderRequestsPerSecond(), settings.senderRequestBurst(), nanoClock);
    }

    /** Why one more socket would be too many; null when it isn't, and then it counts against the rate of connects. */
    Refusal refusal() {
        if (figures.openNow() >= settings.maxSockets()) {
            return overload("too many sockets");
        }
        if (figures.withoutHelloNow() >= settings.maxWithoutHello()) {
            return overload("too many sockets that have not said hello");
        }
        if (!connects.take(ALL).isZero()) {
            figures.connectLimited();
            return overload("too many sockets are being opened");
        }
        return null;
    }

    private Refusal overload(String message) {
        return Refusal.of(ErrorCode.OVERLOAD, message).retryAfter(hint());
    }

    /** True when there are more sockets than may be: several were let in at the same moment. */
    boolean isOverLimit() {
        return figures.openNow() > settings.maxSockets() || figures.withoutHelloNow() > settings.maxWithoutHello();
    }

    /** When one who is turned away, or ended for being slow, may come again. */
    Duration hint() {
        return SOONEST.plus(SocketRegistry.within(settings.retrySpread()));
    }

    /** Zero when that person may make one more request, which then counts; otherwise how long until it may. */
    Duration request(Person by) {
        return senders.take(by.key());
    }
}
