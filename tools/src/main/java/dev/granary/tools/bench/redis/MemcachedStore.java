package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.MemcachedWire;
import dev.granary.bench.redis.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/** A memcached with its own settings, in as many threads as it takes by itself. */
public final class MemcachedStore implements MeasuredStore {

    private static final long MIB = 1 << 20;

    private final ServerProcess process;

    private MemcachedStore(ServerProcess process) {
        this.process = process;
    }

    /** Starts one that evicts nothing below so many bytes. */
    public static MemcachedStore start(Path executable, long memoryBytes, int connections, Path folder)
            throws IOException, InterruptedException {
        int port = ServerProcess.freePort();
        List<String> command = List.of(
                executable.toString(),
                "-l",
                "127.0.0.1",
                "-p",
                Integer.toString(port),
                "-U",
                "0",
                "-m",
                Long.toString(Math.ceilDiv(memoryBytes, MIB)),
                "-c",
                Integer.toString(Math.max(1024, 2 * connections)),
                // It refuses to run as root without the name of a user; for others the option has no effect.
                "-u",
                System.getProperty("user.name", "root"));
        return new MemcachedStore(ServerProcess.start(command, port, folder.resolve("log.txt")));
    }

    @Override
    public StoreKind kind() {
        return StoreKind.MEMCACHED;
    }

    @Override
    public int copies() {
        return 1;
    }

    @Override
    public String version() throws IOException {
        try (TextClient client = new TextClient(process.address())) {
            return client.statistic("stats", "version");
        }
    }

    @Override
    public List<InetSocketAddress> addresses() {
        return List.of(process.address());
    }

    @Override
    public List<Long> servers() {
        return List.of(process.pid());
    }

    @Override
    public List<Long> others() {
        return List.of();
    }

    @Override
    public Wire wire(int expirySeconds) {
        return new MemcachedWire(expirySeconds);
    }

    /** The pages of its items, and its hash table. */
    @Override
    public long ownBytes() throws IOException {
        try (TextClient client = new TextClient(process.address())) {
            return Long.parseLong(client.statistic("stats slabs", "total_malloced"))
                    + Long.parseLong(client.statistic("stats", "hash_bytes"));
        }
    }

    /** Limits the pages of items; the hash table comes on top. */
    @Override
    public void limitMemory(long bytes) throws IOException {
        try (TextClient client = new TextClient(process.address())) {
            long hashBytes = Long.parseLong(client.statistic("stats", "hash_bytes"));
            String command = "cache_memlimit " + Math.max(1, (bytes - hashBytes) / MIB);
            String answer = client.memcached(command);
            if (!answer.equals("OK")) {
                throw new RefusedException(command + ": " + answer);
            }
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
