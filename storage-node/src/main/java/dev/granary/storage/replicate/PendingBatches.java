package dev.granary.storage.replicate;

import io.netty.buffer.ByteBuf;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The encoded batches of a zone that not all members are known to hold, by their sequences, without a gap.
 * Guarded by the zone's lock.
 *
 * <p>Invariants: (1) the ring holds the sequences first to first + count - 1, each at (sequence modulo length); (2) the
 * byte count is the sum of the sizes of these batches.
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

    /** Returns the lowest sequence that is pending, or the next sequence when none is. */
    long first() {
        return first;
    }

    /** Returns the sequence of the batch that is added next. */
    long next() {
        return first + count;
    }

    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Adds the batch with the next sequence; this structure releases it. */
    void add(ByteBuf batch) {
        if (count == ring.length) {
            grow();
        }
        int index = index(first + count);
        ring[index] = batch;
        bytes += batch.readableBytes();
        count++;
    }

    /** Returns the batch with a pending sequence. The caller must not release it. */
    ByteBuf get(long sequence) {
        ByteBuf batch = sequence < first || sequence >= next() ? null : ring[index(sequence)];
        if (batch == null) {
            throw new IllegalArgumentException("batch " + sequence + " is not among " + first + " to " + (next() - 1));
        }
        return batch;
    }

    /**
     * Releases the batches up to a sequence.
     *
     * @return how many bytes these batches had
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

    /** Releases all batches and returns how many bytes they had. */
    long clear() {
        return removeUpTo(next() - 1);
    }

    /** Replaces each batch and releases the old ones. If the change of one batch fails, nothing is replaced. */
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
