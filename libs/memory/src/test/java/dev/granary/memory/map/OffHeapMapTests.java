package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What the tests of the off-heap map share. */
final class OffHeapMapTests {

    private OffHeapMapTests() {}

    static OffHeapMap open(int capacityMebibytes) {
        return OffHeapMap.open(
                OffHeapMapConfig.of((long) capacityMebibytes << 20).withHugePages(false));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static MemorySegment segment(String text) {
        return MemorySegment.ofArray(bytes(text));
    }

    static @Nullable String get(OffHeapMap map, String key) {
        byte[] value = map.get(bytes(key));
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }

    static void assertSound(OffHeapMap map) {
        OffHeapMapReport report = map.verify();
        assertThat(report.violations()).isEmpty();
        OffHeapMapStatistics figures = map.statistics();
        assertThat(report.entries()).isEqualTo(figures.entries());
        assertThat(figures.payloadBytes() + figures.bookkeepingBytes() + figures.freeBytes())
                .isEqualTo(figures.committedBytes() + figures.heapBytes());
    }
}
