package dev.granary.storage;

import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigTypes;
import dev.granary.storage.keyed.EvictionPolicy;
import dev.granary.storage.keyed.KeyedLimits;
import java.util.List;

/** The configuration of the memory of keys. */
final class EvictionKeys {

    private static final long MIN_MEMORY_BYTES = 1L << 20;
    private static final long MAX_MEMORY_BYTES = 1L << 50;

    private static final ConfigKey<Long> MAX_MEMORY = ConfigKey.optional(
            "redis.maxmemory",
            ConfigTypes.size(MIN_MEMORY_BYTES, MAX_MEMORY_BYTES),
            "what memory.size leaves",
            "How much memory keys of this peer may take, with what is beside them; other chunks do not count. Redis"
                    + " clients see and change it as maxmemory.");

    private static final ConfigKey<EvictionPolicy> POLICY = ConfigKey.withDefault(
            "redis.maxmemory.policy",
            ConfigTypes.choice(EvictionPolicy.class),
            "noeviction",
            "What happens when keys have used their memory: noeviction refuses changes, allkeys-* remove the keys that"
                    + " are wanted least, volatile-* those that expire soonest. Redis clients see and change it as"
                    + " maxmemory-policy.");

    private EvictionKeys() {}

    static List<ConfigKey<?>> all() {
        return List.of(MAX_MEMORY, POLICY);
    }

    /** Returns what keys may take. */
    static KeyedLimits limits(Config config) {
        return new KeyedLimits(config.find(MAX_MEMORY).orElse(0L), config.get(POLICY));
    }
}
