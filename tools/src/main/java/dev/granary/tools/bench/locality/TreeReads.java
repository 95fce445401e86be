package dev.granary.tools.bench.locality;

import dev.granary.client.GranaryClient;
import dev.granary.client.Reach;
import dev.granary.overlay.Cid;

/** Ways to read a tree whose root is known. All give the number of objects that were read. */
enum TreeReads {
    /** Each object by a get of its own, as its parent tells its CID. */
    ONE_BY_ONE("one-by-one") {
        @Override
        int read(GranaryClient client, long[] tree) {
            return follow(client, tree[0]);
        }
    },
    /** The root, then what it refers to, in one call. */
    REACHABLE("reachable") {
        @Override
        int read(GranaryClient client, long[] tree) {
            return client.getReachable(new long[] {tree[0]}, Trees::references, Reach.ofSteps(Trees.STEPS))
                    .size();
        }
    },
    /** One batch of all, for a reader that knew their CIDs: nothing can be faster. */
    KNOWN("known") {
        @Override
        int read(GranaryClient client, long[] tree) {
            int found = 0;
            for (byte[] value : client.getAll(tree)) {
                found += value == null ? 0 : 1;
            }
            return found;
        }
    };

    private final String text;

    TreeReads(String text) {
        this.text = text;
    }

    private static int follow(GranaryClient client, long cid) {
        int found = 1;
        for (long child : Trees.references(client.get(cid))) {
            if (child != Cid.NONE) {
                found += follow(client, child);
            }
        }
        return found;
    }

    /**
     * Reads a tree.
     *
     * @param tree its CIDs, the root first
     */
    abstract int read(GranaryClient client, long[] tree);

    @Override
    public String toString() {
        return text;
    }
}
