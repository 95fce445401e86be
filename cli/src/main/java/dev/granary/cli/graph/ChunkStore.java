package dev.granary.cli.graph;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.util.List;

/**
 * The operations of a cluster that the graph needs: placing, writing and reading chunks in batches. A batch may have
 * any size; the store cuts it into requests. Thread-safe. Every method throws an unchecked exception of the store when
 * the cluster does not answer or has no room. A failed create has made no chunk of its batch; a failed put or delete
 * may have changed some chunks.
 */
public interface ChunkStore {

    /** The NIDs of the storage peers that take chunks, at least one. The order stays the same for one cluster. */
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
     * Replaces the content of {@code cids[i]} by the i-th object, which has the same size.
     *
     * @throws MissingChunkException when one of them does not exist
     */
    void put(long[] cids, List<? extends Exportable> objects);

    /**
     * Reads {@code cids[i]} into the i-th object. A CID may appear more than once.
     *
     * @throws MissingChunkException when one of them does not exist
     */
    void get(long[] cids, List<? extends Importable> objects);

    /** Deletes chunks and ignores those that do not exist. */
    void delete(long[] cids);
}
