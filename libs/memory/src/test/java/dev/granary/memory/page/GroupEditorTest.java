package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupEditorTest {

    private final OpenMemory open = new OpenMemory(MemoryLayout.TYPED, 4 << 20, 1);
    private final GroupEditor editor = open.space.groups;
    private final List<Long> words = new ArrayList<>();

    /** What a LID has: its code and what its bytes are filled with. */
    private final int[] codes = new int[Group.LIDS];

    private final int[] fills = new int[Group.LIDS];

    @AfterEach
    void close() {
        words.forEach(word -> open.stripes.free(EntryLayout.address(word), Group.blockBytes(open.vmb, word)));
        open.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void setCode_randomCodes_othersKeepTheirBytes(boolean wide) {
        long seed = 11;
        Random random = new Random(seed);
        long word = make(wide, wide ? 0 : 40, 30_000);
        for (int round = 0; round < 2000; round++) {
            int index = random.nextInt(Group.LIDS);
            int size = wide ? random.nextInt(450) : 40 + random.nextInt(Group.BAND);
            int code =
                    switch (random.nextInt(4)) {
                        case 0 -> 0;
                        case 1 -> Group.forwardCode(word);
                        default -> Group.codeOf(word, size);
                    };
            if (editor.hasRoom(word, index, code)) {
                set(word, index, code, random.nextInt(256));
            }
            if (round % 50 == 0) {
                assertGroup(word, "seed %d, round %d".formatted(seed, round));
            }
        }
        assertGroup(word, "seed %d".formatted(seed));
    }

    @Test
    void setCode_largerAndSmaller_keepsTheFirstBytesOfTheChunk() {
        long word = make(false, 0, 500);
        set(word, 3, Group.codeOf(word, 50), 1);
        set(word, 4, Group.codeOf(word, 60), 2);
        for (int size : new int[] {200, 20}) {
            long at = editor.setCode(word, 3, Group.codeOf(word, size));
            codes[3] = Group.codeOf(word, size);
            for (int i = 0; i < Math.min(size, 50); i++) {
                assertThat(open.vmb.getByte(at + i)).isEqualTo(1);
            }
            fill(at, size, 1);
            assertGroup(word, "size " + size);
        }
    }

    @Test
    void hasRoom_aGroupThatIsFull_onlyForFewerBytes() {
        long word = make(false, 0, 100);
        set(word, 0, Group.codeOf(word, 60), 1);
        set(word, 1, Group.codeOf(word, 40), 2);
        assertThat(editor.hasRoom(word, 2, Group.codeOf(word, 1))).isFalse();
        assertThat(editor.hasRoom(word, 2, Group.codeOf(word, 0))).isTrue();
        assertThat(editor.hasRoom(word, 1, Group.codeOf(word, 40))).isTrue();
        assertThat(editor.hasRoom(word, 1, Group.codeOf(word, 41))).isFalse();
        assertThat(editor.end(word)).isEqualTo(100);
        assertThat(editor.capacity(word)).isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 40})
    void copy_toAnotherShape_hasTheSameChunks(int minimum) {
        long from = make(false, minimum, 20_000);
        Random random = new Random(minimum);
        for (int i = 0; i < Group.LIDS; i += 1 + random.nextInt(3)) {
            int code = i % 5 == 0 ? Group.forwardCode(from) : Group.codeOf(from, minimum + random.nextInt(200));
            set(from, i, code, i);
        }
        long wide = make(true, 0, 20_000);
        editor.copy(from, wide);
        for (int i = 0; i < Group.LIDS; i++) {
            boolean forward = codes[i] == Group.forwardCode(from);
            codes[i] = codes[i] == 0 ? 0 : forward ? Group.forwardCode(wide) : codes[i] + minimum;
        }
        assertGroup(wide, "copy");
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 9, 64, 200})
    void fill_slotsOfATypedPage_areTheLiveOnes(int stride) {
        long slots = open.stripes.allocate((long) Group.LIDS * stride, 8, Marker.OTHER);
        Random random = new Random(stride);
        long live = random.nextLong();
        // Slots that are not live may be marked as well.
        long forwards = random.nextLong();
        long word = make(false, Group.minimumFor(stride), Long.bitCount(live) * stride);
        for (int i = 0; i < Group.LIDS; i++) {
            fill(slots + (long) i * stride, stride, i);
            boolean forward = (forwards & 1L << i) != 0;
            fills[i] = i;
            codes[i] = (live & 1L << i) == 0 ? 0 : forward ? Group.forwardCode(word) : Group.codeOf(word, stride);
        }
        editor.fill(word, live, forwards, slots, stride);
        assertGroup(word, "stride " + stride);
        open.stripes.free(slots, (long) Group.LIDS * stride);
    }

    private long make(boolean wide, int minimum, int capacity) {
        long word = open.space.groupBlocks.make(open.stripes, wide, minimum, capacity);
        assertThat(word).isNotZero();
        words.add(word);
        assertThat(editor.end(word)).isZero();
        return word;
    }

    private void set(long word, int index, int code, int fill) {
        long at = editor.setCode(word, index, code);
        fill(at, Group.bytes(word, code), fill);
        codes[index] = code;
        fills[index] = fill;
    }

    private void fill(long at, int size, int fill) {
        for (int i = 0; i < size; i++) {
            open.vmb.setByte(at + i, fill);
        }
    }

    /** Each LID has its code and its bytes, one behind the other. */
    private void assertGroup(long word, String when) {
        int end = 0;
        for (int i = 0; i < Group.LIDS; i++) {
            assertThat(Group.code(open.vmb, word, i)).as("%s, LID %d", when, i).isEqualTo(codes[i]);
            assertThat(Group.offset(open.vmb, word, i))
                    .as("%s, LID %d", when, i)
                    .isEqualTo(end);
            int size = Group.bytes(word, codes[i]);
            for (int k = 0; k < size; k++) {
                assertThat(open.vmb.getByte(Group.payload(word) + end + k))
                        .as("%s, byte %d of LID %d", when, k, i)
                        .isEqualTo(fills[i]);
            }
            end += size;
        }
        assertThat(editor.end(word)).as(when).isEqualTo(end).isLessThanOrEqualTo(editor.capacity(word));
    }
}
