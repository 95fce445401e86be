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

/**
 * The objects of a graph as chunks. A chunk begins with the CIDs of those that its object refers to; 0 fills it up to
 * {@value #LEAST_BYTES} bytes.
 */
final class StoredObjects {

    static final int LEAST_BYTES = ObjectGraph.FANOUT * Long.BYTES;

    private static final int PUTS_AT_ONCE = 8_192;

    /** The CIDs of what each read finds, its root first. */
    private final long[][] reads;

    private StoredObjects(long[][] reads) {
        this.reads = reads;
    }

    /**
     * Stores a graph.
     *
     * @param nids the storage peers
     * @param placed for each object the place of its peer in {@code nids}
     */
    static StoredObjects store(GranaryClient client, List<Integer> nids, ObjectGraph graph, int[] placed) {
        long[] cids = create(client, nids, placed);
        for (int from = 0; from < cids.length; from += PUTS_AT_ONCE) {
            int to = Math.min(cids.length, from + PUTS_AT_ONCE);
            List<byte[]> values = new ArrayList<>();
            for (int object = from; object < to; object++) {
                values.add(value(graph.references()[object], cids));
            }
            for (ChunkOutcome outcome : client.putAll(Arrays.copyOfRange(cids, from, to), values)) {
                if (outcome != ChunkOutcome.OK) {
                    throw new UserException("a put of an object has ended with " + outcome);
                }
            }
        }
        return new StoredObjects(Arrays.stream(graph.roots())
                .mapToObj(root -> Arrays.stream(graph.reachable(root))
                        .mapToLong(object -> cids[object])
                        .toArray())
                .toArray(long[][]::new));
    }

    private static long[] create(GranaryClient client, List<Integer> nids, int[] placed) {
        long[] cids = new long[placed.length];
        for (int peer = 0; peer < nids.size(); peer++) {
            int wanted = peer;
            int count = (int) Arrays.stream(placed).filter(at -> at == wanted).count();
            if (count == 0) {
                continue;
            }
            long[] there = client.createZeroed(count, LEAST_BYTES, Place.on(nids.get(peer)));
            int next = 0;
            for (int object = 0; object < placed.length; object++) {
                if (placed[object] == peer) {
                    cids[object] = there[next++];
                }
            }
        }
        return cids;
    }

    private static byte[] value(int[] references, long[] cids) {
        ByteBuffer value = ByteBuffer.allocate(Math.max(LEAST_BYTES, references.length * Long.BYTES));
        for (int object : references) {
            value.putLong(cids[object]);
        }
        return value.array();
    }

    /** The CIDs that a chunk has stored, and 0. */
    static long[] references(byte[] value) {
        long[] all = new long[value.length / Long.BYTES];
        ByteBuffer.wrap(value).asLongBuffer().get(all);
        return all;
    }

    /** The number of different reads. */
    int count() {
        return reads.length;
    }

    /** The CIDs of what a read finds, its root first. Not to be changed. */
    long[] cids(int read) {
        return reads[read];
    }

    /** How many objects a read finds, on average. */
    double objectsPerRead() {
        return Arrays.stream(reads).mapToInt(cids -> cids.length).average().orElse(0);
    }

    /** On how many storage peers these are, on average. */
    double peersPerRead() {
        return Arrays.stream(reads)
                .mapToLong(cids -> Arrays.stream(cids).map(Cid::nid).distinct().count())
                .average()
                .orElse(0);
    }
}
