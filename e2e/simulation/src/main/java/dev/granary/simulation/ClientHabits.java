package dev.granary.simulation;

import dev.granary.net.message.Durability;
import dev.granary.testkit.Promise;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What all clients do in another way for a while. */
final class ClientHabits {

    private boolean mixedDurability;
    private int unusual;
    private boolean anyMayBeAsync;
    private final Set<Long> asyncCids = new HashSet<>();

    /** From now on some changes ask for another durability than what storage peers are configured to do, or none does. */
    void mixDurability(boolean mixed) {
        mixedDurability = mixed;
    }

    /** How many changes have asked for another durability so far. */
    int unusual() {
        return unusual;
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
