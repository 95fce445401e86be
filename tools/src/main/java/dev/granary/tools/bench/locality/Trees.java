package dev.granary.tools.bench.locality;

import dev.granary.cli.base.UserException;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import dev.granary.overlay.Cid;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Objects that refer to others: a root, its children, and theirs. Each chunk has {@value #VALUE_BYTES} bytes, which
 * begin with the CIDs of {@value #CHILDREN} children, 0 in leaves.
 */
final class Trees {

    static final int CHILDREN = 8;

    /** How many references lead from a root to a leaf. */
    static final int STEPS = 2;

    /** The root, 8 children, 64 leaves. */
    static final int OBJECTS = 1 + CHILDREN + CHILDREN * CHILDREN;

    static final int VALUE_BYTES = CHILDREN * Long.BYTES;

    private static final int TREES_AT_ONCE = 100;

    /** The CIDs of a tree, its root first, level by level. */
    private final long[][] trees;

    private Trees(long[][] trees) {
        this.trees = trees;
    }

    /**
     * Makes trees.
     *
     * @param nids the storage peers, which get equally many chunks
     * @param near whether the chunks of a tree are on one storage peer; otherwise each is on one drawn at random
     */
    static Trees make(GranaryClient client, List<Integer> nids, int count, boolean near) {
        int each = (count + nids.size() - 1) / nids.size() * OBJECTS;
        long[] cids = new long[each * nids.size()];
        for (int i = 0; i < nids.size(); i++) {
            long[] there = client.createZeroed(each, VALUE_BYTES, Place.on(nids.get(i)));
            System.arraycopy(there, 0, cids, i * each, each);
        }
        if (!near) {
            shuffle(cids);
        }
        long[][] trees = new long[cids.length / OBJECTS][];
        Arrays.setAll(trees, tree -> Arrays.copyOfRange(cids, tree * OBJECTS, (tree + 1) * OBJECTS));
        Trees all = new Trees(trees);
        all.put(client);
        return all;
    }

    private static void shuffle(long[] cids) {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = cids.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            long cid = cids[i];
            cids[i] = cids[other];
            cids[other] = cid;
        }
    }

    private void put(GranaryClient client) {
        for (int from = 0; from < trees.length; from += TREES_AT_ONCE) {
            long[][] some = Arrays.copyOfRange(trees, from, Math.min(trees.length, from + TREES_AT_ONCE));
            List<byte[]> values = new ArrayList<>();
            for (long[] tree : some) {
                for (int number = 0; number < OBJECTS; number++) {
                    values.add(value(tree, number));
                }
            }
            long[] cids = Arrays.stream(some).flatMapToLong(Arrays::stream).toArray();
            for (ChunkOutcome outcome : client.putAll(cids, values)) {
                if (outcome != ChunkOutcome.OK) {
                    throw new UserException("a put of an object has ended with " + outcome);
                }
            }
        }
    }

    private static byte[] value(long[] tree, int number) {
        ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
        int first = 1 + number * CHILDREN;
        for (int child = first; child < first + CHILDREN; child++) {
            value.putLong(child < OBJECTS ? tree[child] : Cid.NONE);
        }
        return value.array();
    }

    /** The CIDs that a chunk has stored. */
    static long[] references(byte[] value) {
        long[] all = new long[CHILDREN];
        ByteBuffer.wrap(value).asLongBuffer().get(all);
        return all;
    }

    int count() {
        return trees.length;
    }

    /** The CIDs of a tree, its root first. Not to be changed. */
    long[] cids(int tree) {
        return trees[tree];
    }

    /** On how many storage peers the chunks of a tree are, on average. */
    double peersPerTree() {
        return Arrays.stream(trees)
                .mapToLong(tree -> Arrays.stream(tree).map(Cid::nid).distinct().count())
                .average()
                .orElse(0);
    }
}
