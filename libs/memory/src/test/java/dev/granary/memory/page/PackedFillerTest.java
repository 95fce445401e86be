package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.paged.OpenMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackedFillerTest {

    private final OpenMemory open = new OpenMemory(MemoryLayout.TYPED, 4 << 20, 1);
    private final Stripe stripe = open.stripes.get(0);

    /** One beside those that the stripe makes. */
    private final PackedFiller filler = new PackedFiller(open.space, stripe, 1);

    private final Slot slot = new Slot();

    @BeforeEach
    void lock() {
        stripe.lock.lock();
    }

    @AfterEach
    void close() {
        stripe.finish();
        stripe.lock.unlock();
        open.close();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "253, 0", "254, 1", "507, 1", "508, 2", "761, 2", "762, 3", "1000, 3", "1001, 4"})
    void bandOf_sizes_thoseOfABandFitOneGroup(int size, int band) {
        assertThat(PackedFiller.bandOf(size)).isEqualTo(band).isLessThan(PackedFiller.BANDS);
    }

    @Test
    void place_sizesOfOneBand_lieBehindEachOtherInNarrowGroups() {
        int sum = 0;
        for (int i = 1; i < 64; i++) {
            int size = 254 + i * 5 % 254;
            place(size);
            assertThat(slot.index).isEqualTo(i);
            assertThat(slot.payload - Group.payload(groupWord(0))).isEqualTo(sum);
            sum += size;
        }
        long word = groupWord(0);
        assertThat(Group.isWide(word)).isFalse();
        assertThat(Group.minimum(word)).isEqualTo(254);
    }

    @Test
    void place_groupIsFull_itsBlockIsCut() {
        for (int i = 1; i < 70; i++) {
            place(260);
        }
        long word = groupWord(0);
        assertThat(open.space.groups.end(word)).isEqualTo(63 * 260);
        assertThat(open.space.groups.capacity(word)).isLessThanOrEqualTo(63 * 260 + 16);
        // The next one is made as large at once.
        assertThat(open.space.groups.capacity(groupWord(1))).isEqualTo(63 * 260);
    }

    @Test
    void place_sizeOfAnotherBand_makesTheGroupWide() {
        place(300);
        place(900);
        place(0);
        stripe.finish();
        assertThat(Group.isWide(groupWord(0))).isTrue();
        assertThat(open.memory.sizeOf(OpenMemory.own(1))).isEqualTo(300);
        assertThat(open.memory.sizeOf(OpenMemory.own(2))).isEqualTo(900);
        assertThat(open.memory.sizeOf(OpenMemory.own(3))).isZero();
    }

    @Test
    void place_largeChunk_isForwarded() {
        place(300);
        place(50_000);
        place(310);
        stripe.finish();
        long word = groupWord(0);
        assertThat(Group.code(open.vmb, word, 2)).isEqualTo(Group.forwardCode(word));
        assertThat(open.space.groups.end(word)).isEqualTo(300 + EntryLayout.BYTES + 310);
        assertThat(open.memory.sizeOf(OpenMemory.own(2))).isEqualTo(50_000);
    }

    @Test
    void place_noMemory_saysSoAndTakesNoLid() {
        place(300);
        long before = stripe.arena.allocatedBytes();
        assertThat(filler.place(50 << 20, slot)).isEqualTo(Outcome.NO_MEMORY);
        assertThat(stripe.arena.allocatedBytes()).isEqualTo(before);
        place(300);
        assertThat(slot.index).isEqualTo(2);
    }

    @Test
    void place_somebodyHoldsTheOpenPage_takesAnother() {
        place(300);
        long page = slot.page;
        stripe.finish();
        Latch.lockExclusive(open.vmb, page + Page.LATCH);
        place(300);
        assertThat(slot.page).isNotEqualTo(page);
        assertThat(filler.hasListed()).isTrue();
        Latch.unlockExclusive(open.vmb, page + Page.LATCH);
        // The one that was left is the next, once no LID is left in the other.
        for (int i = 0; slot.page != page; i++) {
            assertThat(i).isLessThan(Page.SLOTS);
            place(300);
        }
        assertThat(slot.index).isEqualTo(2);
    }

    private void place(int size) {
        assertThat(filler.place(size, slot)).isEqualTo(Outcome.DONE);
        stripe.publish(slot, size);
    }

    private long groupWord(int group) {
        return open.vmb.getAcquire(Page.base(open.vmb.getAcquire(slot.page)) + Meta.GROUPS + 8L * group);
    }
}
