package dev.granary.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link KeyNames}, and what else follows from numbers: {@link Operation}, {@link Values} and {@link Zipfian}. */
class KeyNamesTest {

    private static String name(KeyNames names, long number) {
        byte[] key = names.template();
        names.write(number, key);
        return new String(key, StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 15, 16, 21, 250})
    void write_mixedKeys_haveTheirSizeAndAreAllDifferent(int bytes) {
        KeyNames names = KeyNames.mixed(bytes);
        Set<String> all = new HashSet<>();
        long count = Math.min(names.most(), 100_000);
        for (long number = 0; number < count; number++) {
            all.add(name(names, number));
        }
        assertThat(all).hasSize((int) count).allSatisfy(key -> assertThat(key).hasSize(bytes));
    }

    @Test
    void write_countedKeys_areThoseOfRedisBenchmark() {
        assertThat(name(KeyNames.counted(), 1234)).isEqualTo("key:000000001234");
    }

    @Test
    void mixed_sizeThatNoStoreTakes_isRefused() {
        assertThatThrownBy(() -> KeyNames.mixed(3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> KeyNames.mixed(251)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void operation_kindKeyAndVersion_areReadAgain() {
        long set = Operation.set(Operation.MOST_KEYS - 1, 255);
        assertThat(Operation.kind(set)).isEqualTo(Operation.Kind.SET);
        assertThat(Operation.key(set)).isEqualTo(Operation.MOST_KEYS - 1);
        assertThat(Operation.version(set)).isEqualTo(255);
        assertThat(Operation.kind(Operation.get(5))).isEqualTo(Operation.Kind.GET);
        assertThat(Operation.kind(Operation.delete(5))).isEqualTo(Operation.Kind.DELETE);
        assertThat(Operation.key(Operation.delete(5))).isEqualTo(5);
    }

    @Test
    void size_manyKeys_isUniformWithinTheBounds() {
        Values values = new Values(16, 128);
        long sum = 0;
        for (long key = 0; key < 100_000; key++) {
            int size = values.size(key, 0);
            assertThat(size).isBetween(16, 128);
            sum += size;
        }
        assertThat(sum / 100_000.0).isBetween(71.5, 72.5);
    }

    @Test
    void nextRank_manyDraws_followsTheLaw() {
        Zipfian zipfian = new Zipfian(1_000, 1.49, new SplittableRandom(1));
        int[] drawn = new int[1_000];
        for (int i = 0; i < 200_000; i++) {
            drawn[zipfian.nextRank()]++;
        }
        assertThat(drawn[0] / (double) drawn[3]).isBetween(Math.pow(4, 1.49) * 0.9, Math.pow(4, 1.49) * 1.1);
    }
}
