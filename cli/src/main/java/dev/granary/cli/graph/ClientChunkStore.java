package dev.granary.cli.graph;

import dev.granary.client.ChunkOutcome;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.Place;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import dev.granary.serialization.MalformedDataException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and writes a cluster's chunks through the Java client. The caller keeps the client and closes it. */
public final class ClientChunkStore implements ChunkStore {

    private final GranaryClient client;
    private final int[] storagePeers;

    /** Makes a store that places new chunks on the storage peers that hold a lease now. */
    public ClientChunkStore(GranaryClient client) {
        this.client = client;
        this.storagePeers = ClusterAdmin.of(client).view().livePeers().stream()
                .mapToInt(PeerInfo::nid)
                .toArray();
        if (storagePeers.length == 0) {
            throw new GraphException("no storage peer of the cluster holds a lease: there is nowhere to put"
                    + " chunks; `granary status` shows the peers");
        }
    }

    @Override
    public int[] storagePeers() {
        return storagePeers.clone();
    }

    @Override
    public long[] create(int nid, int[] sizesBytes) {
        List<byte[]> zeros = Arrays.stream(sizesBytes).mapToObj(byte[]::new).toList();
        return client.createAll(zeros, Place.on(nid));
    }

    @Override
    public long[] create(int nid, List<? extends Exportable> objects) {
        return client.createObjects(objects, Place.on(nid));
    }

    @Override
    public void put(long[] cids, List<? extends Exportable> objects) {
        ChunkOutcome[] outcomes = client.putObjects(cids, objects);
        for (int index = 0; index < cids.length; index++) {
            if (outcomes[index] != ChunkOutcome.OK) {
                throw new MissingChunkException(cids[index], outcomes[index].toString());
            }
        }
    }

    @Override
    public void get(long[] cids, List<? extends Importable> objects) {
        List<? extends @Nullable Importable> found = read(cids, objects);
        for (int index = 0; index < cids.length; index++) {
            if (found.get(index) == null) {
                throw new MissingChunkException(cids[index], "not found, or lost with its storage peer");
            }
        }
    }

    private List<? extends @Nullable Importable> read(long[] cids, List<? extends Importable> objects) {
        try {
            return client.<Importable>getObjects(cids, objects::get);
        } catch (GranaryException e) {
            if (e.getCause() instanceof MalformedDataException malformed) {
                throw new GraphMismatchException("a chunk is not what it should be: " + malformed.getMessage());
            }
            throw e;
        }
    }

    @Override
    public void delete(long[] cids) {
        client.deleteAll(cids);
    }
}
