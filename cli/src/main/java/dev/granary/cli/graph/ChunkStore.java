package dev.granary.cli.graph;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.util.List;

/**
 * What the graph needs of a cluster: chunks, placed, written and read in batches. A batch may have any size; the store
 * cuts it into requests. Thread-safe. Every method throws an unchecked exception of the store when the cluster does not
 * answer or has no room. A create makes all chunks of its batch or none; puts and deletes may have been done in part.
 */
public interface ChunkStore {

    /** The NIDs of the storage peers that take chunks, at least one, in an order that stays for one cluster. */
    int[] storagePeers();

    /**
     * Creates chunks of zero bytes on one storage peer.
     *
     * @return their CIDs in the order of the sizes
     */
    long[] create(int nid, int[] sizesBytes);

    /**
     * Creates chunks with these contents on one storage peer.
     *
     * @return their CIDs in the order of the objects
     */
    long[] create(int nid, List<? extends Exportable> objects);

    /**
     * Replaces the contents of chunks by others of the same size, {@code cids[i]} by the i-th object.
     *
     * @throws MissingChunkException when one of them does not exist
     */
    void put(long[] cids, List<? extends Exportable> objects);

    /**
     * Reads chunks, {@code cids[i]} into the i-th object; a CID may come more than once.
     *
     * @throws MissingChunkException when one of them does not exist
     */
    void get(long[] cids, List<? extends Importable> objects);

    /** Deletes chunks; those that do not exist are passed over. */
    void delete(long[] cids);
}
