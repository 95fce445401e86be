package dev.granary.storage.data;

import dev.granary.net.message.ChunkStatus;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The completion record of one request: the chunks of a create, or the status of each chunk that a put or delete found
 * owned by this peer. Chunks of other owners are not in it. The client asks those owners with the same request id, and
 * so each owner knows for its chunks whether the request was carried out (SAFETY rule "retries", ADR 0094, 0135).
 * Immutable; the arrays must not be changed.
 *
 * @param answer one status for each CID
 * @param cids the chunks that were created, put or deleted; in the order of the request where it was carried out
 */
// The arrays never leave the package but to be written; equality is never asked for.
@SuppressWarnings("ArrayRecordComponent")
record Completion(byte[] answer, long[] cids) {

    static final int UNDONE = -1;

    static Completion ofCreate(long[] cids, int count) {
        byte[] statuses = new byte[count];
        Arrays.fill(statuses, (byte) ChunkStatus.OK);
        return new Completion(statuses, Arrays.copyOf(cids, count));
    }

    /** Returns the completion record for the chunks that this peer owned, or null when it owned none. */
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
     * Writes the status of each chunk into an array, {@link #UNDONE} for a chunk that is not in this record.
     *
     * @return whether all chunks are in this record
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

    /** Returns both records together, the known one first. For a chunk in both this record counts. */
    Completion with(@Nullable Completion known) {
        if (known == null || Arrays.equals(cids, known.cids)) {
            return this;
        }
        int[] theirs = new int[cids.length];
        known.statusesOf(cids, theirs.length, theirs);
        int[] mine = new int[known.cids.length];
        statusesOf(known.cids, mine.length, mine);
        long[] allCids = Arrays.copyOf(known.cids, mine.length + theirs.length);
        byte[] allAnswers = Arrays.copyOf(known.answer, allCids.length);
        for (int i = 0; i < mine.length; i++) {
            allAnswers[i] = mine[i] == UNDONE ? allAnswers[i] : (byte) mine[i];
        }
        int count = mine.length;
        for (int i = 0; i < theirs.length; i++) {
            if (theirs[i] == UNDONE) {
                allCids[count] = cids[i];
                allAnswers[count++] = answer[i];
            }
        }
        return new Completion(Arrays.copyOf(allAnswers, count), Arrays.copyOf(allCids, count));
    }

    /** Returns the chunks with the status {@link ChunkStatus#OK}. */
    List<Long> done() {
        return IntStream.range(0, cids.length)
                .filter(i -> answer[i] == ChunkStatus.OK)
                .mapToObj(i -> cids[i])
                .toList();
    }

    /** Returns the part of this record for the chunks in a span, or null when it has none of them. */
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
