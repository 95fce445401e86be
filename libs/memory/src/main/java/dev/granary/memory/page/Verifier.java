package dev.granary.memory.page;

import dev.granary.memory.VerifierReport;
import dev.granary.memory.arena.AllocatedBlocks;
import dev.granary.memory.arena.ArenaVerifier;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.arena.Segments;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks a chunk memory while no operation is running: each block belongs to exactly one page, group, chunk or table
 * and the reverse; pages, groups, bitmaps and lists agree; counters add up.
 */
public final class Verifier {

    private final Space space;
    private final Stripes stripes;
    private final List<String> violations = new ArrayList<>();
    private final AllocatedBlocks blocks = new AllocatedBlocks();

    public Verifier(Space space, Stripes stripes) {
        this.space = space;
        this.stripes = stripes;
    }

    public VerifierReport verify() {
        return verify(0);
    }

    /** Takes the locks of all stripes, then looks. */
    private VerifierReport verify(int locked) {
        if (locked < stripes.count()) {
            Stripe stripe = stripes.get(locked);
            stripe.lock.lock();
            try {
                stripe.prepare(false);
                return verify(locked + 1);
            } finally {
                stripe.lock.unlock();
            }
        }
        PageVerifier pages = new PageVerifier(space, stripes, blocks, violations);
        space.nids.forEach((nid, table) -> {
            table.forEachNode((address, size) -> {
                blocks.add(address, size, Marker.TABLE);
                pages.addNode(address);
            });
            table.forEachPage(page -> pages.verify(page, nid));
        });
        space.nids.forEachBlock(address -> {
            blocks.add(address, NidTables.BLOCK_BYTES, Marker.TABLE);
            pages.addNode(address);
        });
        blocks.sort(violations);
        long allocated = 0;
        long free = 0;
        for (int i = 0; i <= stripes.count(); i++) {
            ArenaVerifier arena = new ArenaVerifier(space.vmb, space.extents, stripes.arena(i), blocks, violations);
            arena.verify();
            allocated += arena.allocatedBlocks();
            free += arena.freeBlocks();
        }
        expect("allocated blocks", blocks.size(), allocated);
        expect("bytes of meta blocks", space.metaBytes.get(), pages.metaBytes());
        expect("pinned chunks", space.pins.count(), pages.pins());
        checkBooks(pages);
        checkSegments(pages);
        return new VerifierReport(allocated, free, pages.chunks(), violations);
    }

    private void checkBooks(PageVerifier pages) {
        for (int i = 0; i < stripes.count(); i++) {
            StripeBooks books = stripes.get(i).books();
            StripeBooks found = pages.books(i);
            expect("chunks of stripe " + i, books.chunks(), found.chunks());
            expect("bytes of payload of stripe " + i, books.payloadBytes(), found.payloadBytes());
            for (int size = 0; size <= TypedFiller.MAX_STRIDE; size++) {
                expect("chunks of %d B of stripe %d".formatted(size, i), books.live(size), found.live(size));
            }
            stripes.get(i).verifyLists(violations);
        }
    }

    /** The invariants of {@link Segments}. */
    private void checkSegments(PageVerifier pages) {
        Segments segments = space.extents.segments();
        for (int i = 0; i < space.extents.count(); i++) {
            expect("bytes of dead slots of segment " + i, segments.deadBytes(i), pages.deadBytes(i));
            expect("what cannot move in segment " + i, segments.fixed(i), pages.fixed(i));
        }
    }

    private void expect(String what, long expected, long found) {
        if (expected != found && violations.size() < VerifierReport.MAX_VIOLATIONS) {
            violations.add("%s: expected %d, found %d".formatted(what, expected, found));
        }
    }
}
