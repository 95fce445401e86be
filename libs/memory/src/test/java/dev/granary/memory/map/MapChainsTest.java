package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MapChainsTest {

    /** What the largest block of a small map has room for. */
    private static final int PIECE = (16 << 10) - MapChains.PIECE_HEADER_BYTES;

    private static final String KEY = "the key";

    private final MapRig rig = new MapRig();
    private final MapChains chains = rig.parts.chains();
    private final Random random = new Random(5);

    /** Room for the forward, which a group has otherwise. */
    private final long holder = rig.slabs.allocate(0);

    private final long forward = MapBlockSizes.address(holder);
    private final long liveBefore = rig.slabs.liveBytes();

    @AfterEach
    void close() {
        assertThat(rig.slabs.liveBytes()).isEqualTo(liveBefore);
        rig.slabs.free(holder);
        rig.close();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1017, 1", "16353, 1", "16354, 2", "16400, 2", "100000, 7"})
    void write_valueOfAnySize_isThereInPiecesAndCanBeFreed(int size, int pieces) {
        byte[] value = bytes(size);
        MapEntry entry = rig.entry(KEY, MemorySegment.ofArray(value), OffHeapMap.NEVER);

        long first = write(entry);

        int count = 0;
        int sum = 0;
        for (long piece = first; piece != 0; piece = MapChains.next(rig.memory, piece)) {
            count++;
            sum += MapChains.payloadBytes(rig.memory, piece);
            assertThat(MapChains.hash(rig.memory, piece)).isEqualTo(rig.hash(KEY));
        }
        assertThat(count).isEqualTo(pieces);
        assertThat(sum).isEqualTo(KEY.length() + size);
        assertThat(MapChains.keyBytes(rig.memory, forward)).isEqualTo(KEY.length());
        assertThat(MapChains.valueBytes(rig.memory, forward)).isEqualTo(size);
        assertThat(read(first, KEY.length(), size)).isEqualTo(value);
        assertThat(MapChains.isValue(rig.memory, forward, MemorySegment.ofArray(value), 0, size))
                .isTrue();
        chains.free(first);
    }

    @Test
    void copyOut_partThatCrossesPieces_isThatPart() {
        byte[] value = bytes(3 * PIECE);
        long first = write(rig.entry(KEY, MemorySegment.ofArray(value), OffHeapMap.NEVER));
        for (int skip : new int[] {0, 1, PIECE - KEY.length() - 1, PIECE - KEY.length(), 2 * PIECE}) {
            for (int size : new int[] {0, 1, 2, PIECE - 100}) {
                assertThat(read(first, KEY.length() + skip, size))
                        .isEqualTo(Arrays.copyOfRange(value, skip, skip + size));
            }
        }
        chains.free(first);
    }

    @Test
    void copyOut_chainThatEndsTooEarly_saysSo() {
        long first = write(rig.entry(KEY, MemorySegment.ofArray(bytes(2 * PIECE)), OffHeapMap.NEVER));
        MemorySegment target = MemorySegment.ofArray(new byte[3 * PIECE]);
        assertThat(MapChains.copyOut(rig.memory, first, 0, target, 0, 2 * PIECE + KEY.length()))
                .isTrue();
        assertThat(MapChains.copyOut(rig.memory, first, 0, target, 0, 2 * PIECE + KEY.length() + 1))
                .isFalse();
        assertThat(MapChains.copyOut(rig.memory, holder, 0, target, 0, 1)).isFalse();
        chains.free(first);
    }

    @Test
    void isKeyAndIsValue_oneByteIsDifferent_areFalse() {
        byte[] value = bytes(2 * PIECE);
        long first = write(rig.entry(KEY, MemorySegment.ofArray(value), OffHeapMap.NEVER));
        assertThat(isKey(KEY, rig.hash(KEY))).isTrue();
        assertThat(isKey("the kez", rig.hash(KEY))).isFalse();
        assertThat(isKey("the ke", rig.hash(KEY))).isFalse();
        assertThat(isKey(KEY, rig.hash("the kez"))).isFalse();
        for (int at : new int[] {0, PIECE, 2 * PIECE - 1}) {
            byte[] other = value.clone();
            other[at]++;
            assertThat(MapChains.isValue(rig.memory, forward, MemorySegment.ofArray(other), 0, other.length))
                    .isFalse();
        }
        assertThat(MapChains.isValue(rig.memory, forward, MemorySegment.ofArray(value), 0, value.length - 1))
                .isFalse();
        chains.free(first);
    }

    @Test
    void write_valueThatIsClosed_takesNothing() {
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(2 * PIECE);
        }
        MapEntry entry = rig.entry(KEY, closed, OffHeapMap.NEVER);
        assertThatThrownBy(() -> chains.write(entry)).isInstanceOf(IllegalStateException.class);
    }

    private boolean isKey(String key, long hash) {
        return MapChains.isKey(rig.memory, forward, hash, MapRig.segment(key), 0, key.length());
    }

    private long write(MapEntry entry) {
        long first = chains.write(entry);
        assertThat(first).isNotZero();
        entry.withChain(first).writeData(rig.memory, forward);
        assertThat(MapChains.first(rig.memory, forward)).isEqualTo(first);
        return first;
    }

    private byte[] read(long first, int skip, int size) {
        MemorySegment target = MemorySegment.ofArray(new byte[size]);
        assertThat(MapChains.copyOut(rig.memory, first, skip, target, 0, size)).isTrue();
        return target.toArray(ValueLayout.JAVA_BYTE);
    }

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }
}
