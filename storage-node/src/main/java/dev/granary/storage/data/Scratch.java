package dev.granary.storage.data;

import dev.granary.net.message.ChunkLayouts;
import dev.granary.storage.replicate.ZoneBatch;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;

/**
 * Arrays for the numbers of one request, reused by the next of the same thread, so that a request allocates nothing for
 * each chunk. They grow up to {@link ChunkLayouts#MAX_COUNT}.
 */
final class Scratch {

    private static final int INITIAL_COUNT = 256;

    final ZoneGroups groups = new ZoneGroups();
    final ZoneBatch batch;
    final ChangeRoom room = new ChangeRoom();
    final LoggedCompletion completion = new LoggedCompletion();

    /** What this thread says about the chunks that it creates. */
    final CreationsUnderWay.Turn turn;

    /** By the groups of a request: the batch in which they are. */
    long[] sequences = new long[8];

    /** How many uses are not looked at before the next that is. */
    int untilSample = LoadSketch.SAMPLED;

    long[] cids = new long[INITIAL_COUNT];
    long[] tokens = new long[INITIAL_COUNT];
    int[] sizes = new int[INITIAL_COUNT];
    int[] results = new int[INITIAL_COUNT];
    long[] offsets = new long[INITIAL_COUNT];
    boolean[] deleted = new boolean[INITIAL_COUNT];

    Scratch(ByteBufAllocator allocator, CreationsUnderWay.Turn turn) {
        this.batch = new ZoneBatch(allocator);
        this.turn = turn;
    }

    /** Makes room for the numbers of a request; their contents are arbitrary. */
    void reserve(int count) {
        if (count > cids.length) {
            int length = Math.min(ChunkLayouts.MAX_COUNT, Integer.highestOneBit(count - 1) << 1);
            cids = new long[length];
            tokens = new long[length];
            sizes = new int[length];
            results = new int[length];
            offsets = new long[length];
            deleted = new boolean[length];
        }
    }

    /** Says where the payload of each chunk begins. */
    void findOffsets(int count) {
        long offset = 0;
        for (int i = 0; i < count; i++) {
            offsets[i] = offset;
            offset += sizes[i];
        }
    }

    /** Makes room for what is said of each group. */
    void reserveGroups() {
        if (sequences.length < groups.groups()) {
            sequences = new long[2 * groups.groups()];
        }
    }

    /** Adds up sizes that have been checked to be non-negative. */
    long sumOfSizes(int count) {
        return count == 1
                ? sizes[0]
                : Arrays.stream(sizes, 0, count).asLongStream().sum();
    }
}
