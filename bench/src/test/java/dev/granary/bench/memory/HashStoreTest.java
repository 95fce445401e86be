package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each table of {@link HashStore} against a map: a benchmark of a table that loses entries would say nothing. */
class HashStoreTest {

    private static final SizePattern EIGHT = new SizePattern(SizeDistribution.parse("8"), 1);

    private final Scratch scratch = new Scratch(Long.BYTES);

    private void write(BenchStore store, long index, long value) {
        scratch.segment().set(JAVA_LONG_UNALIGNED, 0, value);
        assertThat(store.put(store.keyOf(index), scratch, Long.BYTES)).isTrue();
    }

    private long read(BenchStore store, long index) {
        assertThat(store.get(store.keyOf(index), scratch)).isEqualTo(Long.BYTES);
        return scratch.segment().get(JAVA_LONG_UNALIGNED, 0);
    }

    @ParameterizedTest
    @EnumSource(HashStore.Kind.class)
    void table_asManyObjectsAsItIsFor_hasTheLastValueOfEach(HashStore.Kind kind) throws Exception {
        int objects = 20_000;
        SplittableRandom random = new SplittableRandom(3);
        Map<Long, Long> model = new HashMap<>();
        try (BenchStore store = HashStore.factory(kind).open(objects, EIGHT)) {
            for (long i = 0; i < objects; i++) {
                long value = random.nextLong(Long.MAX_VALUE);
                scratch.segment().set(JAVA_LONG_UNALIGNED, 0, value);
                store.insert(i, scratch, Long.BYTES);
                model.put(i, value);
            }
            for (int change = 0; change < objects; change++) {
                long index = random.nextInt(objects);
                long value = random.nextLong(Long.MAX_VALUE);
                write(store, index, value);
                model.put(index, value);
            }
            model.forEach((index, value) -> assertThat(read(store, index)).isEqualTo(value));
            assertThat(store.get(store.keyOf(objects), scratch)).as("absent").isNegative();
            assertThat(store.get(store.keyOf(1L << 40), scratch)).as("absent").isNegative();
        }
    }

    @ParameterizedTest
    @EnumSource(HashStore.Kind.class)
    void table_object0AndValue0_areThere(HashStore.Kind kind) throws Exception {
        try (BenchStore store = HashStore.factory(kind).open(10, EIGHT)) {
            assertThat(store.get(store.keyOf(0), scratch)).isNegative();
            write(store, 0, 0);
            assertThat(read(store, 0)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(HashStore.Kind.class)
    void open_valuesOfOtherSizes_isRefused(HashStore.Kind kind) {
        for (String sizes : new String[] {"16", "8-16", "4-8"}) {
            SizePattern other = new SizePattern(SizeDistribution.parse(sizes), 1);
            assertThatThrownBy(() -> HashStore.factory(kind).open(10, other))
                    .as(sizes)
                    .isInstanceOf(BadOptionException.class)
                    .hasMessageContaining("8 B");
        }
    }

    @ParameterizedTest
    @EnumSource(HashStore.Kind.class)
    void kind_name_isThatOfTheResults(HashStore.Kind kind) {
        assertThat(HashStore.factory(kind).store()).isEqualTo(kind.toString()).matches("[a-z-]+");
    }
}
