package dev.granary.operator.control;

import java.util.List;

/** Tells a cluster's super-peers what to do. Thread-safe. Each call takes a few seconds at most. */
public interface ClusterControl {
    /**
     * Everything is to leave a storage peer. When that is so already, nothing changes.
     *
     * @param hosts addresses of the super-peers' pods, without ports
     * @throws ControlException when it was refused, or nobody answers
     */
    void startDrain(List<String> hosts, int nid);

    /** Ends every drain of a storage peer. What has moved stays where it is. */
    void abortDrain(List<String> hosts, int nid);

    /** Tells the ring to have {@code size} super-peers. */
    void resizeRing(List<String> hosts, int size);

    /** The drains that the super-peers know of: those that run, and the last that have ended. */
    List<DrainView> drains(List<String> hosts);

    /**
     * Asks every storage peer for a step towards sleep or back, and tells how far they are. Asked again until all are.
     */
    SleepView sleep(List<String> hosts, SleepStep step);

    /** Why something could not be done; the message is for people. */
    final class ControlException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean refused;

        /**
         * Makes one.
         *
         * @param refused whether asking again changes nothing as long as the cluster stays as it is
         */
        public ControlException(String message, boolean refused, Throwable cause) {
            super(message, cause);
            this.refused = refused;
        }

        /** Whether asking again changes nothing as long as the cluster stays as it is. */
        public boolean refused() {
            return refused;
        }
    }
}
