package dev.granary.operator.control;

import dev.granary.client.ClientTlsText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells a cluster's super-peers what to do. Thread-safe. Each call takes a few seconds at most. */
public interface ClusterControl {
    /**
     * A cluster, and what proves that the operator may administer it.
     *
     * @param hosts addresses of the super-peers' pods, without ports
     * @param adminPort the port of all nodes for administration; 0 when there is none of its own
     * @param secret the cluster's secret; {@code null} for a cluster without one
     * @param tls the operator's certificate; {@code null} for a cluster without TLS
     */
    record Target(
            List<String> hosts,
            int adminPort,
            @Nullable String secret,
            @Nullable ClientTlsText tls) {
        /** A cluster whose nodes have one port for everything. */
        public Target(List<String> hosts, @Nullable String secret, @Nullable ClientTlsText tls) {
            this(hosts, 0, secret, tls);
        }

        /** Copies the addresses. */
        public Target {
            hosts = List.copyOf(hosts);
        }

        /** Says where the cluster is, and not its secret. */
        @Override
        public String toString() {
            return hosts.toString();
        }
    }

    /**
     * Starts to drain a storage peer. If its drain runs already, nothing changes.
     *
     * @throws ControlException when the super-peers refuse, or none answers
     */
    void startDrain(Target cluster, int nid);

    /** Ends every drain of a storage peer. What has moved stays where it is. */
    void abortDrain(Target cluster, int nid);

    /** Tells the ring to have {@code size} super-peers. */
    void resizeRing(Target cluster, int size);

    /** Returns the drains that the super-peers know: those that run, and the last that have ended. */
    List<DrainView> drains(Target cluster);

    /**
     * Asks every storage peer for a step of a hibernation or back, and returns their progress. The caller repeats the
     * call until all have done the step.
     */
    SleepView sleep(Target cluster, SleepStep step);

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
