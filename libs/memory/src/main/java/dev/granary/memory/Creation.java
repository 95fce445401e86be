package dev.granary.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Makes chunks: reserves LID, entry and block, fills the block while nobody knows it, and publishes it by writing the
 * entry. Sizes and bounds have been checked. Thread-safe.
 */
final class Creation {

    private final long nidBits;
    private final Vmb vmb;
    private final Stripes stripes;
    private final Removal removal;

    Creation(Parts parts, Removal removal) {
        this.nidBits = (long) parts.nid() << 48;
        this.vmb = parts.vmb();
        this.stripes = parts.stripes();
        this.removal = removal;
    }

    /** Creates a chunk with bytes of a segment, or with zeros if that is null. */
    long create(@Nullable MemorySegment source, long offset, int sizeBytes) {
        Reservation reservation = new Reservation(1);
        int[] sizes = {sizeBytes};
        stripes.reserve(reservation, sizes, 0, 1);
        return fill(reservation, 0, source, offset, sizes, 0);
    }

    /** Creates a chunk into which an object writes itself. */
    long create(Exportable object, int sizeBytes) {
        Reservation reservation = new Reservation(1);
        int[] sizes = {sizeBytes};
        stripes.reserve(reservation, sizes, 0, 1);
        boolean done = false;
        try {
            long block = reservation.blocks[0];
            Chunks.writeLength(vmb, block, sizeBytes);
            SegmentExporter out = vmb.exporter(Chunks.payload(block, sizeBytes), sizeBytes);
            object.exportTo(out);
            if (out.writtenBytes() != sizeBytes) {
                throw new SizeMismatchException("the object, as it announced,", sizeBytes, out.writtenBytes());
            }
            done = true;
            return publish(reservation, 0, sizeBytes);
        } finally {
            if (!done) {
                abandon(reservation, 0, sizes, 0, reservation.count);
            }
        }
    }

    /** Creates many chunks, all or none. */
    void create(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset, long[] cids) {
        Reservation reservation = new Reservation(Math.min(count, Reservation.MAX));
        long from = offset;
        int created = 0;
        try {
            int pieceLimit = Reservation.MAX;
            while (created < count) {
                int piece = Math.min(count - created, pieceLimit);
                if (!reserve(reservation, sizesBytes, created, piece)) {
                    pieceLimit = Math.max(1, piece / 4);
                    continue;
                }
                int first = created;
                for (int i = 0; i < piece; i++) {
                    cids[first + i] = fill(reservation, i, source, from, sizesBytes, first);
                    from += sizesBytes[first + i];
                    created++;
                }
            }
        } finally {
            if (created < count) {
                // Nobody has been told these CIDs yet.
                for (int i = 0; i < created; i++) {
                    removal.delete(cids[i] & ChunkMemory.MAX_LID);
                }
            }
        }
    }

    /** Returns false when no stripe has enough for all of them, though together they may. */
    private boolean reserve(Reservation reservation, int[] sizesBytes, int from, int count) {
        try {
            stripes.reserve(reservation, sizesBytes, from, count);
            return true;
        } catch (OutOfChunkMemoryException | LidsExhaustedException e) {
            if (count == 1) {
                throw e;
            }
            return false;
        }
    }

    /**
     * Fills and publishes one chunk of a reservation. When that fails, it and all behind it are abandoned.
     *
     * @param from the index of the reservation's first size
     */
    private long fill(
            Reservation reservation, int index, @Nullable MemorySegment source, long offset, int[] sizes, int from) {
        int sizeBytes = sizes[from + index];
        boolean done = false;
        try {
            long block = reservation.blocks[index];
            Chunks.writeLength(vmb, block, sizeBytes);
            if (source == null) {
                vmb.zero(Chunks.payload(block, sizeBytes), sizeBytes);
            } else {
                vmb.copyIn(source, offset, Chunks.payload(block, sizeBytes), sizeBytes);
            }
            done = true;
            return publish(reservation, index, sizeBytes);
        } finally {
            if (!done) {
                abandon(reservation, index, sizes, from, reservation.count);
            }
        }
    }

    private long publish(Reservation reservation, int index, int sizeBytes) {
        vmb.setRelease(reservation.entries[index], EntryLayout.entry(reservation.blocks[index], sizeBytes));
        return nidBits | reservation.lids[index];
    }

    private void abandon(Reservation reservation, int index, int[] sizes, int from, int count) {
        for (int i = index; i < count; i++) {
            removal.retire(reservation.lids[i], reservation.entries[i], reservation.blocks[i], sizes[from + i]);
        }
    }
}
