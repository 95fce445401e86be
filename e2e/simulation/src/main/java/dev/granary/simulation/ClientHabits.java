package dev.granary.simulation;

import dev.granary.client.Durability;
import dev.granary.testkit.Promise;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What all clients do in another way for a while. */
final class ClientHabits {

    private static final int USUAL_BATCH = 8;
    private static final int LARGE_BATCH = 64;
    private static final int USUAL_PAYLOAD_BYTES = 108;
    private static final int LARGE_PAYLOAD_BYTES = 24 << 10;
    private static final int LARGE_ONE_OF = 4;

    /** No more than two storage peers of five have room for. */
    private static final long ALL_LARGE_BYTES = 1 << 20;

    private boolean mixedDurability;
    private int unusual;
    private boolean anyMayBeAsync;
    private boolean largeWork;
    private int large;
    private long largeBytes;
    private final Set<Long> asyncCids = new HashSet<>();

    /**
     * From now on some changes ask for another durability than what storage peers are configured to do, or none does.
     */
    void mixDurability(boolean mixed) {
        mixedDurability = mixed;
    }

    /** How many changes have asked for another durability so far. */
    int unusual() {
        return unusual;
    }

    /** From now on clients write large chunks and have large batches, or do not. */
    void workLarge(boolean wanted) {
        largeWork = wanted;
    }

    /** Whether clients write large chunks and have large batches. */
    boolean isLarge() {
        return largeWork;
    }

    /** How many large chunks were written, and large batches begun, so far. */
    int large() {
        return large;
    }

    /** How large the next batch may be. */
    int largestBatch() {
        large += largeWork ? 1 : 0;
        return largeWork ? LARGE_BATCH : USUAL_BATCH;
    }

    /** How many bytes a value may have that is written now. */
    int largestPayload(RandomGenerator random) {
        if (!largeWork || largeBytes >= ALL_LARGE_BYTES || random.nextInt(LARGE_ONE_OF) > 0) {
            return USUAL_PAYLOAD_BYTES;
        }
        large++;
        largeBytes += LARGE_PAYLOAD_BYTES / 2;
        return LARGE_PAYLOAD_BYTES;
    }

    /** What the next change asks for; null for what storage peers are configured to do. */
    @Nullable
    Durability nextDurability(RandomGenerator random) {
        if (!mixedDurability) {
            return null;
        }
        Durability next =
                switch (random.nextInt(3)) {
                    case 0 -> null;
                    case 1 -> Durability.ASYNC;
                    default -> Durability.SYNCED;
                };
        unusual += next == null ? 0 : 1;
        return next;
    }

    /** What the answer to a change promises that asked for this. */
    static Promise promiseOf(@Nullable Durability asked) {
        return switch (asked) {
            case ASYNC -> Promise.ASYNC;
            case SYNCED -> Promise.SYNCED;
            case REPLICATED -> Promise.REPLICATED;
            case null -> Promise.REPLICATED;
        };
    }

    /** A change of a chunk was asked for so that its answer promises no copy. */
    void changedAsync(long cid) {
        asyncCids.add(cid);
    }

    /** A chunk may have been made so, and nobody knows which. */
    void createdAsync() {
        anyMayBeAsync = true;
    }

    /** Whether a chunk may have changes of which only its owner knew. */
    boolean mayBeAsync(long cid) {
        return anyMayBeAsync || asyncCids.contains(cid);
    }
}
