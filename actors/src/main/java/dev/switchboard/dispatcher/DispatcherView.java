package dev.switchboard.dispatcher;

import java.util.List;

/**
 * The figures of an affinity dispatcher at one time. Immutable but for the histograms, which are copies.
 *
 * @param id the dispatcher's id: its path in the configuration
 * @param lanesInUse on how many lanes sessions are scheduled now
 * @param grown how often a lane was taken into use for the backlog
 * @param shrunk how often one was given up again
 * @param wakeUpNs the latency of a wake-up lately, of the lane in use where it is longest; or as it is set
 * @param parkNs the processor time that one park costs, the producer's and the lane's
 * @param napNs the processor time that one nap costs
 * @param lanes every lane that may be used
 */
public record DispatcherView(
        String id,
        int lanesInUse,
        long grown,
        long shrunk,
        long wakeUpNs,
        long parkNs,
        long napNs,
        List<LaneView> lanes) {
    public DispatcherView {
        lanes = List.copyOf(lanes);
    }
}
