package dev.switchboard.webhook;

import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.Standing;
import java.time.InstantSource;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;

/**
 * The webhooks of a cluster: one terminal for each receiver, on one node at a time. Thread-safe; {@link #start} is called once
 * a node, which must be on its way into a cluster if there are receivers.
 */
public final class Webhooks {
    private final WebhookFigures figures = new WebhookFigures();

    private Webhooks() {}

    /**
     * Starts the terminals of the receivers.
     */
    public static Webhooks start(
            ActorSystem<?> system, Services services, WebhookSettings settings, Standing standing) {
        Webhooks webhooks = new Webhooks();
        for (WebhookSettings.Receiver receiver : settings.receivers()) {
            HookClient client =
                    new HookClient(system, settings, receiver, HookClient.systemLookup(), InstantSource.system());
            Behavior<WebhookTerminal.Message> terminal = Behaviors.supervise(
                            WebhookTerminal.create(receiver, settings, services, standing, client, webhooks.figures))
                    .onFailure(SupervisorStrategy.restartWithBackoff(
                            WebhookTerminal.RESTART_MIN, WebhookTerminal.RESTART_MAX, 0.2));
            ClusterSingleton.get(system)
                    .init(SingletonActor.of(
                                    terminal, "webhook-" + settings.receivers().indexOf(receiver))
                            .withStopMessage(new WebhookTerminal.Stop()));
        }
        return webhooks;
    }

    /** What this node's webhooks have done so far. */
    public WebhookFigures figures() {
        return figures;
    }
}
