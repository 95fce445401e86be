package dev.granary.simulation;

import dev.granary.testkit.History;
import java.util.TreeMap;

/** Tells the history when the chunks of a NID are lost: its process died, or another one took the NID over. */
final class OwnerDeaths {

    private final History history;
    private final TreeMap<Integer, Integer> openings = new TreeMap<>();

    OwnerDeaths(History history) {
        this.history = history;
    }

    /**
     * A process begins to serve a NID with an empty memory.
     *
     * @return the number of this opening
     */
    int opened(int nid) {
        int opening = openings.merge(nid, 1, Integer::sum);
        if (opening > 1) {
            history.ownerDied(nid);
        }
        return opening;
    }

    /** A process that served a NID is dead; nothing new if another one has opened it since. */
    void died(int nid, int opening) {
        if (openings.getOrDefault(nid, 0) == opening) {
            history.ownerDied(nid);
        }
    }
}
