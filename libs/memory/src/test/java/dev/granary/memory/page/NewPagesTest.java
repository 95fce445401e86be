package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.paged.OpenMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class NewPagesTest {

    private static final long FIRST = OpenMemory.foreign(Page.SLOTS);

    private final MemoryLayout layout;
    private final OpenMemory open;
    private final NewPages newPages;
    private final Stripe owner;

    NewPagesTest(MemoryLayout layout) {
        this.layout = layout;
        this.open = new OpenMemory(layout, 4 << 20, 2);
        this.newPages = new NewPages(open.space, open.stripes);
        this.owner = open.stripes.get(1);
    }

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void make_allSlotsOfOneSize_isATypedPage() {
        makeAndFill(IntStream.range(0, Page.SLOTS).toArray(), sizes(Page.SLOTS, 16, 16));
        assertThat(open.kind(FIRST)).isEqualTo(kind(Page.TYPED));
        assertThat(Page.owner(open.state(FIRST))).isEqualTo(1);
        assertThat(Page.live(open.state(FIRST))).isEqualTo(Page.SLOTS);
    }

    @Test
    void make_fewSlotsFree_isTypedAsLongAsTheyCostLittle() {
        // 52 free slots of 16 B are less than 2 B for each of 460 chunks.
        makeAndFill(IntStream.range(30, 490).toArray(), sizes(460, 16, 16));
        assertThat(open.kind(FIRST)).isEqualTo(kind(Page.TYPED));
        assertThat(open.memory.sizeOf(FIRST)).isEqualTo(-1);
    }

    @Test
    void make_manySlotsFree_isPacked() {
        makeAndFill(IntStream.range(30, 450).toArray(), sizes(420, 16, 16));
        assertThat(open.kind(FIRST)).isEqualTo(kind(Page.PACKED));
    }

    @Test
    void make_oneHasAnotherSize_isPackedWithJustTheRoomItNeeds() {
        int[] sizes = sizes(Page.SLOTS, 16, 16);
        sizes[511] = 15;
        makeAndFill(IntStream.range(0, Page.SLOTS).toArray(), sizes);
        assertThat(open.kind(FIRST)).isEqualTo(kind(Page.PACKED));
        assertGroupsAreFull();
    }

    @Test
    void make_sizesOfAllKinds_eachHasItsBytes() {
        int[] slots = IntStream.range(0, Page.SLOTS)
                .filter(i -> i % 3 != 1 && i >>> 6 != 5)
                .toArray();
        int[] sizes = sizes(slots.length, 0, 300);
        sizes[0] = Group.MAX_SIZE;
        sizes[1] = Group.MAX_SIZE + 1;
        sizes[2] = 9000;
        sizes[200] = 0;
        makeAndFill(slots, sizes);
        assertGroupsAreFull();
    }

    @Test
    void make_noRoomForAllGroups_changesNothing() {
        long page = open.page(FIRST);
        open.takeAll(2000);
        long before = open.allocatedBytes();
        int[] slots = IntStream.range(0, Page.SLOTS).toArray();
        open.latched(FIRST, () -> assertThat(
                        newPages.make(page, slots, 0, sizes(Page.SLOTS, 100, 300), 0, Page.SLOTS, owner))
                .isFalse());
        assertThat(open.form(FIRST)).isZero();
        assertThat(open.state(FIRST)).isZero();
        assertThat(open.allocatedBytes()).isEqualTo(before);
    }

    @Test
    void place_noRoomForALargeChunk_isNoneAndTheOthersStay() {
        long page = open.page(FIRST);
        int[] slots = {0, 1, 2};
        int[] sizes = {100, 100, 100_000};
        open.latched(FIRST, () -> {
            assertThat(newPages.make(page, slots, 0, sizes, 0, 3, owner)).isTrue();
            fill(page, slots, sizes, 0, 2);
            open.takeAll(50_000);
            assertThat(newPages.place(page, 2, sizes[2])).isZero();
            newPages.publish(page, slots, 0, sizes, 0, 2, owner);
        });
        assertContents(slots, sizes, 0, 2);
        assertThat(open.memory.sizeOf(FIRST + 2)).isEqualTo(-1);
    }

    @Test
    void publish_partOfLargerArrays_takesThatPart() {
        int[] slots = {9, 9, 4, 70, 500};
        int[] sizes = {9, 20, 30, 2000};
        long page = open.page(FIRST);
        open.latched(FIRST, () -> {
            assertThat(newPages.make(page, slots, 2, sizes, 1, 3, owner)).isTrue();
            fill(page, Arrays.copyOfRange(slots, 2, 5), Arrays.copyOfRange(sizes, 1, 4), 0, 3);
            newPages.publish(page, slots, 2, sizes, 1, 3, owner);
        });
        assertContents(Arrays.copyOfRange(slots, 2, 5), Arrays.copyOfRange(sizes, 1, 4), 0, 3);
        assertThat(open.memory.statistics().chunks()).isEqualTo(3);
        assertThat(open.memory.statistics().payloadBytes()).isEqualTo(2050);
        assertThat(owner.books().chunks()).isEqualTo(3);
    }

    private int kind(int typedLayout) {
        return layout == MemoryLayout.CLASSIC ? Page.ENTRIES : typedLayout;
    }

    /** Sizes from one to another, over and over. */
    private static int[] sizes(int count, int from, int to) {
        return IntStream.range(0, count)
                .map(i -> from + i * 37 % (to - from + 1))
                .toArray();
    }

    private void makeAndFill(int[] slots, int[] sizes) {
        long page = open.page(FIRST);
        open.latched(FIRST, () -> {
            assertThat(newPages.make(page, slots, 0, sizes, 0, slots.length, owner))
                    .isTrue();
            fill(page, slots, sizes, 0, slots.length);
            newPages.publish(page, slots, 0, sizes, 0, slots.length, owner);
        });
        assertContents(slots, sizes, 0, slots.length);
        assertThat(open.memory.statistics().chunks()).isEqualTo(slots.length);
    }

    private void fill(long page, int[] slots, int[] sizes, int from, int to) {
        for (int i = from; i < to; i++) {
            long payload = newPages.place(page, slots[i], sizes[i]);
            assertThat(payload).isNotZero();
            MemorySegment content = MemorySegment.ofArray(OpenMemory.content(slots[i], sizes[i]));
            open.vmb.copyIn(content, 0, payload, sizes[i]);
        }
    }

    private void assertContents(int[] slots, int[] sizes, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(open.get(FIRST + slots[i]))
                    .as("slot %d", slots[i])
                    .isEqualTo(OpenMemory.content(slots[i], sizes[i]));
        }
    }

    private void assertGroupsAreFull() {
        for (int i = 0; layout != MemoryLayout.CLASSIC && i < Group.PER_PAGE; i++) {
            long word = open.vmb.getAcquire(Page.base(open.form(FIRST)) + Meta.GROUPS + 8L * i);
            if (word != 0) {
                assertThat(EntryLayout.address(word)).isNotZero();
                assertThat(open.space.groups.end(word)).isEqualTo(open.space.groups.capacity(word));
            }
        }
    }
}
