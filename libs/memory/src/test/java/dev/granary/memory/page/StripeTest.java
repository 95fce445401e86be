package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StripeTest {

    /** The first page has 511 LIDs, the second 100. */
    private static final int LIDS = 611;

    private final OpenMemory open = new OpenMemory(MemoryLayout.TYPED, 4 << 20, 2, LIDS + 1);
    private final Stripe stripe = open.stripes.get(0);
    private final Stripe other = open.stripes.get(1);

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

    @Test
    void place_packedChunk_keepsThePageLatchedUntilFinish() {
        place(300);
        long latch = stripe.slot.page + Page.LATCH;
        assertThat(Latch.tryShared(open.vmb, latch)).isFalse();
        assertThat(stripe.isLatched(stripe.slot.page)).isTrue();
        stripe.publish(stripe.slot, 300);
        int first = stripe.slot.index;
        place(310);
        assertThat(stripe.slot.index).isEqualTo(first + 1);
        stripe.publish(stripe.slot, 310);
        stripe.finish();
        assertThat(Latch.isHeld(open.vmb.getAcquire(latch))).isFalse();
        assertThat(stripe.books().chunks()).isEqualTo(2);
        assertThat(stripe.books().payloadBytes()).isEqualTo(610);
    }

    @Test
    void share_pageThatIsLatched_lettingOthersShareIt() {
        place(300);
        long page = stripe.slot.page;
        assertThat(stripe.share()).isTrue();
        assertThat(stripe.isLatched(page)).isFalse();
        assertThat(Latch.tryExclusive(open.vmb, page + Page.LATCH)).isFalse();
        assertThat(Latch.tryShared(open.vmb, page + Page.LATCH)).isTrue();
        Latch.unlockShared(open.vmb, page + Page.LATCH);
        stripe.publish(stripe.slot, 300);
        Latch.unlockShared(open.vmb, page + Page.LATCH);
        assertThat(stripe.isIdle(page)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 300, 1001, 5000})
    void abandon_placeThatWasFound_leavesNoChunk(int size) {
        place(10);
        stripe.publish(stripe.slot, 10);
        place(size);
        stripe.abandon(stripe.slot, size);
        stripe.finish();
        assertThat(stripe.books().chunks()).isEqualTo(1);
        stripe.lock.unlock();
        assertThat(open.violations()).isEmpty();
        stripe.lock.lock();
        place(size);
        stripe.publish(stripe.slot, size);
        assertThat(stripe.books().chunks()).isEqualTo(2);
    }

    @Test
    void place_manyOfOneSize_goIntoATypedPageOnceItIsWorthIt() {
        try (OpenMemory large = new OpenMemory(MemoryLayout.TYPED, 4 << 20, 1)) {
            int needed = TypedFiller.liveNeeded(16);
            for (int i = 0; i < needed; i++) {
                assertThat(large.kind(large.memory.create(16))).isEqualTo(Page.PACKED);
            }
            int typed = 0;
            for (int i = 0; i < 2 * Page.SLOTS; i++) {
                typed += large.kind(large.memory.create(16)) == Page.TYPED ? 1 : 0;
            }
            assertThat(typed).isGreaterThanOrEqualTo(Page.SLOTS);
            assertThat(large.stripes.get(0).suitsTyped(16)).isTrue();
            assertThat(large.stripes.get(0).suitsTyped(17)).isFalse();
            assertThat(large.stripes.get(0).suitsTyped(7)).isFalse();
        }
    }

    @Test
    void placeAnywhere_noLidForThisSize_takesOneOfAPageForOthers() {
        place(300);
        stripe.publish(stripe.slot, 300);
        long page = stripe.slot.page;
        place(10);
        stripe.publish(stripe.slot, 10);
        assertThat(stripe.slot.page).isNotEqualTo(page);
        // Two pages, all of whose LIDs but these are free; none is for sizes of 600 B.
        assertThat(stripe.place(600, true)).isEqualTo(Outcome.NO_LID);
        assertThat(stripe.placeAnywhere(600)).isEqualTo(Outcome.DONE);
        stripe.publish(stripe.slot, 600);
        int chunks = 3;
        while (stripe.placeAnywhere(600) == Outcome.DONE) {
            stripe.publish(stripe.slot, 600);
            chunks++;
        }
        assertThat(chunks).isEqualTo(LIDS);
    }

    @Test
    void place_noMemory_saysSoAndTakesNoLid() {
        place(10);
        stripe.publish(stripe.slot, 10);
        long allocated = stripe.arena.allocatedBytes();
        assertThat(stripe.place(100 << 20, true)).isEqualTo(Outcome.NO_MEMORY);
        assertThat(stripe.arena.allocatedBytes()).isEqualTo(allocated);
        place(10);
        assertThat(stripe.slot.index).isEqualTo(2);
        stripe.publish(stripe.slot, 10);
    }

    @Test
    void free_blockOfAnotherStripe_isFreedWhenThatIsUsedNext() {
        other.lock.lock();
        long block = other.allocate(500, 1, Marker.OTHER);
        other.lock.unlock();
        long allocated = other.arena.allocatedBytes();
        stripe.free(block, 500);
        assertThat(other.arena.allocatedBytes()).isEqualTo(allocated);
        other.lock.lock();
        other.prepare(false);
        other.lock.unlock();
        assertThat(other.arena.allocatedBytes()).isLessThanOrEqualTo(allocated - 500);
    }

    @Test
    void takeEmptyPage_pagesThatWereGivenBack_comeBeforeNewOnes() {
        List<Long> taken = new ArrayList<>();
        for (long page = stripe.takeEmptyPage(); page != 0; page = stripe.takeEmptyPage()) {
            taken.add(Page.number(open.vmb.getAcquire(page + Page.NUMBER)));
            Latch.unlockExclusive(open.vmb, page + Page.LATCH);
        }
        assertThat(taken).containsExactly(0L, 1L);
        assertThat(stripe.lastFailure()).isEqualTo(Outcome.NO_LID);
        stripe.giveNumberBack(1);
        stripe.giveEmptyPageBack(open.space.table.find(0));

        long page = stripe.takeEmptyPage();
        assertThat(page).isEqualTo(open.space.table.find(0));
        assertThat(stripe.takeEmptyPage()).isEqualTo(open.space.table.find(Page.SLOTS));
        // Somebody has the latch.
        stripe.giveEmptyPageBack(page);
        assertThat(stripe.takeEmptyPage()).isZero();
        assertThat(stripe.emptyPages().size()).isEqualTo(1);
        Latch.unlockExclusive(open.vmb, page + Page.LATCH);
        Latch.unlockExclusive(open.vmb, open.space.table.find(Page.SLOTS) + Page.LATCH);
        stripe.giveEmptyPageBack(open.space.table.find(Page.SLOTS));
    }

    @Test
    void forget_pageInWhichChunksWereCreated_isNeitherOpenNorListed() {
        place(300);
        stripe.publish(stripe.slot, 300);
        long page = stripe.slot.page;
        stripe.finish();
        assertThat(open.vmb.getAcquire(page + Page.STATE) & Page.OPEN).isNotZero();
        stripe.forget(page);
        assertThat(open.vmb.getAcquire(page + Page.STATE) & (Page.OPEN | Page.LISTED))
                .isZero();
        place(300);
        assertThat(stripe.slot.page).isNotEqualTo(page);
        stripe.publish(stripe.slot, 300);
        stripe.noteFree(page);
        stripe.noteFree(page);
        assertThat(open.vmb.getAcquire(page + Page.STATE) & Page.LISTED).isNotZero();
    }

    private void place(int size) {
        assertThat(stripe.place(size, false)).isEqualTo(Outcome.DONE);
    }
}
