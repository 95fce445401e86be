package dev.granary.storage.keyed;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What happens to a change that would take more memory than keys may have. The names are those of Redis, which its
 * clients and tools send and read; several of them mean the same here (ADR 0281).
 */
public enum EvictionPolicy {
    /** The change is refused. */
    NOEVICTION(Way.NONE),
    ALLKEYS_LRU(Way.LEAST_WANTED),
    ALLKEYS_LFU(Way.LEAST_WANTED),
    ALLKEYS_RANDOM(Way.LEAST_WANTED),
    VOLATILE_LRU(Way.SOONEST_EXPIRY),
    VOLATILE_LFU(Way.SOONEST_EXPIRY),
    VOLATILE_RANDOM(Way.SOONEST_EXPIRY),
    VOLATILE_TTL(Way.SOONEST_EXPIRY);

    /** Which keys make way. */
    enum Way {
        /** None. */
        NONE,
        /** Those that nobody wants, by S3-FIFO in the order of the index. */
        LEAST_WANTED,
        /** Of those that expire, the ones that do so soonest. */
        SOONEST_EXPIRY
    }

    private final Way way;

    EvictionPolicy(Way way) {
        this.way = way;
    }

    Way way() {
        return way;
    }

    /** Returns whether keys make way for others. */
    public boolean evicts() {
        return way != Way.NONE;
    }

    /** Returns Redis's word for it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the policy with one of Redis's words, in any case. */
    public static Optional<EvictionPolicy> of(String word) {
        return Arrays.stream(values())
                .filter(policy -> policy.word().equalsIgnoreCase(word))
                .findFirst();
    }
}
