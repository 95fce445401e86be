package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkOutcome;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What a client does about lost chunks. */
class LostRangeTest {

    private static final byte[] VALUE = {1, 2, 3};
    private static final long CID = Cid.of(ScriptedCluster.STORAGE_NID, 1);

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final AsyncGranaryClient client = cluster.client(ScriptedCluster.options());

    @Test
    void put_chunkOfARangeThatWasLostBeforeItsCreatorCameBack_isSent() {
        cluster.placement = new Placement(Nid.NONE, new int[0], 2, 0, PlacementState.LOST);
        assertThatThrownBy(() -> cluster.await(client.get(CID)))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(ChunkLostException.class);

        cluster.placement = Placement.unreplicated(ScriptedCluster.STORAGE_NID, 3);
        cluster.await(client.put(CID + 1, VALUE));

        assertThat(cluster.changes).hasSize(1);
    }

    @Test
    void putAll_manyChunksOfALostRange_allLost() {
        cluster.placement = new Placement(Nid.NONE, new int[0], 2, 0, PlacementState.LOST);
        ChunkOutcome[] outcomes = cluster.await(client.putAll(new long[] {CID, CID + 1}, List.of(VALUE, VALUE)));
        assertThat(outcomes).containsOnly(ChunkOutcome.LOST);
        assertThat(cluster.changes).isEmpty();
    }
}
