package dev.granary.memory.defragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plans for segments with blocks of 1 KiB, whose extents are 64 KiB. */
class SegmentPlanTest {

    private static final int BLOCK = 1023;

    private static final int ALL = Integer.MAX_VALUE;

    private final OpenMemory open = new OpenMemory(MemoryLayout.CLASSIC, 4 << 20, 1);
    private final Extents extents = open.space.extents;
    private final SegmentPlan plan = new SegmentPlan(extents, MemoryLayout.CLASSIC, 1);
    private final List<Long> blocks = new ArrayList<>();

    @AfterEach
    void close() {
        blocks.forEach(block -> open.stripes.free(block, BLOCK));
        open.close();
    }

    @Test
    void reclaimableShare_halfOfTheBlocksAreFree_isAboutAHalf() {
        fill(10);
        assertThat(plan.reclaimableShare()).isLessThan(0.1);
        for (int segment : segments()) {
            free(segment, 31);
        }
        assertThat(plan.reclaimableShare()).isCloseTo(0.5, within(0.1));
    }

    @Test
    void reclaimableShare_nothingIsThere_isZero() {
        assertThat(plan.reclaimableShare()).isZero();
        assertThat(plan.choose(aim(0, ALL, false), new BitSet())).isEmpty();
    }

    @Test
    void choose_somePartlyFree_takesThoseThatHaveEnoughTheEmptiestFirst() {
        fill(8);
        List<Integer> segments = segments();
        free(segments.get(1), 10);
        free(segments.get(2), 50);
        free(segments.get(3), 20);
        free(segments.get(4), 40);
        assertThat(chosen(aim(0.25, ALL, false))).containsExactly(segments.get(2), segments.get(4), segments.get(3));
        assertThat(chosen(aim(0.5, ALL, false))).containsExactly(segments.get(2), segments.get(4));
        assertThat(chosen(aim(0.25, 2, false))).containsExactly(segments.get(2), segments.get(4));
        assertThat(chosen(aim(0.99, ALL, false))).isEmpty();
    }

    @Test
    void choose_skippedOrFixedSegments_areLeftOut() {
        fill(6);
        List<Integer> segments = segments();
        for (int i = 1; i < 5; i++) {
            free(segments.get(i), 40);
        }
        BitSet skip = new BitSet();
        skip.set(segments.get(1));
        open.space.extents.segments().addFixed(segments.get(2), 1);
        assertThat(plan.choose(aim(0.25, ALL, false), skip).stream().map(SegmentPlan.Choice::segment))
                .containsExactlyInAnyOrder(segments.get(3), segments.get(4));
        open.space.extents.segments().addFixed(segments.get(2), -1);
    }

    @Test
    void choose_noRoomForWhatIsMoved_takesNoMoreThanFits() {
        fill(45);
        for (int segment : segments()) {
            free(segment, 10);
        }
        int chosen = chosen(aim(0.1, ALL, false)).size();
        assertThat(chosen).isBetween(15, 40);
        open.takeAll(1024);
        assertThat(chosen(aim(0.1, ALL, false)).size()).isLessThan(chosen / 2);
    }

    @Test
    void choose_deadSlots_countAsFree() {
        fill(4);
        Segments figures = extents.segments();
        int segment = segments().get(1);
        assertThat(chosen(aim(0.25, ALL, false))).isEmpty();
        figures.addDead(segment, 30_000);
        assertThat(chosen(aim(0.25, ALL, false))).containsExactly(segment);
        assertThat(plan.reclaimableShare()).isGreaterThan(30_000.0 / (5 << 16));
        figures.addDead(segment, -30_000);
    }

    @Test
    void choose_segmentWithManySmallFreeBlocks_isFragmented() {
        List<Long> small = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            small.add(open.stripes.allocate(30, 1, Marker.OTHER));
        }
        int segment = extents.segmentOf(small.getFirst());
        for (int i = 0; i < 100; i++) {
            open.stripes.free(small.set(2 * i, 0L), 30);
        }
        assertThat(chosen(new SegmentPlan.Aim(0.9, 0.5, ALL, true))).containsExactly(segment);
        assertThat(chosen(new SegmentPlan.Aim(0.9, 1.1, ALL, true))).isEmpty();
        small.stream().filter(block -> block != 0).forEach(block -> open.stripes.free(block, 30));
    }

    private List<Integer> chosen(SegmentPlan.Aim aim) {
        List<SegmentPlan.Choice> choices = plan.choose(aim, new BitSet());
        assertThat(choices).allMatch(choice -> choice.arena() == 0);
        return choices.stream().map(SegmentPlan.Choice::segment).toList();
    }

    private static SegmentPlan.Aim aim(double minFreeShare, int maxExtents, boolean forGainOnly) {
        return new SegmentPlan.Aim(minFreeShare, 1.1, maxExtents, forGainOnly);
    }

    /** Fills segments, and leaves no other one in use. */
    private void fill(int count) {
        while (true) {
            long block = open.stripes.allocate(BLOCK, 1, Marker.OTHER);
            assertThat(block).isNotZero();
            blocks.add(block);
            if (segments().size() > count) {
                blocks.removeLast();
                open.stripes.free(block, BLOCK);
                return;
            }
        }
    }

    /** The segments in which blocks lie. */
    private List<Integer> segments() {
        return blocks.stream().map(extents::segmentOf).distinct().toList();
    }

    /** Frees the first blocks of a segment. */
    private void free(int segment, int count) {
        List<Long> gone = blocks.stream()
                .filter(block -> extents.segmentOf(block) == segment)
                .limit(count)
                .toList();
        assertThat(gone).hasSize(count);
        gone.forEach(block -> open.stripes.free(block, BLOCK));
        blocks.removeAll(gone);
    }
}
