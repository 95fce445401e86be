package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeyBookTest {

    private static final long FIRST = (1L << 48) | 1;

    @Test
    void keys_consecutive_noMemoryOffHeap() {
        try (KeyBook book = new KeyBook(10_000)) {
            for (int i = 0; i < 10_000; i++) {
                book.set(i, FIRST + i);
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(book.keyOf(i)).isEqualTo(FIRST + i);
            }
            assertThat(book.offHeapBytes()).isZero();
        }
    }

    @Test
    void keys_anyOrderAndChanges_found() {
        SplittableRandom random = new SplittableRandom(7);
        long[] keys = new long[10_000];
        try (KeyBook book = new KeyBook(keys.length)) {
            for (int i = 0; i < keys.length; i++) {
                keys[i] = FIRST + random.nextInt(1_000_000);
                book.set(i, keys[i]);
            }
            for (int i = 0; i < 1_000; i++) {
                int index = random.nextInt(keys.length);
                keys[index] = FIRST + random.nextInt(1_000_000);
                book.set(index, keys[index]);
            }
            for (int i = 0; i < keys.length; i++) {
                assertThat(book.keyOf(i)).as("key of %d", i).isEqualTo(keys[i]);
            }
            assertThat(book.offHeapBytes()).isPositive();
        }
    }
}
