package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryFillerTest {

    /** The last page has 100 LIDs that may be given. */
    private static final int END = 2 * Page.SLOTS + 100;

    private final OpenMemory open = new OpenMemory(MemoryLayout.CLASSIC, 4 << 20, 1, END);
    private final Stripe stripe = open.stripes.get(0);
    private final EntryFiller filler = stripe.entries();
    private final Slot slot = new Slot();

    @BeforeEach
    void lock() {
        stripe.lock.lock();
    }

    @AfterEach
    void close() {
        stripe.lock.unlock();
        open.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2048, 2049, 100_000})
    void place_chunkOfAnySize_hasABlockOfItsOwn(int size) {
        long before = stripe.arena.allocatedBytes();
        assertThat(filler.place(size, slot)).isEqualTo(Outcome.DONE);
        assertThat(slot.index).isEqualTo(1);
        assertThat(Chunks.size(open.vmb, slot.entry)).isEqualTo(size);
        assertThat(slot.payload).isEqualTo(Chunks.payloadOf(slot.entry, size));
        assertThat(stripe.arena.allocatedBytes() - before - Space.ENTRY_TABLE_BYTES)
                .isBetween(Chunks.blockBytes(size), Chunks.blockBytes(size) + 80);
        stripe.publish(slot, size);
        assertThat(open.memory.sizeOf(OpenMemory.own(1))).isEqualTo(size);
    }

    @Test
    void place_allLidsThatMayBeGiven_areGivenInTurnThenNone() {
        for (int lid = 1; lid < END; lid++) {
            assertThat(create(10)).isEqualTo(lid);
        }
        long allocated = stripe.arena.allocatedBytes();
        assertThat(filler.place(10, slot)).isEqualTo(Outcome.NO_LID);
        assertThat(stripe.arena.allocatedBytes()).isEqualTo(allocated);

        open.memory.reserveLids(END + 5);
        for (int lid = END; lid < END + 5; lid++) {
            assertThat(create(10)).isEqualTo(lid);
        }
        assertThat(filler.place(10, slot)).isEqualTo(Outcome.NO_LID);
    }

    @Test
    void place_noMemory_takesNoLid() {
        assertThat(create(10)).isEqualTo(1);
        assertThat(filler.place(100 << 20, slot)).isEqualTo(Outcome.NO_MEMORY);
        assertThat(create(10)).isEqualTo(2);
    }

    @Test
    void place_lidsThatWereFreed_areGivenAgain() {
        for (int lid = 1; lid < END; lid++) {
            create(10);
        }
        assertThat(filler.hasListed()).isFalse();
        List<Long> freed = List.of(3L, 400L, 700L, 1000L, (long) END - 1);
        stripe.lock.unlock();
        freed.forEach(lid -> assertThat(open.memory.delete(OpenMemory.own(lid))).isTrue());
        stripe.lock.lock();
        List<Long> given = new ArrayList<>();
        for (int i = 0; i < freed.size(); i++) {
            given.add(create(20));
        }
        assertThat(given).containsExactlyInAnyOrderElementsOf(freed);
        assertThat(filler.place(10, slot)).isEqualTo(Outcome.NO_LID);
    }

    @Test
    void pop_pagesThatWerePushed_theLastComesFirstAndThoseLastInLineAtTheEnd() {
        for (int lid = 1; lid < END; lid++) {
            create(10);
        }
        long first = open.space.table.find(0);
        long second = open.space.table.find(Page.SLOTS);
        filler.pushLast(first);
        filler.push(second);
        assertThat(filler.pop()).isEqualTo(second);
        assertThat(open.vmb.getAcquire(second + Page.STATE) & Page.LISTED).isZero();
        assertThat(open.vmb.getAcquire(first + Page.STATE) & Page.LISTED).isNotZero();
        filler.push(second);
        List<Long> listed = new ArrayList<>();
        filler.forEachListed(listed::add);
        assertThat(listed).containsExactlyInAnyOrder(first, second);
        assertThat(filler.pop()).isEqualTo(second);
        assertThat(filler.pop()).isEqualTo(first);
        assertThat(filler.hasListed()).isFalse();
    }

    @Test
    void placeBlock_blockThatIsThere_becomesTheChunk() {
        for (int size : new int[] {40, 3000}) {
            long block = stripe.allocate(Chunks.blockBytes(size), 1, Marker.chunk(size));
            assertThat(filler.placeBlock(block, size, slot)).isEqualTo(Outcome.DONE);
            assertThat(EntryLayout.address(slot.entry)).isEqualTo(block);
            assertThat(Chunks.size(open.vmb, slot.entry)).isEqualTo(size);
            stripe.publish(slot, size);
        }
        assertThat(open.memory.sizeOf(OpenMemory.own(2))).isEqualTo(3000);
    }

    @Test
    void unlist_anyPage_isRefused() {
        create(10);
        assertThatThrownBy(() -> filler.unlist(open.page(OpenMemory.own(1)))).isInstanceOf(IllegalStateException.class);
    }

    private long create(int size) {
        assertThat(filler.place(size, slot)).isEqualTo(Outcome.DONE);
        stripe.publish(slot, size);
        return Page.number(open.vmb.getAcquire(slot.page + Page.NUMBER)) * Page.SLOTS + slot.index;
    }
}
