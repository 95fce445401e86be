package dev.granary.operator.observe;

/** Asks a cluster's super-peers for the state of the cluster. Thread-safe. */
@FunctionalInterface
public interface ClusterObserver {
    /**
     * Asks the super-peers in turn until one answers, and returns the answer. Takes a few seconds at most for each.
     *
     * @param superPeers the super-peers' pods
     */
    Answer observe(HttpPlaces superPeers);

    /** The answer of the super-peers. */
    sealed interface Answer {
        /** A super-peer answered. */
        record Seen(ClusterView view) implements Answer {}

        /** No super-peer answered; the reason is for people. */
        record Unreachable(String reason) implements Answer {}
    }
}
