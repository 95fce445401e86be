package dev.granary.storage.data;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import dev.granary.storage.probe.StorageProbe;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client: a window of sequences above a floor. Thread-safe.
 *
 * <pre>
 *   forgotten or acknowledged  | floor+1 ................ highest seen | not seen
 *   (never carried out again)  |  slots: null, Running, LOST,          |
 *                              |         Completion                    |
 * </pre>
 *
 * <p>Invariants: (1) a sequence at or below the floor is never admitted; (2) the floor never falls; (3) the slots hold
 * the sequences floor + 1 to floor + slots.length, each at index (sequence modulo length); (4) {@code bytes} is the sum
 * of the sizes of the completions in the slots, and the shared total contains it; (5) {@code forgottenTo} is not above
 * the floor: up to there answers may have gone that the client had not seen.
 */
final class ClientRequests {

    /** The most sequences between the floor and the newest; older ones are forgotten. */
    static final int MAX_WINDOW = 1 << 14;

    private static final int MIN_SLOTS = 8;
    private static final Object LOST = new Object();

    /** A request that is being carried out, and the part of it that was known before. */
    private record Running(@Nullable Completion known) {}

    private final AtomicLong totalBytes;

    @GuardedBy("this")
    private @Nullable Object[] slots = new Object[MIN_SLOTS];

    @GuardedBy("this")
    private long floor;

    @GuardedBy("this")
    private long forgottenTo;

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private long lastUsedNanos;

    @GuardedBy("this")
    private boolean retired;

    ClientRequests(AtomicLong totalBytes, long nowNanos) {
        this.totalBytes = totalBytes;
        this.lastUsedNanos = nowNanos;
    }

    /**
     * Decides about a request and, for a new one, notes that it runs.
     *
     * @param sequence at least 1
     * @param ackedSequence the client has seen all answers up to this sequence, which is below {@code sequence}
     * @param cids the chunks of the request, none for a create
     * @param statuses gets the known status of each chunk, {@link Completion#UNDONE} for chunks that are to be changed
     * @return the decision, or null when this object is out of use and another one must be asked
     */
    synchronized @Nullable Admission begin(
            long sequence, long ackedSequence, long[] cids, int count, int[] statuses, long nowNanos) {
        if (retired) {
            return null;
        }
        lastUsedNanos = nowNanos;
        raiseFloor(ackedSequence);
        forgetUpTo(sequence - MAX_WINDOW);
        if (sequence <= floor) {
            return Admission.FORGOTTEN;
        }
        reserve(sequence);
        Object slot = slots[index(sequence)];
        if (slot instanceof Completion known) {
            return begin(sequence, known, cids, count, statuses);
        }
        if (slot != null) {
            return slot == LOST ? Admission.FORGOTTEN : Admission.RUNNING;
        }
        Arrays.fill(statuses, 0, count, Completion.UNDONE);
        slots[index(sequence)] = new Running(null);
        running++;
        return Admission.NEW;
    }

    @GuardedBy("this")
    private Admission begin(long sequence, Completion known, long[] cids, int count, int[] statuses) {
        if (known.statusesOf(cids, count, statuses)) {
            StorageProbe.REQUEST_REPEATED.hit();
            return Admission.repeat(known);
        }
        addBytes(-known.sizeBytes());
        slots[index(sequence)] = new Running(known);
        running++;
        StorageProbe.REQUEST_HALF_DONE.hit();
        return Admission.rest(known);
    }

    /** Notes that a request that was admitted as new was carried out. Keeps at most {@code maxBytes} of answers. */
    synchronized void complete(long sequence, Completion completion, long maxBytes) {
        if (sequence <= floor) {
            running--;
            return;
        }
        end(sequence, known(sequence), completion);
        while (bytes > maxBytes && floor < sequence - 1) {
            forgetUpTo(floor + 1);
        }
    }

    /** Notes that a request that was admitted as new has changed nothing, so that it may come again. */
    synchronized void abandon(long sequence) {
        if (sequence <= floor) {
            running--;
        } else {
            end(sequence, known(sequence), null);
        }
    }

    /**
     * Notes that a request that was admitted as new failed half-way: its outcome is unknown, and it must not be carried
     * out again.
     */
    synchronized void lose(long sequence) {
        running--;
        if (sequence > floor) {
            slots[index(sequence)] = LOST;
        }
    }

    /** Takes over what another peer had done of a request while it owned the chunks. */
    synchronized void learn(long sequence, Completion completion) {
        if (sequence <= floor) {
            return;
        }
        reserve(sequence);
        Object slot = slots[index(sequence)];
        if (slot instanceof Running(Completion known)) {
            slots[index(sequence)] = new Running(completion.with(known));
        } else if (slot instanceof Completion known) {
            addBytes(-known.sizeBytes());
            put(sequence, completion.with(known));
        } else if (slot == null) {
            StorageProbe.COMPLETION_LEARNT.hit();
            put(sequence, completion);
        }
    }

    /** Notes that another peer does not know the outcome of a request. */
    synchronized void learnLost(long sequence) {
        if (sequence > floor) {
            reserve(sequence);
            Object slot = slots[index(sequence)];
            if (slot instanceof Completion known) {
                addBytes(-known.sizeBytes());
            }
            if (!(slot instanceof Running)) {
                slots[index(sequence)] = LOST;
            }
        }
    }

    /** Carries nothing out any more up to a sequence. */
    synchronized void forgetUpTo(long sequence) {
        if (sequence > floor) {
            raiseFloor(sequence);
            forgottenTo = sequence;
        }
    }

    /** Returns what a create has made; see {@link CompletedRequests#findCreated}. */
    synchronized CreatedChunks findCreated(long sequence) {
        Object slot = sequence > floor && sequence - floor <= slots.length ? slots[index(sequence)] : null;
        return slot instanceof Completion known
                ? new CreatedChunks(true, known.done())
                : new CreatedChunks(sequence > floor && slot == null, List.of());
    }

    /** Visits what another peer must know that takes over a span of chunks. */
    synchronized void visit(long clientId, long startCid, long endCidInclusive, TravellingRequests.Visitor visitor) {
        if (forgottenTo > 0) {
            visitor.floor(clientId, forgottenTo);
        }
        for (long sequence = floor + 1; sequence <= floor + slots.length; sequence++) {
            Object slot = slots[index(sequence)];
            Completion known = slot instanceof Running(Completion before)
                    ? before
                    : slot instanceof Completion completion ? completion : null;
            Completion within = known == null ? null : known.within(startCid, endCidInclusive);
            if (within != null) {
                visitor.completed(clientId, sequence, within);
            } else if (slot == LOST) {
                visitor.unknown(clientId, sequence);
            }
        }
    }

    /** Forgets the oldest answers until those that are kept have at most {@code maxBytes}. */
    synchronized void trim(long maxBytes) {
        while (bytes > maxBytes) {
            forgetUpTo(floor + 1);
        }
    }

    /** Notes that this object was used now. Returns false when it is out of use. */
    synchronized boolean touch(long nowNanos) {
        lastUsedNanos = nowNanos;
        return !retired;
    }

    /** Puts this object out of use if no request runs and none came since {@code nanos}. Returns whether it is out. */
    synchronized boolean retireIfIdleSince(long nanos) {
        if (!retired && running == 0 && lastUsedNanos - nanos <= 0) {
            assert invariantsHold();
            retired = true;
            addBytes(-bytes);
        }
        return retired;
    }

    @GuardedBy("this")
    private @Nullable Completion known(long sequence) {
        return slots[index(sequence)] instanceof Running(Completion known) ? known : null;
    }

    @GuardedBy("this")
    private void end(long sequence, @Nullable Completion known, @Nullable Completion completion) {
        running--;
        slots[index(sequence)] = null;
        Completion all = completion == null ? known : completion.with(known);
        if (all != null) {
            put(sequence, all);
        }
    }

    @GuardedBy("this")
    private void put(long sequence, Completion completion) {
        slots[index(sequence)] = completion;
        addBytes(completion.sizeBytes());
    }

    @GuardedBy("this")
    private void raiseFloor(long newFloor) {
        // Beyond the slots nothing is kept, so there is nothing to clear there.
        long last = Math.min(newFloor, floor + slots.length);
        for (long sequence = floor + 1; sequence <= last; sequence++) {
            if (slots[index(sequence)] instanceof Completion completion) {
                addBytes(-completion.sizeBytes());
            }
            slots[index(sequence)] = null;
        }
        floor = Math.max(floor, newFloor);
    }

    @GuardedBy("this")
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
        assert invariantsHold();
    }

    /** Looks at every slot, so only where all of them are touched in any case, or nobody waits. */
    @GuardedBy("this")
    private boolean invariantsHold() {
        long kept = 0;
        int runningHere = 0;
        for (Object slot : slots) {
            kept += slot instanceof Completion completion ? completion.sizeBytes() : 0;
            runningHere += slot instanceof Running ? 1 : 0;
        }
        return forgottenTo <= floor
                && kept == bytes
                && bytes <= totalBytes.get()
                && runningHere <= running
                && Integer.bitCount(slots.length) == 1;
    }

    @GuardedBy("this")
    private int index(long sequence) {
        return (int) (sequence & (slots.length - 1));
    }

    @GuardedBy("this")
    private void addBytes(long count) {
        bytes += count;
        totalBytes.addAndGet(count);
    }
}
