package dev.granary.memory.defragment;

import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageTable;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * One round of defragmentation: some segments are evacuated at once, all pages are walked, and what they have in these
 * segments is moved. Pages that somebody was using, and blocks that were on their way to becoming chunks, are met by
 * another pass. What then is still not empty is given to allocation again. One at a time ({@link Defragmenter}).
 */
final class DefragmentationRound {

    private static final int MAX_PASSES = 4;

    /** What looking at a page costs, in bytes moved. */
    private static final int COST_OF_PAGE = 64;

    /** The same for a page of entries, each of which is looked at. */
    private static final int COST_OF_ENTRIES = 2048;

    private record Table(int nid, PageTable pages) {}

    private final Space space;
    private final Stripes stripes;
    private final Relocator relocator;
    private List<SegmentPlan.Choice> left;
    private final List<Table> tables = new ArrayList<>();
    private int passes;
    private int table;
    private long nextPage;
    private long released;

    DefragmentationRound(Space space, Stripes stripes, Relocator relocator, List<SegmentPlan.Choice> segments) {
        this.space = space;
        this.stripes = stripes;
        this.relocator = relocator;
        this.left = segments;
    }

    /** Begins the evacuation. */
    void start() {
        for (SegmentPlan.Choice choice : left) {
            Stripe stripe = stripes.get(choice.arena());
            stripe.lock.lock();
            try {
                stripe.arena.startEvacuation(choice.segment());
            } finally {
                stripe.lock.unlock();
            }
        }
        startPass();
    }

    /**
     * Moves blocks.
     *
     * @param budgetBytes about how much to move
     * @return whether the round is over
     */
    boolean step(long budgetBytes) {
        long spent = 0;
        while (spent < budgetBytes) {
            long page = table < tables.size() ? tables.get(table).pages.nextPage(nextPage) : 0;
            if (page != 0) {
                spent += visit(page, tables.get(table).nid);
            } else if (table < tables.size()) {
                table++;
                nextPage = 0;
            } else if (endPass()) {
                return true;
            }
        }
        return false;
    }

    /** Ends the evacuation of what is not empty. */
    void stop() {
        for (SegmentPlan.Choice choice : left) {
            Stripe stripe = stripes.get(choice.arena());
            stripe.lock.lock();
            try {
                stripe.arena.stopEvacuation(choice.segment());
            } finally {
                stripe.lock.unlock();
            }
        }
    }

    /** How many segments became free. */
    long released() {
        return released;
    }

    /** Adds the segments that could not be emptied to a set. */
    void addLeftTo(BitSet segments) {
        left.forEach(choice -> segments.set(choice.segment()));
    }

    private long visit(long page, int nid) {
        nextPage = Page.number(space.vmb.getAcquire(page + Page.NUMBER)) + 1;
        long before = relocator.movedBytes();
        relocator.relocate(page, nid);
        int looked = Page.kind(space.vmb.getAcquire(page)) == Page.ENTRIES ? COST_OF_ENTRIES : COST_OF_PAGE;
        return looked + relocator.movedBytes() - before;
    }

    private void startPass() {
        relocator.startPass();
        tables.clear();
        space.nids.forEach((nid, pages) -> tables.add(new Table(nid, pages)));
        table = 0;
        nextPage = 0;
    }

    /** Returns whether it was the last pass. */
    private boolean endPass() {
        int before = left.size();
        left = left.stream().filter(this::isEvacuating).toList();
        released += before - left.size();
        passes++;
        if (left.isEmpty() || passes == MAX_PASSES) {
            stop();
            return true;
        }
        startPass();
        return false;
    }

    private boolean isEvacuating(SegmentPlan.Choice choice) {
        Stripe stripe = stripes.get(choice.arena());
        stripe.lock.lock();
        try {
            stripe.prepare(false);
            return space.extents.isSegment(choice.segment(), choice.arena())
                    && space.extents.segments().isEvacuating(choice.segment());
        } finally {
            stripe.lock.unlock();
        }
    }
}
