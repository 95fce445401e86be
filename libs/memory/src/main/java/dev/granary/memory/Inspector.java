package dev.granary.memory;

/** Adds up the figures of a chunk memory. */
final class Inspector {

    private Inspector() {}

    static MemoryStatistics statistics(Parts parts) {
        long chunks = 0;
        long payload = 0;
        long allocated = 0;
        long edges = 0;
        for (int i = 0; i < parts.stripes().count(); i++) {
            Stripe stripe = parts.stripes().get(i);
            stripe.lock.lock();
            try {
                chunks += stripe.chunks();
                payload += stripe.payloadBytes();
                allocated += stripe.arena.allocatedBytes();
                // One marker more than there are blocks.
                edges += stripe.arena.segmentCount();
            } finally {
                stripe.lock.unlock();
            }
        }
        long capacity = parts.vmb().capacityBytes();
        long tables = (long) parts.table().tables() * CidTable.TABLE_BLOCK_BYTES;
        long header = Parts.headerBytes(parts.stripes().count())
                + edges
                + parts.extents().unusableBytes(capacity);
        return new MemoryStatistics(
                chunks,
                payload,
                tables,
                allocated - payload - tables,
                header,
                parts.extents().heapBytes() + parts.stripes().heapBytes(),
                capacity - allocated - header,
                parts.extents().committedBytes(),
                capacity);
    }
}
