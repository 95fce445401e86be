package dev.granary.storage.data;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client: a window of sequences above a floor. Thread-safe.
 *
 * <pre>
 *   forgotten or acknowledged  | floor+1 ................ highest seen | not seen
 *   (never carried out again)  |  slots: null, RUNNING, LOST, answer   |
 * </pre>
 *
 * <p>Invariants: (1) a sequence at or below the floor is never admitted; (2) the floor never falls; (3) the slots hold
 * the sequences floor + 1 to floor + slots.length, each at index (sequence modulo length); (4) {@code bytes} is the sum
 * of the lengths of the answers in the slots, and the shared total contains it.
 */
final class ClientRequests {

    /** The most sequences between the floor and the newest; older ones are forgotten. */
    static final int MAX_WINDOW = 1 << 14;

    private static final int MIN_SLOTS = 8;
    private static final Object RUNNING = new Object();
    private static final Object LOST = new Object();

    private final AtomicLong totalBytes;
    private @Nullable Object[] slots = new Object[MIN_SLOTS];
    private long floor;
    private long bytes;
    private int running;
    private long lastUsedNanos;
    private boolean retired;

    ClientRequests(AtomicLong totalBytes, long nowNanos) {
        this.totalBytes = totalBytes;
        this.lastUsedNanos = nowNanos;
    }

    /**
     * Decides about a request and, for a new one, notes that it runs.
     *
     * @param sequence at least 1
     * @param ackedSequence below the sequence
     * @return the decision, or null when this object is out of use and another one must be asked
     */
    synchronized @Nullable Admission begin(long sequence, long ackedSequence, long nowNanos) {
        if (retired) {
            return null;
        }
        lastUsedNanos = nowNanos;
        raiseFloor(Math.max(ackedSequence, sequence - MAX_WINDOW));
        if (sequence <= floor) {
            return Admission.FORGOTTEN;
        }
        reserve(sequence);
        Object slot = slots[index(sequence)];
        if (slot == null) {
            slots[index(sequence)] = RUNNING;
            running++;
            return Admission.NEW;
        }
        if (slot == RUNNING) {
            return Admission.RUNNING;
        }
        return slot == LOST ? Admission.FORGOTTEN : Admission.repeat((byte[]) slot);
    }

    /** A request that was admitted as new has been carried out; keeps no more than so many bytes of answers. */
    synchronized void complete(long sequence, byte[] answer, long maxBytes) {
        if (end(sequence, answer)) {
            addBytes(answer.length);
            while (bytes > maxBytes && floor < sequence - 1) {
                raiseFloor(floor + 1);
            }
        }
    }

    /** A request that was admitted as new has changed nothing: it may come again. */
    synchronized void abandon(long sequence) {
        boolean unused = end(sequence, null);
        assert unused || sequence <= floor;
    }

    /** A request that was admitted as new failed half-way: what it did is not known, it must not be carried out again. */
    synchronized void lose(long sequence) {
        boolean unused = end(sequence, LOST);
        assert unused || sequence <= floor;
    }

    /** Forgets the oldest answers until no more than so many bytes are kept. */
    synchronized void trim(long maxBytes) {
        while (bytes > maxBytes) {
            raiseFloor(floor + 1);
        }
    }

    /** Puts this object out of use if nothing runs and nothing came since then. */
    synchronized boolean retireIfIdleSince(long nanos) {
        if (!retired && running == 0 && lastUsedNanos - nanos <= 0) {
            retired = true;
            addBytes(-bytes);
        }
        return retired;
    }

    private boolean end(long sequence, @Nullable Object slot) {
        running--;
        if (sequence <= floor) {
            return false;
        }
        slots[index(sequence)] = slot;
        return true;
    }

    private void raiseFloor(long newFloor) {
        // Beyond the slots nothing is kept, so there is nothing to clear there.
        long last = Math.min(newFloor, floor + slots.length);
        for (long sequence = floor + 1; sequence <= last; sequence++) {
            if (slots[index(sequence)] instanceof byte[] answer) {
                addBytes(-answer.length);
            }
            slots[index(sequence)] = null;
        }
        floor = Math.max(floor, newFloor);
    }

    private void reserve(long sequence) {
        if (sequence - floor <= slots.length) {
            return;
        }
        int needed = (int) (sequence - floor);
        @Nullable Object[] old = slots;
        slots = new Object[Integer.highestOneBit(needed - 1) << 1];
        for (long kept = floor + 1; kept <= floor + old.length; kept++) {
            slots[index(kept)] = old[(int) (kept & (old.length - 1))];
        }
    }

    private int index(long sequence) {
        return (int) (sequence & (slots.length - 1));
    }

    private void addBytes(long count) {
        bytes += count;
        totalBytes.addAndGet(count);
    }
}
