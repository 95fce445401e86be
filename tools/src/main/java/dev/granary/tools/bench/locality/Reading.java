package dev.granary.tools.bench.locality;

import dev.granary.client.GranaryClient;
import dev.granary.client.Reach;
import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Ways to read an object whose CID is known, and what it reaches. All give the number of objects that were read. */
enum Reading {
    /** Each object by a get of its own, once another one has told its CID. */
    ONE_BY_ONE("one-by-one") {
        @Override
        int read(GranaryClient client, long[] cids) {
            Set<Long> seen = new HashSet<>(List.of(cids[0]));
            List<Long> edge = List.of(cids[0]);
            for (int step = 0; step <= ObjectGraph.STEPS; step++) {
                List<Long> next = new ArrayList<>();
                for (long cid : edge) {
                    byte[] value = client.get(cid);
                    for (long other : step < ObjectGraph.STEPS ? StoredObjects.references(value) : NONE) {
                        if (other != Cid.NONE && seen.add(other)) {
                            next.add(other);
                        }
                    }
                }
                edge = next;
            }
            return seen.size();
        }
    },
    /** The object, then what it refers to, in one call. */
    REACHABLE("reachable") {
        @Override
        int read(GranaryClient client, long[] cids) {
            return client.getReachable(
                            new long[] {cids[0]}, StoredObjects::references, Reach.ofSteps(ObjectGraph.STEPS))
                    .size();
        }
    },
    /** One batch of all, for a reader that knew their CIDs: nothing can be faster. */
    KNOWN("known") {
        @Override
        int read(GranaryClient client, long[] cids) {
            int found = 0;
            for (byte[] value : client.getAll(cids)) {
                found += value == null ? 0 : 1;
            }
            return found;
        }
    };

    private static final long[] NONE = {};

    private final String text;

    Reading(String text) {
        this.text = text;
    }

    /**
     * Reads.
     *
     * @param cids of what is found, the object first with which the read begins
     */
    abstract int read(GranaryClient client, long[] cids);

    @Override
    public String toString() {
        return text;
    }
}
