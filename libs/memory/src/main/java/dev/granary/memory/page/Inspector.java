package dev.granary.memory.page;

import dev.granary.memory.FragmentationStatistics;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.arena.FragmentationSum;

/** Adds up the figures of a chunk memory. */
public final class Inspector {

    private Inspector() {}

    public static FragmentationStatistics fragmentation(Space space, Stripes stripes) {
        FragmentationSum sum = new FragmentationSum(space.extents);
        for (int i = 0; i < stripes.count(); i++) {
            Stripe stripe = stripes.get(i);
            stripe.lock.lock();
            try {
                stripe.prepare(false);
                sum.add(stripe.arena);
            } finally {
                stripe.lock.unlock();
            }
        }
        synchronized (space.nodes) {
            sum.add(space.nodes.arena());
        }
        return sum.result();
    }

    /**
     * Adds up without waiting for anybody: where a stripe is busy, its figures are those of a moment ago, each of its
     * own. A dump keeps all stripes busy until it is written.
     */
    public static MemoryStatistics statistics(Space space, Stripes stripes) {
        long chunks = 0;
        long payload = 0;
        long allocated = 0;
        long edges = 0;
        for (int i = 0; i < stripes.count(); i++) {
            Stripe stripe = stripes.get(i);
            boolean locked = stripe.lock.tryLock();
            try {
                if (locked) {
                    stripe.prepare(false);
                }
                chunks += stripe.books().chunks();
                payload += stripe.books().payloadBytes();
                allocated += stripe.arena.allocatedBytes();
                // One marker more than there are blocks.
                edges += stripe.arena.segmentCount();
            } finally {
                if (locked) {
                    stripe.lock.unlock();
                }
            }
        }
        allocated += space.nodes.arena().allocatedBytes();
        edges += space.nodes.arena().segmentCount();
        long capacity = space.vmb.capacityBytes();
        // Figures of different moments must not say that more lies in blocks than there are.
        long tables = Math.min(allocated, space.nids.tableBytes() + space.metaBytes.get());
        long held = Math.max(0, Math.min(payload, allocated - tables));
        long header = Space.headerBytes(stripes.count())
                + edges
                + space.extents.unusableBytes(capacity)
                + space.extents.asideBytes();
        return new MemoryStatistics(
                chunks,
                held,
                tables,
                allocated - held - tables,
                header,
                space.extents.heapBytes() + stripes.heapBytes(),
                capacity - allocated - header,
                space.extents.committedBytes(),
                capacity);
    }
}
