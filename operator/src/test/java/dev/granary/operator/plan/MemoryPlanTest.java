package dev.granary.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Quantity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryPlanTest {
    @ParameterizedTest
    @CsvSource({
        "512Mi,96Mi,192Mi",
        "1Gi,96Mi,704Mi",
        "2Gi,128Mi,1696Mi",
        "4Gi,256Mi,3552Mi",
        "64Gi,1Gi,63840Mi",
        "8Ti,1Gi,8386912Mi"
    })
    void forStorage_limit_splitsIt(String limit, String heap, String chunks) {
        MemoryPlan plan = MemoryPlan.forStorage(Sizes.bytes("memory", new Quantity(limit)));
        assertThat(Sizes.quantity(plan.heapBytes())).isEqualTo(heap);
        assertThat(Sizes.quantity(plan.chunkBytes())).isEqualTo(chunks);
    }

    @Test
    void forStorage_anyLimit_partsFitAndLittleIsLeftOver() {
        for (long limit = MemoryPlan.MINIMUM_STORAGE_BYTES; limit < 64L << 30; limit += 37_000_001) {
            MemoryPlan plan = MemoryPlan.forStorage(limit);
            long parts = plan.heapBytes() + plan.directBytes() + plan.jvmBytes() + plan.chunkBytes();
            assertThat(limit - parts).as("limit %d", limit).isBetween(0L, (1L << 20) - 1);
            assertThat(plan.chunkBytes()).isGreaterThanOrEqualTo(192L << 20);
        }
    }

    @Test
    void forSuperPeer_minimum_leavesAHeap() {
        MemoryPlan plan = MemoryPlan.forSuperPeer(MemoryPlan.MINIMUM_SUPER_PEER_BYTES);
        assertThat(plan.heapBytes()).isEqualTo(112L << 20);
        assertThat(plan.chunkBytes()).isZero();
    }

    @Test
    void forStorage_belowMinimum_refusedWithWhatIsAllowed() {
        assertThatThrownBy(() -> MemoryPlan.forStorage((512L << 20) - 1))
                .isInstanceOf(InvalidSpecException.class)
                .hasMessageContaining("512Mi");
    }

    @Test
    void jvmOptions_plan_boundEveryPart() {
        assertThat(MemoryPlan.forStorage(2L << 30).jvmOptions())
                .contains("-Xmx128m", "-Xms128m", "-XX:MaxDirectMemorySize=64m", "-XX:+UseSerialGC");
    }

    @ParameterizedTest
    @CsvSource({"0,0B", "1023,1023B", "1024,1Ki", "1825361101,1.7Gi", "536870912,512Mi", "5368709120,5Gi"})
    void text_bytes_shortForPeople(long bytes, String text) {
        assertThat(Sizes.text(bytes)).isEqualTo(text);
    }
}
