package dev.granary.memory.defragment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.page.Page;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class DefragmentationRoundTest {

    private final OpenMemory open;
    private final Relocator relocator;
    private final List<Long> cids = new ArrayList<>();

    DefragmentationRoundTest(MemoryLayout layout) {
        open = new OpenMemory(layout, 8 << 20, 2);
        relocator = new Relocator(open.space, open.stripes);
    }

    @BeforeEach
    void fillAndDeleteMost() {
        for (int i = 0; i < 2000; i++) {
            cids.add(open.create(900));
        }
        for (int i = 0; i < 200; i++) {
            long cid = OpenMemory.foreign(600 + i);
            open.insert(cid, 900);
            cids.add(cid);
        }
        for (int i = cids.size() - 1; i >= 0; i--) {
            if (i % 4 != 0) {
                assertThat(open.memory.delete(cids.remove(i))).isTrue();
            }
        }
    }

    @AfterEach
    void close() {
        cids.forEach(cid -> assertThat(open.get(cid)).as("0x%016x", cid).isEqualTo(OpenMemory.content(cid, 900)));
        assertThat(evacuating()).isZero();
        open.close();
    }

    @Test
    void step_chunkIsPinned_givesItsSegmentUpAfterAFewPasses() {
        long pinned = cids.getFirst();
        open.memory.pin(pinned);
        List<SegmentPlan.Choice> chosen = choose();
        int stuck = segmentOf(pinned);
        DefragmentationRound round = new DefragmentationRound(open.space, open.stripes, relocator, chosen);
        round.start();
        boolean wasChosen = open.space.extents.segments().isEvacuating(stuck);
        assertThat(round.step(Long.MAX_VALUE)).isTrue();
        assertThat(segmentOf(pinned)).isEqualTo(stuck);
        BitSet left = new BitSet();
        round.addLeftTo(left);
        assertThat(left.get(stuck)).isEqualTo(wasChosen);
        assertThat(round.released()).isEqualTo(chosen.size() - left.cardinality());
        open.memory.unpin(pinned);
    }

    @Test
    void step_pageIsLatched_isMetByALaterPass() {
        List<SegmentPlan.Choice> chosen = choose();
        DefragmentationRound round = new DefragmentationRound(open.space, open.stripes, relocator, chosen);
        round.start();
        long latch = open.page(cids.getFirst()) + Page.LATCH;
        Latch.lockShared(open.vmb, latch);
        boolean over = false;
        // The budget of one look: the first page is met, and left.
        over |= round.step(1);
        Latch.unlockShared(open.vmb, latch);
        over |= round.step(Long.MAX_VALUE);
        assertThat(over).isTrue();
        assertThat(round.released()).isEqualTo(chosen.size());
    }

    @Test
    void stop_halfWay_givesTheSegmentsToAllocationAgain() {
        List<SegmentPlan.Choice> chosen = choose();
        DefragmentationRound round = new DefragmentationRound(open.space, open.stripes, relocator, chosen);
        round.start();
        assertThat(round.step(100_000)).isFalse();
        assertThat(evacuating()).isPositive();
        round.stop();
        assertThat(evacuating()).isZero();
        for (int i = 0; i < 500; i++) {
            cids.add(open.create(900));
        }
    }

    private List<SegmentPlan.Choice> choose() {
        SegmentPlan.Aim aim = new SegmentPlan.Aim(0.3, 1.1, Integer.MAX_VALUE, true);
        return new SegmentPlan(open.space.extents, open.space.layout, open.stripes.count()).choose(aim, new BitSet());
    }

    private int segmentOf(long cid) {
        long entry = open.space.locator.locate(open.page(cid), Latch.HELD, open.form(cid), Page.slot(cid));
        return open.space.extents.segmentOf(EntryLayout.address(entry));
    }

    private int evacuating() {
        Extents extents = open.space.extents;
        int count = 0;
        for (int i = 0; i < extents.count(); i++) {
            count += extents.arenaOf(i) != Extents.NONE && extents.segments().isEvacuating(i) ? 1 : 0;
        }
        return count;
    }
}
