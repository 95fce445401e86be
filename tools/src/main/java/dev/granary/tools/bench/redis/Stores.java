package dev.granary.tools.bench.redis;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Starts stores, each in a folder of its own. */
final class Stores {

    /** Stores of others take some 40 to 90 bytes for each key beside it and its value. None shall evict. */
    private static final long BOOKKEEPING_BYTES = 128;

    private static final long LEAST_MEMORY_BYTES = 256L << 20;

    private final RedisPlan plan;
    private final Path directory;
    private int started;

    Stores(RedisPlan plan, Path directory) {
        this.plan = plan;
        this.directory = directory;
    }

    /**
     * Starts one.
     *
     * @param copies copies of each key; only clusters of ours have more than one
     * @throws UserException when it does not start
     */
    MeasuredStore start(StoreKind kind, int copies) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(directory.resolve(kind + "-" + started++));
        long memoryBytes =
                LEAST_MEMORY_BYTES + plan.keys() * (plan.keyBytes() + plan.mostValueBytes() + BOOKKEEPING_BYTES);
        if (kind == StoreKind.GRANARY) {
            return GranaryStore.start(copies, memoryBytes, folder);
        }
        Path executable = kind.executable().orElseThrow(() -> new UserException(kind.missing()));
        return kind == StoreKind.MEMCACHED
                ? MemcachedStore.start(executable, memoryBytes, plan.connections(), folder)
                : RedisStore.start(kind, executable, folder);
    }
}
