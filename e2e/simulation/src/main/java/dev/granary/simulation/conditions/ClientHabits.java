package dev.granary.simulation.conditions;

import dev.granary.client.Durability;
import dev.granary.testkit.Promise;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Unusual habits that all clients of a run have for a while: other durability levels, large chunks and batches. */
public final class ClientHabits {

    private static final int USUAL_BATCH = 8;
    private static final int LARGE_BATCH = 64;
    private static final int USUAL_PAYLOAD_BYTES = 108;
    private static final int LARGE_PAYLOAD_BYTES = 24 << 10;
    private static final int LARGE_ONE_OF = 4;

    /** The limit for all large chunks of a run together; no more than two of five storage peers have room for it. */
    private static final long ALL_LARGE_BYTES = 1 << 20;

    private boolean mixedDurability;
    private int unusual;
    private boolean anyMayBeAsync;
    private boolean largeWork;
    private int large;
    private long largeBytes;
    private final Set<Long> asyncCids = new HashSet<>();

    /** Lets some changes ask for another durability level than the configured one from now on, or stops that. */
    public void mixDurability(boolean mixed) {
        mixedDurability = mixed;
    }

    /** How many changes have asked for another durability so far. */
    public int unusual() {
        return unusual;
    }

    /** Lets clients write large chunks and use large batches from now on, or stops that. */
    public void workLarge(boolean wanted) {
        largeWork = wanted;
    }

    /** Whether clients write large chunks and use large batches. */
    public boolean isLarge() {
        return largeWork;
    }

    /** Returns how many large chunks were written and large batches begun so far. */
    public int large() {
        return large;
    }

    /** Returns how large the next batch may be, and counts it if large. */
    public int largestBatch() {
        large += largeWork ? 1 : 0;
        return largeWork ? LARGE_BATCH : USUAL_BATCH;
    }

    /** Returns below how many bytes the next value stays, and counts it if large. */
    public int largestPayload(RandomGenerator random) {
        if (!largeWork || largeBytes >= ALL_LARGE_BYTES || random.nextInt(LARGE_ONE_OF) > 0) {
            return USUAL_PAYLOAD_BYTES;
        }
        large++;
        largeBytes += LARGE_PAYLOAD_BYTES / 2;
        return LARGE_PAYLOAD_BYTES;
    }

    /** Returns the durability level that the next change asks for; null for the configured one. */
    @Nullable
    public Durability nextDurability(RandomGenerator random) {
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

    /** Returns what the answer to a change promises that asked for this durability level. */
    public static Promise promiseOf(@Nullable Durability asked) {
        return switch (asked) {
            case ASYNC -> Promise.ASYNC;
            case SYNCED -> Promise.SYNCED;
            case REPLICATED -> Promise.REPLICATED;
            case null -> Promise.REPLICATED;
        };
    }

    /** Records that a change of this chunk asked for {@code async}: its answer promises no copy. */
    public void changedAsync(long cid) {
        asyncCids.add(cid);
    }

    /** Records that chunks with unknown CIDs may have been created with {@code async}. */
    public void createdAsync() {
        anyMayBeAsync = true;
    }

    /** Whether a chunk may have changes that only its owner had. */
    public boolean mayBeAsync(long cid) {
        return anyMayBeAsync || asyncCids.contains(cid);
    }
}
