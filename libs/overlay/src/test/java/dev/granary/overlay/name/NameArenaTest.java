package dev.granary.overlay.name;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NameArenaTest {

    private final NameArena arena = new NameArena();

    private static byte[] key(Random random, int length) {
        byte[] key = new byte[length];
        random.nextBytes(key);
        return key;
    }

    /** Lengths around one and two bytes of length, and the longest name. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 255, 256, 1024})
    void add_keyOfALength_isReadBack(int length) {
        byte[] key = key(new Random(length), length);
        int before = arena.add(new byte[] {1});

        int place = arena.add(key);
        int after = arena.add(new byte[] {2});

        assertThat(arena.key(place)).isEqualTo(key);
        assertThat(arena.equals(place, key)).isTrue();
        assertThat(arena.equals(place, Arrays.copyOf(key, length + 1))).isFalse();
        assertThat(arena.key(before)).containsExactly(1);
        assertThat(arena.key(after)).containsExactly(2);
        assertThat(arena.usedBytes()).isEqualTo(NameArena.sizeOf(length) + 2L * NameArena.sizeOf(1));
    }

    @ParameterizedTest
    @CsvSource({"0, 4", "3, 4", "4, 8", "127, 128", "128, 132", "1024, 1028"})
    void sizeOf_lengths_areRoundedUpToTheAlignment(int length, int bytes) {
        assertThat(NameArena.sizeOf(length)).isEqualTo(bytes);
    }

    @Test
    void firstDifference_bitsOfBytesAndEnds_asBranchesSeeThem() {
        int place = arena.add(new byte[] {'a', 'b'});

        assertThat(arena.firstDifference(place, new byte[] {'a', 'b'})).isEqualTo(-1);
        assertThat(arena.firstDifference(place, new byte[] {'a'}))
                .as("the name ends where the key goes on")
                .isEqualTo(NameArena.BITS_PER_BYTE);
        assertThat(arena.firstDifference(place, new byte[] {'a', 'b', 0})).isEqualTo(2 * NameArena.BITS_PER_BYTE);
        assertThat(arena.firstDifference(place, new byte[] {'a', (byte) ('b' ^ 0x80)}))
                .as("the highest bit comes first, behind the one that says that there is a byte")
                .isEqualTo(NameArena.BITS_PER_BYTE + 1);
        assertThat(arena.firstDifference(place, new byte[] {(byte) ('a' ^ 1), 'b'}))
                .isEqualTo(8);
    }

    @Test
    void add_manyKeys_noneCrossesAPageAndAllAreReadBack() {
        Random random = new Random(5);
        Map<Integer, byte[]> keys = new LinkedHashMap<>();
        long bytes = 0;
        for (int i = 0; i < 2000; i++) {
            byte[] key = key(random, random.nextInt(1025));
            keys.put(arena.add(key), key);
            bytes += NameArena.sizeOf(key.length);
        }

        assertThat(keys).as("each has a place of its own").hasSize(2000);
        keys.forEach((place, key) -> assertThat(arena.key(place)).isEqualTo(key));
        assertThat(arena.usedBytes()).isEqualTo(bytes);
        assertThat(arena.footprintBytes()).isGreaterThan(bytes).isLessThan(bytes + (bytes >> 3));
        assertThat(arena.isWasteful()).isFalse();
    }

    @Test
    void free_halfOfManyKeys_isWastefulUntilCleared() {
        int[] places = new int[1000];
        for (int i = 0; i < places.length; i++) {
            places[i] = arena.add(new byte[500]);
        }
        for (int i = 0; i < places.length; i += 2) {
            arena.free(places[i]);
        }

        assertThat(arena.usedBytes()).isEqualTo(500L * NameArena.sizeOf(500));
        assertThat(arena.isWasteful()).isTrue();
        assertThat(arena.key(places[0])).as("its bytes stay until then").hasSize(500);

        arena.clear();

        assertThat(arena.usedBytes()).isZero();
        assertThat(arena.isWasteful()).isFalse();
        assertThat(arena.key(arena.add(new byte[] {9}))).containsExactly(9);
    }
}
