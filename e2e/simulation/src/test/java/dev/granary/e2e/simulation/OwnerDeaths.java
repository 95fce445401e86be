package dev.granary.e2e.simulation;

import dev.granary.testkit.History;
import java.util.TreeSet;

/** Tells the history when the chunks of a NID are lost: its process died, or another one took the NID over. */
final class OwnerDeaths {

    private final History history;
    private final TreeSet<Integer> opened = new TreeSet<>();

    OwnerDeaths(History history) {
        this.history = history;
    }

    /** A process begins to serve a NID with an empty memory. */
    void opened(int nid) {
        if (!opened.add(nid)) {
            history.ownerDied(nid);
        }
    }

    /** The process that served a NID is dead. */
    void died(int nid) {
        history.ownerDied(nid);
    }
}
