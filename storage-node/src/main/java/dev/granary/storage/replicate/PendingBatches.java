package dev.granary.storage.replicate;

import io.netty.buffer.ByteBuf;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The encoded batches of a zone that not all members are known to hold, by their sequences, without a gap.
 * Guarded by the zone's lock.
 *
 * <p>Invariants: (1) the ring holds the sequences first to first + count - 1, each at (sequence modulo length); (2) the
 * bytes are the sum of theirs.
 */
final class PendingBatches {

    private static final int MIN_LENGTH = 64;

    private @Nullable ByteBuf[] ring = new ByteBuf[MIN_LENGTH];
    private long first;
    private int count;
    private long bytes;

    /**
     * Drops all batches and starts again at a sequence.
     *
     * @param firstSequence the sequence of the batch that is added next
     */
    void reset(long firstSequence) {
        clear();
        first = firstSequence;
    }

    /** The lowest sequence that is there, or that comes next when there is none. */
    long first() {
        return first;
    }

    /** The sequence that comes next. */
    long next() {
        return first + count;
    }

    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Takes the batch with the next sequence over. */
    void add(ByteBuf batch) {
        if (count == ring.length) {
            grow();
        }
        int index = index(first + count);
        ring[index] = batch;
        bytes += batch.readableBytes();
        count++;
    }

    /** The batch with a sequence that is there; stays this structure's. */
    ByteBuf get(long sequence) {
        ByteBuf batch = sequence < first || sequence >= next() ? null : ring[index(sequence)];
        if (batch == null) {
            throw new IllegalArgumentException("batch " + sequence + " is not among " + first + " to " + (next() - 1));
        }
        return batch;
    }

    /**
     * Lets go of the batches up to a sequence.
     *
     * @return the bytes of these
     */
    long removeUpTo(long sequence) {
        long removed = 0;
        while (count > 0 && first <= sequence) {
            ByteBuf batch = ring[index(first)];
            ring[index(first)] = null;
            if (batch != null) {
                removed += batch.readableBytes();
                batch.release();
            }
            first++;
            count--;
        }
        bytes -= removed;
        assert count > 0 ? bytes >= 0 : bytes == 0;
        return removed;
    }

    /** Lets go of all. */
    long clear() {
        return removeUpTo(next() - 1);
    }

    /** Puts another batch in the place of each, and lets go of the old ones; of none when the change of one fails. */
    void replaceAll(UnaryOperator<ByteBuf> change) {
        @Nullable ByteBuf[] changed = new ByteBuf[ring.length];
        long done = first;
        try {
            for (; done < next(); done++) {
                changed[index(done)] = change.apply(get(done));
            }
        } finally {
            @Nullable ByteBuf[] unused = done == next() ? ring : changed;
            for (ByteBuf batch : unused) {
                if (batch != null) {
                    batch.release();
                }
            }
        }
        ring = changed;
        bytes = 0;
        for (long sequence = first; sequence < next(); sequence++) {
            bytes += get(sequence).readableBytes();
        }
        assert invariantsHold();
    }

    /** Looks at every batch, so only where all of them are touched in any case. */
    private boolean invariantsHold() {
        long sum = 0;
        for (long sequence = first; sequence < next(); sequence++) {
            sum += get(sequence).readableBytes();
        }
        int there = 0;
        for (ByteBuf batch : ring) {
            there += batch == null ? 0 : 1;
        }
        return there == count && sum == bytes && Integer.bitCount(ring.length) == 1;
    }

    private void grow() {
        @Nullable ByteBuf[] old = ring;
        ring = new ByteBuf[2 * old.length];
        for (long sequence = first; sequence < next(); sequence++) {
            int from = (int) (sequence & (old.length - 1));
            ring[index(sequence)] = old[from];
        }
        assert invariantsHold();
    }

    private int index(long sequence) {
        return (int) (sequence & (ring.length - 1));
    }
}
