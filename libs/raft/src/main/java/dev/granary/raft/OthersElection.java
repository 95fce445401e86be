package dev.granary.raft;

/**
 * Holds a follower back while another member's election is under way: whoever is asked for its vote waits as long as an
 * election may take before it asks for one of its own (Raft, section 5.2). The library looks for a leader once a heartbeat
 * instead, and would disturb each election that takes longer than that.
 *
 * <p>Not more than {@link #MOST_HELD} times without a leader in between: one who asks again and again, and hears no
 * answers, is not to keep the others from electing somebody else.
 */
final class OthersElection {

    private static final int MOST_HELD = 3;

    private int held;
    private boolean underWay;
    private long endNanos;

    /** Another member asks for a vote, in a term that is new here. */
    void began(long nowNanos, long lengthNanos) {
        if (held < MOST_HELD) {
            held++;
            underWay = true;
            endNanos = nowNanos + lengthNanos;
        }
    }

    /** There is a leader. */
    void ended() {
        held = 0;
        underWay = false;
    }

    boolean isUnderWay(long nowNanos) {
        return underWay && nowNanos - endNanos < 0;
    }
}
