package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.net.Frame;
import dev.granary.process.MemoryPlan.Area;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.process.MemoryPlanException;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.storage.recover.WindowBounds;
import dev.granary.storage.replicate.ReplicationBounds;
import dev.granary.storage.replicate.ReplicationConfig;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StorageMemoryTest {

    private static final long MIB = 1 << 20;

    @Test
    void of_theSmallestPod_boundsWhatUsedToBeLargerThanIt() {
        StorageMemory memory = StorageMemory.of(new Limits(64 * MIB, 96 * MIB));
        ReplicationConfig replication = memory.bound(ReplicationConfig.defaults());
        ReplicationBounds bounds = replication.bounds();

        assertThat(told(memory, Area.DIRECT)).isLessThanOrEqualTo(56 * MIB);
        assertThat(told(memory, Area.HEAP)).isLessThanOrEqualTo(48 * MIB);
        assertThat(bounds.pendingBytes()).isGreaterThanOrEqualTo(Frame.MAX_CHUNK_BYTES + 2 * MIB);
        assertThat(bounds.largestChangeBytes()).isEqualTo(bounds.pendingBytes());
        assertThat(bounds.shippedBytes()).isGreaterThanOrEqualTo(Frame.MAX_CHUNK_BYTES + MIB);
        assertThat(replication.requestBytes()).isGreaterThanOrEqualTo(64 << 10);
    }

    /** Returns the sum of the bounds that the parts are told, over the plan's shares of an area. */
    private static long told(StorageMemory memory, Area area) {
        return memory.plan().shares().stream()
                .filter(share -> share.area() == area)
                .mapToLong(share -> told(memory, share.name()))
                .sum();
    }

    private static long told(StorageMemory memory, String share) {
        ReplicationBounds bounds = memory.bound(ReplicationConfig.defaults()).bounds();
        BackupLogOptions log = memory.bound(BackupLogOptions.defaults());
        return switch (share) {
            case StorageMemory.INBOUND -> memory.inboundBytes();
            case StorageMemory.KEY_INDEX -> memory.indexBytes();
            case StorageMemory.OUTBOUND -> memory.outboundBytes();
            case StorageMemory.PENDING -> bounds.pendingBytes();
            case StorageMemory.SHIPMENTS -> bounds.shippedBytes();
            case StorageMemory.PARKED -> memory.parkedBytes();
            case StorageMemory.HELD -> bounds.heldBytes();
            case StorageMemory.WINDOWS -> 2L * memory.window().maxBytes() * 3 / 2;
            case StorageMemory.WINDOW_TABLES -> 2L * memory.window().maxChunks() * WindowBounds.BYTES_PER_CHUNK;
            case StorageMemory.LOG_INDEX -> log.indexBytes();
            case StorageMemory.LOG_BUFFER -> log.bufferBytes();
            case StorageMemory.SPOOLS -> memory.spoolBytes();
            case StorageMemory.BULK -> bounds.transferBytes();
            case StorageMemory.COMPLETED -> memory.completedBytes();
            case StorageMemory.NAMES -> memory.nameBytes();
            default -> throw new AssertionError("share '" + share + "' is in no part's bounds");
        };
    }

    @Test
    void of_aLargeProcess_leavesWhatIsConfigured() {
        StorageMemory memory = StorageMemory.ample();

        ReplicationConfig replication = memory.bound(ReplicationConfig.defaults());
        assertThat(replication.requestBytes())
                .isEqualTo(ReplicationConfig.defaults().requestBytes());
        assertThat(replication.bounds())
                .isEqualTo(new ReplicationBounds(128 * MIB, 128 * MIB, 256 * MIB, 64 * MIB, 72 * MIB));
        assertThat(memory.bound(BackupLogOptions.defaults())).isEqualTo(BackupLogOptions.defaults());
        assertThat(memory.window()).isEqualTo(WindowBounds.usual());
        assertThat(memory.bound(BackupLogOptions.small())).isEqualTo(BackupLogOptions.small());
    }

    @Test
    void bytesUsed_aPeerThatServes_areKnownOfEachShare() {
        try (NodeFixture peer = new NodeFixture()) {
            peer.ready().client().create("a chunk".getBytes(UTF_8));

            assertThat(StorageMemory.ample().plan().shares()).allSatisfy(share -> assertThat(peer.sample(
                            "granary_memory_plan_used_bytes",
                            "area",
                            share.area().name().toLowerCase(Locale.ROOT),
                            "share",
                            share.name()))
                    .as(share.name())
                    .isNotNegative());
            assertThat(peer.sample("granary_memory_plan_used_bytes", "area", "heap", "share", "completed-requests"))
                    .isPositive();
        }
    }

    @Test
    void of_tooLittle_saysWhatToChange() {
        assertThatThrownBy(() -> StorageMemory.of(new Limits(56 * MIB, 96 * MIB)))
                .isInstanceOf(MemoryPlanException.class)
                .hasMessageContaining("set -XX:MaxDirectMemorySize=");
    }

    @Test
    void configuration_planBelowWhatIsNeeded_isRefused() {
        Map<String, String> environment =
                Map.of("GRANARY_CLUSTER_SEEDS", "localhost:7400", "GRANARY_MEMORY_PLAN_DIRECT", "20Mi");
        Config config = Config.load(StorageKeys.schema(), null, environment);

        assertThatThrownBy(() -> StorageKeys.nodeConfig(config, StorageKeys.NODE.read(config, "here")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("20 MiB of direct memory");
    }

    @Test
    void configuration_smallPlan_boundsTheNode() {
        Map<String, String> environment = Map.of(
                "GRANARY_CLUSTER_SEEDS", "localhost:7400",
                "GRANARY_MEMORY_PLAN_DIRECT", "64Mi",
                "GRANARY_MEMORY_PLAN_HEAP", "96Mi");
        Config config = Config.load(StorageKeys.schema(), null, environment);
        StorageNodeConfig node = StorageKeys.nodeConfig(config, StorageKeys.NODE.read(config, "here"));

        assertThat(node.replication().bounds().pendingBytes()).isLessThan(32 * MIB);
        assertThat(node.backupLog().indexBytes()).isLessThan(32 * MIB);
    }
}
