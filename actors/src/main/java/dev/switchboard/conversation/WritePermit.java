package dev.switchboard.conversation;

import dev.switchboard.conversation.WriteAdmission.Share;
import java.time.Duration;

/**
 * The permit of one persistent actor, which has one write under way at a time. For that actor's thread alone.
 *
 * <p>Taking it twice takes one, and giving it back twice gives one: so it can be given back wherever a write may have
 * ended (answered, failed, rejected, the actor stopped or recovered), and none is ever lost.
 */
public final class WritePermit {
    private final WriteAdmission admission;
    private boolean held;

    public WritePermit(WriteAdmission admission) {
        this.admission = admission;
    }

    /** True when the actor may write now; it has to give the permit back when the journal has answered. */
    public boolean take(Share share) {
        if (!held) {
            held = admission.enter(share);
        }
        return held;
    }

    /** The write has ended, or there is none. */
    public void giveBack() {
        if (held) {
            held = false;
            admission.leave();
        }
    }

    /** What a request is told that found no room. */
    Refusal refusal() {
        return admission.refuse(WriteAdmission.Reason.WRITES_AT_ONCE);
    }

    /** What a request is told whose write the journal failed. */
    Refusal notWritten() {
        return admission.refuse(WriteAdmission.Reason.NOT_WRITTEN);
    }

    /** After how long a step that found no room is to be tried again. */
    public Duration putOff() {
        return admission.putOff();
    }
}
