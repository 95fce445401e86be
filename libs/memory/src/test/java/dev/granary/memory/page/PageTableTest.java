package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The own table, and that of another NID. */
@ParameterizedClass
@ValueSource(booleans = {false, true})
class PageTableTest {

    /** LIDs of a leaf. */
    private static final long LEAF = (long) PageTable.LEAF_PAGES * Page.SLOTS;

    private final OpenMemory open = new OpenMemory(MemoryLayout.TYPED, 4 << 20, 1);
    private final boolean foreign;
    private final PageTable table;

    PageTableTest(boolean foreign) {
        this.foreign = foreign;
        this.table = foreign ? foreignTable() : open.space.table;
    }

    private PageTable foreignTable() {
        Stripe stripe = open.stripes.get(0);
        stripe.lock.lock();
        try {
            stripe.prepare(true);
            return Objects.requireNonNull(open.space.nids.tableOrMake(0x4000, stripe));
        } finally {
            stripe.lock.unlock();
        }
    }

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void find_leafIsThere_givesTheEntryOfThePage() {
        assertThat(table.find(1)).isZero();
        long first = make(5);
        for (long lid = 0; lid < LEAF; lid += 100) {
            long page = table.find(lid);
            assertThat(page).isEqualTo(first + lid / Page.SLOTS * Page.BYTES);
            assertThat(Page.number(open.vmb.getAcquire(page + Page.NUMBER))).isEqualTo(lid / Page.SLOTS);
        }
        assertThat(table.find(LEAF)).isZero();
        assertThat(make(7)).isEqualTo(first);
        assertThat(table.nodes()).isEqualTo(1);
    }

    @Test
    void findOrMake_lidsOfAllLevels_areFoundAfterTheTableWasRaised() {
        long[] lids = {1, LEAF, LEAF << 12, LEAF << 24, ChunkMemory.MAX_LID};
        List<Long> pages = new ArrayList<>();
        for (long lid : lids) {
            pages.add(make(lid));
            for (int i = 0; i < pages.size(); i++) {
                assertThat(table.find(lids[i])).as("LID %x", lids[i]).isEqualTo(pages.get(i));
                assertThat(Page.number(open.vmb.getAcquire(pages.get(i) + Page.NUMBER)))
                        .isEqualTo(lids[i] / Page.SLOTS);
            }
        }
        assertThat(pages).doesNotHaveDuplicates().doesNotContain(0L);
        long[] seen = {0, 0};
        table.forEachNode((address, sizeBytes) -> {
            seen[0]++;
            seen[1] += sizeBytes;
        });
        assertThat(table.nodes()).isEqualTo(seen[0]);
        assertThat(table.bytes()).isEqualTo(seen[1]);
    }

    @Test
    void findOrMake_firstLidIsHigh_needsNoMoreThanItsPath() {
        make(LEAF << 12);
        assertThat(table.nodes()).isEqualTo(3);
        assertThat(table.find(1)).isZero();
        assertThat(table.find(LEAF << 24)).isZero();
    }

    @Test
    void bytes_firstLevel_isSmallInTheTableOfAnotherNid() {
        long leaf = PageTable.LEAF_BYTES;
        make(1);
        assertThat(table.bytes()).isEqualTo(leaf);
        make(LEAF);
        make(63 * LEAF);
        long first = foreign ? 512 : PageTable.TABLE_BYTES;
        assertThat(table.bytes()).isEqualTo(3 * leaf + first);
        make(64 * LEAF);
        assertThat(table.bytes()).isEqualTo(4 * leaf + first + (foreign ? 512 + PageTable.TABLE_BYTES : 0));
        assertThat(table.find(63 * LEAF)).isNotZero();
        assertThat(table.find(65 * LEAF)).isZero();
    }

    @Test
    void findAll_tableOfAnotherNid_isLeftToFind() {
        assumeTrue(foreign);
        make(1);
        make(LEAF);
        assertThat(table.findAll(new long[] {OpenMemory.foreign(1)}, 0, 1, 0x4000, new long[1]))
                .isFalse();
    }

    @Test
    void findAll_oneLevelAndAllLeaves_isAsFind() {
        assumeFalse(foreign);
        long[] cids = {OpenMemory.own(1), OpenMemory.own(3 * LEAF + 7), OpenMemory.own(700)};
        long[] pages = new long[2];
        make(1);
        // No level yet.
        assertThat(table.findAll(cids, 0, 1, open.space.nid, pages)).isFalse();
        make(3 * LEAF);
        assertThat(table.findAll(cids, 1, 2, open.space.nid, pages)).isTrue();
        assertThat(pages).containsExactly(table.find(3 * LEAF + 7), table.find(700));
        long[] others = {OpenMemory.own(1), OpenMemory.own(2 * LEAF), OpenMemory.foreign(1), OpenMemory.own(LEAF << 12)
        };
        assertThat(table.findAll(others, 0, 1, open.space.nid, pages)).isTrue();
        for (int i = 1; i < others.length; i++) {
            assertThat(table.findAll(others, i, 1, open.space.nid, pages))
                    .as("%x", others[i])
                    .isFalse();
        }
    }

    @Test
    void nextPageAndLastPage_someLeaves_areThoseOfAModel() {
        Random random = new Random(3);
        TreeSet<Long> leaves = new TreeSet<>();
        for (int i = 0; i < 20; i++) {
            long leaf = i < 10 ? random.nextInt(100) : random.nextLong(1L << (i < 15 ? 14 : 25));
            leaves.add(leaf);
            make(leaf * LEAF);
            for (int j = 0; j < 50; j++) {
                long number = j < 25 ? random.nextInt(7000) : random.nextLong(1L << 31);
                assertPages(leaves, number);
            }
            for (long known : leaves) {
                assertPages(leaves, known * PageTable.LEAF_PAGES - 1);
                assertPages(leaves, known * PageTable.LEAF_PAGES);
                assertPages(leaves, (known + 1) * PageTable.LEAF_PAGES - 1);
                assertPages(leaves, (known + 1) * PageTable.LEAF_PAGES);
            }
        }
        List<Long> numbers = new ArrayList<>();
        table.forEachPage(page -> numbers.add(Page.number(open.vmb.getAcquire(page + Page.NUMBER))));
        assertThat(numbers).isSorted().doesNotHaveDuplicates().hasSize(leaves.size() * PageTable.LEAF_PAGES);
        assertThat(table.lastPage(-1)).isEqualTo(-1);
    }

    @Test
    void findOrMake_noRoom_isNoneAndWhatIsThereIsFound() {
        long first = make(1);
        open.takeAll(1024);
        // The nodes have a segment in which small ones find room all the same.
        long far = foreign ? LEAF << 24 : LEAF << 12;
        assertThat(make(far)).isZero();
        assertThat(make(ChunkMemory.MAX_LID)).isZero();
        assertThat(table.find(1)).isEqualTo(first);
        open.giveAll();
        assertThat(make(far)).isNotZero();
        assertThat(table.find(1)).isEqualTo(first);
    }

    private void assertPages(NavigableSet<Long> leaves, long number) {
        if (number < 0) {
            return;
        }
        Long above = leaves.ceiling(number / PageTable.LEAF_PAGES);
        long next = table.nextPage(number);
        assertThat(next == 0 ? -1 : Page.number(open.vmb.getAcquire(next + Page.NUMBER)))
                .as("next of %d in %s", number, leaves)
                .isEqualTo(above == null ? -1 : Math.max(number, above * PageTable.LEAF_PAGES));
        Long below = leaves.floor(number / PageTable.LEAF_PAGES);
        assertThat(table.lastPage(number))
                .as("last of %d in %s", number, leaves)
                .isEqualTo(below == null ? -1 : Math.min(number, (below + 1) * PageTable.LEAF_PAGES - 1));
    }

    private long make(long lid) {
        Stripe stripe = open.stripes.get(0);
        stripe.lock.lock();
        try {
            stripe.prepare(true);
            return table.findOrMake(lid, stripe.arena, true);
        } finally {
            stripe.lock.unlock();
        }
    }
}
