package dev.switchboard.conversation;

import dev.switchboard.conversation.WriteAdmission.Reason;
import java.time.Duration;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.Signal;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The entrance of one persistent actor: bounds what waits inside while it persists, recovers or comes back. For that
 * actor's thread alone.
 *
 * <p>Pekko keeps what comes meanwhile in stashes, and drops without a word what they can't hold: 4096 commands while the
 * actor persists or recovers, 1000 while it waits to start again. So nothing gets that far: past {@code waiting-for-one}
 * a request is answered {@code overload}, and what only shows the moment (typing, places in line) is left out. Steps,
 * acks and terminals have half as much room again; past that they are put off and come back, none is lost.
 */
public abstract class Intake<C> extends BehaviorInterceptor<C, C> {
    private final WriteAdmission admission;
    private final WritePermit permit;
    private int waiting;
    private boolean notRecovered;

    /**
     * The entrance of an actor.
     *
     * @param permit given back when the actor ends, however it ends
     */
    protected Intake(Class<C> commands, WriteAdmission admission, WritePermit permit) {
        super(commands);
        this.admission = admission;
        this.permit = permit;
    }

    /** Answers a request, or leaves out what may be; false for a command that must get through. */
    protected abstract boolean turnsAway(C command, Reason reason);

    /** What a request that is turned away is told. */
    protected final Refusal refusal(Reason reason) {
        return admission.refuse(reason);
    }

    /** The actor handles a command: it waits no more. */
    public final void handled() {
        waiting--;
    }

    /** A recovery failed: until one succeeds, requests are refused at once instead of waiting in vain. */
    public final void recoveryFailed() {
        notRecovered = true;
    }

    /** The actor knows its state. */
    public final void recovered() {
        notRecovered = false;
    }

    @Override
    public final Behavior<C> aroundReceive(TypedActorContext<C> context, C command, ReceiveTarget<C> target) {
        int bound = admission.waitingForOne();
        boolean full = waiting >= bound;
        if ((full || notRecovered) && turnsAway(command, full ? Reason.WAITING_FOR_ONE : Reason.NOT_RECOVERED)) {
            return Behaviors.same();
        }
        if (waiting >= bound + bound / 2) {
            Duration later = admission.putOff();
            context.asJava().scheduleOnce(later, context.asJava().getSelf(), command);
            return Behaviors.same();
        }
        waiting++;
        return target.apply(context, command);
    }

    @Override
    public final Behavior<C> aroundSignal(TypedActorContext<C> context, Signal signal, SignalTarget<C> target) {
        if (signal == PostStop.instance()) {
            // However it ends, by a mistake of ours too.
            permit.giveBack();
        }
        return target.apply(context, signal);
    }
}
