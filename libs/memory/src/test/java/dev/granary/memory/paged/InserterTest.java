package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class InserterTest {

    private static final int[] SIZES = {16, 0, 100, 300, 1000, 1001, 5000, 17};

    private final OpenMemory open;
    private final Inserter inserter;

    InserterTest(MemoryLayout layout) {
        open = new OpenMemory(layout, 4 << 20, 1);
        inserter = new Inserter(open.space, open.stripes, new Resizer(open.space, open.stripes));
    }

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void insert_pageWithoutChunks_makesItAndGivesEachItsBytes() {
        long first = OpenMemory.foreign(Page.SLOTS);
        insertAll(first);
        assertThat(open.stripes.get(0).books().chunks()).isEqualTo(SIZES.length);
        assertThat(open.stripes.get(0).books().payloadBytes()).isEqualTo(16 + 100 + 300 + 1000 + 1001 + 5000 + 17);
        assertThat(Page.live(open.state(first))).isEqualTo(SIZES.length);
        assertThat(open.state(first) & (Page.OPEN | Page.LISTED)).isZero();
    }

    @Test
    void insert_pageOfEqualChunks_thoseOfOtherSizesLieElsewhere() {
        long first = OpenMemory.foreign(Page.SLOTS);
        fillPage(first);
        for (int i = 0; i < SIZES.length; i++) {
            assertThat(open.memory.delete(first + 3L * i)).isTrue();
            insert(first + 3L * i, SIZES[i]);
        }
        for (int i = 0; i < SIZES.length; i++) {
            assertThat(open.get(first + 3L * i)).isEqualTo(OpenMemory.content(first + 3L * i, SIZES[i]));
        }
        assertThat(open.get(first + 1)).isEqualTo(OpenMemory.content(first + 1, 16));
    }

    @Test
    void publish_ownPageWithFreeLids_theyAreGivenNext() {
        long cid = OpenMemory.own(5 * Page.SLOTS + 9);
        insert(cid, 100);
        assertThat(open.state(cid) & Page.LISTED).isNotZero();
        int near = 0;
        for (int i = 0; i < 4 * Page.SLOTS; i++) {
            near += open.create(100) >>> Page.SLOT_BITS == cid >>> Page.SLOT_BITS ? 1 : 0;
        }
        assertThat(near).isEqualTo(Page.SLOTS - 1);
        assertThat(open.get(cid)).isEqualTo(OpenMemory.content(cid, 100));
    }

    @Test
    void abandon_roomForAChunk_isTakenBack() {
        long first = OpenMemory.foreign(Page.SLOTS);
        long other = OpenMemory.foreign(2 * Page.SLOTS);
        fillPage(first);
        assertThat(open.memory.delete(first + 50)).isTrue();
        open.insert(other, 200);
        // A page may get a larger block for its bitmaps, and a group one for its chunks, which they keep.
        insertAndAbandon(first + 50, 5000);
        insertAndAbandon(other + 50, 1000);
        insertAndAbandon(other + 50, 5000);
        for (int size : SIZES) {
            for (long cid : new long[] {first + 50, other + 50}) {
                long before = open.allocatedBytes();
                insertAndAbandon(cid, size);
                assertThat(open.allocatedBytes()).as("%d B", size).isEqualTo(before);
                assertThat(open.memory.sizeOf(cid)).isEqualTo(ChunkMemory.ABSENT);
                assertThat(open.violations()).isEmpty();
            }
        }
        assertThat(open.get(other)).isEqualTo(OpenMemory.content(other, 200));
    }

    @Test
    void insert_manyCreatorsInTheOrderOfLids_leavesFewGaps() {
        assumeTrue(open.space.layout == MemoryLayout.TYPED);
        long payload = 0;
        for (int lid = 1; lid <= 1_000; lid++) {
            for (long nid = 0x4000; nid < 0x4010; nid++) {
                int size = 40 + (int) ((lid * 37L + nid * 11) % 120);
                open.insert(nid << 48 | lid, size);
                payload += size;
            }
        }
        assertThat(open.memory.statistics().payloadBytes()).isEqualTo(payload);
        assertThat(open.memory.reclaimableShare()).isLessThan(0.09);
    }

    @Test
    void insert_groupFilledInTheOrderOfLids_isCutWhenItIsFull() {
        assumeTrue(open.space.layout == MemoryLayout.TYPED);
        long first = OpenMemory.foreign(Page.SLOTS);
        int blocks = 0;
        for (int i = 0, capacity = 0; i < Group.LIDS; i++) {
            insert(first + i, size(i));
            blocks += capacity(first) != capacity ? 1 : 0;
            capacity = capacity(first);
        }
        assertThat(blocks).isLessThan(12);
        assertThat(slack(first)).isLessThanOrEqualTo(16);
        for (int i = 0; i < Group.LIDS; i++) {
            assertThat(open.get(first + i)).isEqualTo(OpenMemory.content(first + i, size(i)));
        }
    }

    @Test
    void insert_firstOfTheNextGroup_cutsTheOneBefore() {
        assumeTrue(open.space.layout == MemoryLayout.TYPED);
        long first = OpenMemory.foreign(Page.SLOTS);
        for (int i = 0; i < 40; i++) {
            insert(first + i, size(i));
        }
        assertThat(slack(first)).isGreaterThan(100);
        insert(first + Group.LIDS, 5000);
        assertThat(slack(first)).isLessThanOrEqualTo(16);
        for (int i = 0; i < 40; i++) {
            assertThat(open.get(first + i)).isEqualTo(OpenMemory.content(first + i, size(i)));
        }
    }

    @Test
    void insert_groupWithChunksBehind_takesWhatItNeeds() {
        assumeTrue(open.space.layout == MemoryLayout.TYPED);
        long first = OpenMemory.foreign(Page.SLOTS);
        insert(first + 50, 100);
        for (int i = 0; i < 50; i++) {
            insert(first + i, 100);
            assertThat(slack(first)).isZero();
        }
    }

    @Test
    void insert_roomForTheChunkAndNotForMore_takesIt() {
        assumeTrue(open.space.layout == MemoryLayout.TYPED);
        long first = OpenMemory.foreign(Page.SLOTS);
        for (int i = 0; i < 10; i++) {
            insert(first + i, 100);
        }
        assertThat(slack(first)).isZero();
        long left = open.stripes.allocate(1_290, 1, Marker.OTHER);
        open.takeAll(50);
        open.stripes.free(left, 1_290);
        insert(first + 10, 100);
        assertThat(slack(first)).isZero();
        assertThat(open.get(first + 10)).isEqualTo(OpenMemory.content(first + 10, 100));
    }

    /** The size of one of many chunks. */
    private static int size(int i) {
        return 40 + i * 37 % 120;
    }

    private long groupWord(long cid) {
        return open.vmb.getAcquire(Page.base(open.form(cid)) + Meta.GROUPS);
    }

    private int capacity(long cid) {
        return open.space.groups.capacity(groupWord(cid));
    }

    /** How many bytes the first group of a chunk's page does not use. */
    private int slack(long cid) {
        return capacity(cid) - open.space.groups.end(groupWord(cid));
    }

    @Test
    void insert_noRoom_leavesThePageAsItWas() {
        long first = OpenMemory.foreign(Page.SLOTS);
        long empty = OpenMemory.foreign(2 * Page.SLOTS);
        fillPage(first);
        assertThat(open.memory.delete(first + 50)).isTrue();
        open.page(empty);
        open.takeAll(50);
        long before = open.allocatedBytes();
        for (long cid : new long[] {first + 50, empty}) {
            open.latched(cid, () -> assertThat(inserter.insert(open.page(cid), Page.slot(cid), 20_000))
                    .isZero());
            assertThat(open.memory.sizeOf(cid)).isEqualTo(ChunkMemory.ABSENT);
        }
        assertThat(open.allocatedBytes()).isEqualTo(before);
        assertThat(open.kind(empty)).isEqualTo(Page.NONE);
    }

    @Test
    void closeToCreates_pageInWhichChunksAreCreated_isOpenNoMoreUnlessPacked() {
        long cid = open.create(40);
        assertThat(open.state(cid) & Page.OPEN).isNotZero();
        open.latched(cid, () -> inserter.closeToCreates(open.page(cid)));
        boolean packed = open.kind(cid) == Page.PACKED;
        assertThat((open.state(cid) & Page.OPEN) != 0).isEqualTo(packed);
        assertThat((open.state(cid) & Page.LISTED) != 0).isEqualTo(!packed);
        assertThat(open.create(40)).isEqualTo(cid + 1);
    }

    private void fillPage(long first) {
        long[] cids = LongStream.range(first, first + Page.SLOTS).toArray();
        int[] sizes = new int[Page.SLOTS];
        Arrays.fill(sizes, 16);
        open.memory.insertOrReplace(cids, 0, cids.length, MemorySegment.ofArray(new byte[16]), new long[512], sizes);
        for (long cid : cids) {
            open.put(cid, 16);
        }
    }

    private void insertAll(long first) {
        for (int i = 0; i < SIZES.length; i++) {
            insert(first + i, SIZES[i]);
        }
        for (int i = 0; i < SIZES.length; i++) {
            assertThat(open.get(first + i)).isEqualTo(OpenMemory.content(first + i, SIZES[i]));
        }
    }

    private void insert(long cid, int size) {
        open.latched(cid, () -> {
            long payload = inserter.insert(open.page(cid), Page.slot(cid), size);
            assertThat(payload).isNotZero();
            open.vmb.copyIn(MemorySegment.ofArray(OpenMemory.content(cid, size)), 0, payload, size);
            inserter.publish(open.page(cid), Page.slot(cid), size, cid >>> 48 == open.space.nid);
        });
    }

    private void insertAndAbandon(long cid, int size) {
        open.latched(cid, () -> {
            assertThat(inserter.insert(open.page(cid), Page.slot(cid), size)).isNotZero();
            inserter.abandon(open.page(cid), Page.slot(cid), size);
        });
    }
}
