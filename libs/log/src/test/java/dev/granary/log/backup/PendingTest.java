package dev.granary.log.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PendingTest {

    private static final int LARGE = 600 << 10;

    private final SpareArrays spares = new SpareArrays(4);

    @Test
    void removeFirst_ofAllOfALargeArray_leavesItToTheNext() {
        Pending pending = new Pending(spares);
        pending.append(new byte[LARGE], 0, LARGE);
        byte[] array = pending.view().array();
        pending.removeFirst(LARGE, false);

        Pending next = new Pending(spares);
        next.append(new byte[LARGE - 1], 0, LARGE - 1);

        assertThat(next.view().array()).isSameAs(array);
    }

    @Test
    void removeFirst_ofWhatSomebodyReads_leavesTheArrayToHim() {
        Pending pending = new Pending(spares);
        pending.append(new byte[LARGE], 0, LARGE);
        ByteBuffer view = pending.view();
        byte[] seen = bytesOf(view);
        pending.removeFirst(LARGE, true);

        byte[] others = new byte[LARGE];
        Arrays.fill(others, (byte) 1);
        pending.append(others, 0, LARGE);

        assertThat(bytesOf(view)).isEqualTo(seen);
    }

    @Test
    void give_moreThanAreKept_keepsFour() {
        for (int i = 0; i < 6; i++) {
            spares.give(new byte[SpareArrays.MIN_BYTES]);
        }
        Set<byte[]> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 6; i++) {
            taken.add(spares.take(SpareArrays.MIN_BYTES));
        }
        assertThat(taken).hasSize(6);
    }

    @Test
    void removeFirst_ofMuch_copiesNothing() {
        Pending pending = new Pending(spares);
        pending.append(new byte[1 << 20], 0, 1 << 20);
        byte[] array = pending.view().array();

        pending.removeFirst(1_000, false);

        assertThat(pending.view().array()).isSameAs(array);
        assertThat(pending.length()).isEqualTo((1 << 20) - 1_000);
    }

    @Test
    void append_toMuch_growsByAQuarter() {
        Pending pending = new Pending(spares);
        pending.append(new byte[16 << 20], 0, 16 << 20);

        pending.append(new byte[100], 0, 100);

        assertThat(pending.view().array().length).isLessThanOrEqualTo(20 << 20);
    }

    @Test
    void appendAndRemove_atRandom_keepsWhatIsBetween() {
        Random random = new Random(7);
        Pending pending = new Pending(spares);
        ArrayDeque<Byte> model = new ArrayDeque<>();
        for (int step = 0; step < 2_000; step++) {
            if (random.nextInt(3) > 0) {
                byte[] added = new byte[random.nextInt(300)];
                random.nextBytes(added);
                ByteBuffer before = pending.view();
                byte[] seen = bytesOf(before);
                pending.append(added, 0, added.length);
                for (byte one : added) {
                    model.add(one);
                }
                assertThat(bytesOf(before)).isEqualTo(seen);
            } else {
                int removed = random.nextInt(pending.length() + 1);
                pending.markFlushed(Math.min(pending.length(), 100));
                int flushed = pending.flushed();
                pending.removeFirst(removed, random.nextBoolean());
                for (int i = 0; i < removed; i++) {
                    model.remove();
                }
                assertThat(pending.flushed()).isEqualTo(Math.max(0, flushed - removed));
            }
            ByteBuffer view = pending.view();
            assertThat(view.remaining()).isEqualTo(model.size()).isEqualTo(pending.length());
            for (byte expected : model) {
                assertThat(view.get()).isEqualTo(expected);
            }
        }
    }

    private static byte[] bytesOf(ByteBuffer view) {
        byte[] bytes = new byte[view.remaining()];
        view.duplicate().get(bytes);
        return bytes;
    }
}
