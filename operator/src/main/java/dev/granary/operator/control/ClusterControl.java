package dev.granary.operator.control;

import java.util.List;

/** Tells a cluster's super-peers what to do. Thread-safe. Each call takes a few seconds at most. */
public interface ClusterControl {
    /**
     * Starts to drain a storage peer. If its drain runs already, nothing changes.
     *
     * @param hosts addresses of the super-peers' pods, without ports
     * @throws ControlException when the super-peers refuse, or none answers
     */
    void startDrain(List<String> hosts, int nid);

    /** Ends every drain of a storage peer. What has moved stays where it is. */
    void abortDrain(List<String> hosts, int nid);

    /** Tells the ring to have {@code size} super-peers. */
    void resizeRing(List<String> hosts, int size);

    /** Returns the drains that the super-peers know: those that run, and the last that have ended. */
    List<DrainView> drains(List<String> hosts);

    /**
     * Asks every storage peer for a step of a hibernation or back, and returns their progress. The caller repeats the
     * call until all have done the step.
     */
    SleepView sleep(List<String> hosts, SleepStep step);

    /** Says why a call failed; the message is for people. */
    final class ControlException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean refused;

        /**
         * Makes an exception.
         *
         * @param refused whether the call would fail again while the cluster does not change
         */
        public ControlException(String message, boolean refused, Throwable cause) {
            super(message, cause);
            this.refused = refused;
        }

        /** Whether the call would fail again while the cluster does not change. */
        public boolean refused() {
            return refused;
        }
    }
}
