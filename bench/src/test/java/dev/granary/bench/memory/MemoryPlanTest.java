package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@link MemoryPlan} on its way to another process, and what is changed of it. */
class MemoryPlanTest {

    private static final MemoryPlan PLAN = new MemoryPlan(
            "granary",
            Layout.CLASSIC,
            1_000_000,
            "16-64",
            List.of(1, 8),
            List.of(KeyDistribution.UNIFORM, KeyDistribution.ZIPF),
            "facebook-d",
            400_000,
            3,
            1_000,
            1L << 34,
            true,
            2.5,
            EnumSet.of(Part.WORKLOAD, Part.BATCHES),
            true);

    @Test
    void ofJson_planAsJson_isTheSamePlanOnOneLine() {
        assertThat(PLAN.toJson()).doesNotContain("\n");
        assertThat(MemoryPlan.ofJson(PLAN.toJson())).isEqualTo(PLAN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "{\"layout\":\"HEAP\"}", "{\"nothing\":1}"})
    void ofJson_noPlan_isRefused(String text) {
        assertThatThrownBy(() -> MemoryPlan.ofJson(text))
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("not a plan");
    }

    /** The memory was sized for chunk memory, and the plain array is measured once. */
    @Test
    void compared_anotherStore_isMeasuredByTheWorkloadAlone() {
        MemoryPlan other = PLAN.compared("chronicle", 8);
        assertThat(other.store()).isEqualTo("chronicle");
        assertThat(other.threads()).containsExactly(8);
        assertThat(other.parts()).containsExactly(Part.WORKLOAD);
        assertThat(other.memoryBytes()).isZero();
        assertThat(other.bound()).isFalse();
        assertThat(other.verify()).isFalse();
        assertThat(other.chunks()).isEqualTo(PLAN.chunks());
        assertThat(other.workload()).isEqualTo(PLAN.workload());
    }

    @Test
    void smaller_warmUp_hasNoMoreThanWasAskedForAndNoMoreThanThePlan() {
        MemoryPlan small = PLAN.smaller(1_000, 500);
        assertThat(small.chunks()).isEqualTo(1_000);
        assertThat(small.operations()).isEqualTo(500);
        assertThat(small.threads()).containsExactly(1);
        assertThat(small.rounds()).isEqualTo(1);
        assertThat(small.memoryBytes()).as("sized for fewer chunks").isZero();
        MemoryPlan same = PLAN.smaller(Long.MAX_VALUE, Integer.MAX_VALUE);
        assertThat(same.chunks()).isEqualTo(PLAN.chunks());
        assertThat(same.operations()).isEqualTo(PLAN.operations());
    }

    @Test
    void with_oneThing_leavesTheRest() {
        MemoryPlan changed = PLAN.withLayout(Layout.TYPED)
                .withSizes("8")
                .withThreads(4)
                .withWorkload("ycsb-a", "1000")
                .withParts(Set.of());
        assertThat(changed)
                .isEqualTo(new MemoryPlan(
                        "granary",
                        Layout.TYPED,
                        1_000_000,
                        "1000",
                        List.of(4),
                        PLAN.distributions(),
                        "ycsb-a",
                        400_000,
                        3,
                        1_000,
                        1L << 34,
                        true,
                        2.5,
                        Set.of(),
                        true));
    }

    /** The process gets a heap of this size, and no more. */
    @Test
    void measuringHeapBytes_moreOfAnything_isMore() {
        long bytes = PLAN.measuringHeapBytes();
        assertThat(bytes).isGreaterThan(64L << 20);
        assertThat(PLAN.withThreads(128).measuringHeapBytes()).isGreaterThan(bytes);
        assertThat(PLAN.withSizes("1000000").measuringHeapBytes()).isGreaterThan(bytes);
        assertThat(PLAN.smaller(10, 400_000).measuringHeapBytes()).isLessThan(bytes);
        assertThat(PLAN.smaller(1_000_000, 10).measuringHeapBytes()).isLessThan(bytes);
        assertThat(PLAN.withWorkload("soak", "16-64").measuringHeapBytes()).isGreaterThan(64L << 20);
    }
}
