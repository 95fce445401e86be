package dev.granary.storage.data;

import dev.granary.net.message.ChunkStatus;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of one request: of a create the whole answer, of a put or delete the status of each chunk that was owned
 * here. Chunks of which another peer is the owner are not among them: there the same request id is asked for them, and so
 * each owner knows of its chunks whether the request was carried out (SAFETY rule "retries", ADR 0094). Immutable; the
 * arrays must not be changed.
 *
 * @param answer of a create the payload of the reply; otherwise one status for each CID
 * @param cids the chunks that were put or deleted; none for a create
 */
// The arrays never leave the package but to be written; equality is never asked for.
@SuppressWarnings("ArrayRecordComponent")
record Completion(byte[] answer, long[] cids) {

    static final int UNDONE = -1;

    private static final long[] NO_CIDS = {};

    static Completion ofCreate(byte[] answer) {
        return new Completion(answer, NO_CIDS);
    }

    /** The completion of those chunks that were owned here, or null when none was. */
    static @Nullable Completion ofChange(long[] cids, int[] statuses, int count) {
        long[] owned = new long[count];
        byte[] answers = new byte[count];
        int done = 0;
        for (int i = 0; i < count; i++) {
            if (statuses[i] != ChunkStatus.WRONG_OWNER) {
                owned[done] = cids[i];
                answers[done++] = (byte) statuses[i];
            }
        }
        if (done == count) {
            return new Completion(answers, owned);
        }
        return done == 0 ? null : new Completion(Arrays.copyOf(answers, done), Arrays.copyOf(owned, done));
    }

    long sizeBytes() {
        return answer.length + (long) Long.BYTES * cids.length;
    }

    /**
     * Writes the status of each chunk into an array, {@link #UNDONE} where this says nothing.
     *
     * @return whether it says something of all
     */
    boolean statusesOf(long[] asked, int count, int[] statuses) {
        if (count == cids.length && Arrays.equals(asked, 0, count, cids, 0, count)) {
            for (int i = 0; i < count; i++) {
                statuses[i] = answer[i];
            }
            return true;
        }
        Map<Long, Integer> byCid = new HashMap<>();
        for (int i = 0; i < cids.length; i++) {
            byCid.put(cids[i], (int) answer[i]);
        }
        boolean all = true;
        for (int i = 0; i < count; i++) {
            statuses[i] = byCid.getOrDefault(asked[i], UNDONE);
            all &= statuses[i] != UNDONE;
        }
        return all;
    }

    /** Both together; where both say something this one counts. */
    Completion with(@Nullable Completion other) {
        if (other == null) {
            return this;
        }
        int[] mine = new int[other.cids.length];
        if (statusesOf(other.cids, mine.length, mine)) {
            return this;
        }
        long[] allCids = Arrays.copyOf(cids, cids.length + mine.length);
        byte[] allAnswers = Arrays.copyOf(answer, allCids.length);
        int count = cids.length;
        for (int i = 0; i < mine.length; i++) {
            if (mine[i] == UNDONE) {
                allCids[count] = other.cids[i];
                allAnswers[count++] = other.answer[i];
            }
        }
        return new Completion(Arrays.copyOf(allAnswers, count), Arrays.copyOf(allCids, count));
    }

    /** What this says of the chunks in a span, or null when it says nothing of them. */
    @Nullable
    Completion within(long startCid, long endCidInclusive) {
        int[] statuses = new int[cids.length];
        boolean any = false;
        for (int i = 0; i < cids.length; i++) {
            boolean inside =
                    Long.compareUnsigned(startCid, cids[i]) <= 0 && Long.compareUnsigned(cids[i], endCidInclusive) <= 0;
            statuses[i] = inside ? answer[i] : ChunkStatus.WRONG_OWNER;
            any |= inside;
        }
        return any ? ofChange(cids, statuses, cids.length) : null;
    }
}
