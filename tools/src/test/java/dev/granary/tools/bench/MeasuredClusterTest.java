package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.cluster.ClusterLook;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link MeasuredCluster} as the measurements use it. */
class MeasuredClusterTest {

    @TempDir
    private Path directory = Path.of("");

    /** Its client once had no secret, and could not ask for the status. */
    @Test
    void connect_clusterWithASecret_mayAskForTheStatusAndStoresChunks() {
        try (MeasuredCluster cluster = MeasuredCluster.start(directory.resolve("cluster"), 1, 1, 64L << 20, 0, "10s");
                GranaryClient client = cluster.connect()) {
            int nid = ClusterLook.nids(client).getFirst();
            assertThat(client.get(client.create(new byte[] {1, 2}, Place.on(nid))))
                    .containsExactly(1, 2);
            assertThat(ClusterLook.nidOf(client, cluster.lastPeer().name())).isEqualTo(nid);
        }
    }
}
