package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Ack;
import dev.switchboard.conversation.ConversationCommand.Positioned;
import dev.switchboard.conversation.ConversationCommand.Request;
import dev.switchboard.conversation.ConversationCommand.Typing;
import dev.switchboard.conversation.WriteAdmission.Reason;
import java.time.Duration;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.Signal;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The entrance of one conversation: bounds what waits inside while it persists, recovers or comes back. For that actor's
 * thread alone.
 *
 * <p>Pekko keeps what comes meanwhile in stashes, and drops without a word what they can't hold: 4096 commands while the
 * actor persists or recovers, 1000 while it waits to start again. So nothing gets that far: past {@code waiting-for-one}
 * a request is answered {@code overload}, and what only shows the moment (typing, places in line) is left out. Steps,
 * acks and terminals have half as much room again; past that they are put off and come back, none is lost.
 */
final class Intake extends BehaviorInterceptor<ConversationCommand, ConversationCommand> {
    private final WriteAdmission admission;
    private final WritePermit permit;
    private int waiting;
    private boolean notRecovered;

    Intake(WriteAdmission admission, WritePermit permit) {
        super(ConversationCommand.class);
        this.admission = admission;
        this.permit = permit;
    }

    /** The actor handles a command: it waits no more. */
    void handled() {
        waiting--;
    }

    /** A recovery failed: until one succeeds, requests are refused at once instead of waiting in vain. */
    void recoveryFailed() {
        notRecovered = true;
    }

    void recovered() {
        notRecovered = false;
    }

    @Override
    public Behavior<ConversationCommand> aroundReceive(
            TypedActorContext<ConversationCommand> context,
            ConversationCommand command,
            ReceiveTarget<ConversationCommand> target) {
        boolean full = waiting >= admission.waitingForOne();
        if ((full || notRecovered) && command instanceof Request request && !(command instanceof Ack)) {
            Reason reason = full ? Reason.WAITING_FOR_ONE : Reason.NOT_RECOVERED;
            request.replyTo().tell(new ConversationReply.Refused(admission.refuse(reason)));
            return Behaviors.same();
        }
        if (full && (command instanceof Typing || command instanceof Positioned)) {
            return Behaviors.same();
        }
        if (waiting >= admission.waitingForOne() + admission.waitingForOne() / 2) {
            Duration later = admission.putOff();
            context.asJava().scheduleOnce(later, context.asJava().getSelf(), command);
            return Behaviors.same();
        }
        waiting++;
        return target.apply(context, command);
    }

    @Override
    public Behavior<ConversationCommand> aroundSignal(
            TypedActorContext<ConversationCommand> context, Signal signal, SignalTarget<ConversationCommand> target) {
        if (signal == PostStop.instance()) {
            // However it ends, by a mistake of ours too.
            permit.giveBack();
        }
        return target.apply(context, signal);
    }
}
