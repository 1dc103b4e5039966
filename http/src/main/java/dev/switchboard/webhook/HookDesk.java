package dev.switchboard.webhook;

import dev.switchboard.conversation.Principal;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskView;
import dev.switchboard.desk.Profile;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * The desk of the agent that a webhook stands for. Not thread-safe; {@link WebhookTerminal} works with it. Once, when the
 * terminal has started, it says of the desk what the settings say, and that the agent is available.
 */
final class HookDesk {
    private static final long ANSWER_NANOS = Duration.ofSeconds(3).toNanos();
    private static final long SOON_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LATER_NANOS = Duration.ofSeconds(10).toNanos();

    private final WebhookSettings.Receiver receiver;
    private final Services services;
    private ActorRef<DeskCommand> ref;
    private long retryAtNanos;
    private boolean introduced;

    HookDesk(WebhookSettings.Receiver receiver, Services services) {
        this.receiver = receiver;
        this.services = services;
    }

    void attach(Principal who, String terminal, ActorRef<TerminalPush> self) {
        retryAtNanos = System.nanoTime() + ANSWER_NANOS;
        services.peers().desk(receiver.agent(), new DeskCommand.AttachTerminal(who, terminal, self));
    }

    /** True when it is time to attach again. */
    boolean isDue(long now) {
        return (ref == null || !introduced) && retryAtNanos - now <= 0;
    }

    void attached(
            TerminalPush.DeskAttached answer, Consumer<ActorRef<DeskCommand>> watch, Consumer<ActorRef<?>> unwatch) {
        if (!answer.ref().equals(ref)) {
            if (ref != null) {
                unwatch.accept(ref);
            }
            ref = answer.ref();
            watch.accept(ref);
        }
        if (!introduced) {
            introduce(answer.view());
        }
    }

    /** Asks for what isn't so yet; the answer is the next attach, which comes until all is so. */
    private void introduce(DeskView view) {
        Profile wanted = receiver.profile().orElse(null);
        boolean profiled = wanted == null
                || (view.profiled()
                        && view.capacity() == wanted.capacity()
                        && view.queues().equals(wanted.queues()));
        boolean available = view.availability() == Availability.AVAILABLE;
        introduced = profiled && available;
        if (!profiled) {
            var unused = services.gateway().desk(receiver.agent(), to -> new DeskCommand.SetProfile(wanted, to));
        }
        if (!available) {
            var unused = services.gateway()
                    .desk(receiver.agent(), to -> new DeskCommand.ChooseAvailability(Availability.AVAILABLE, to));
        }
        retryAtNanos = System.nanoTime() + SOON_NANOS;
    }

    /** It can't be read now. */
    void refused() {
        retryAtNanos = System.nanoTime() + LATER_NANOS;
    }

    /** Another terminal took this one's name. */
    void replaced() {
        introduced = false;
        retryAtNanos = System.nanoTime() + LATER_NANOS;
    }

    /** True when it was the desk that ended. */
    boolean ended(ActorRef<?> other) {
        if (!other.equals(ref)) {
            return false;
        }
        ref = null;
        retryAtNanos = System.nanoTime() + ThreadLocalRandom.current().nextLong(SOON_NANOS);
        return true;
    }
}
