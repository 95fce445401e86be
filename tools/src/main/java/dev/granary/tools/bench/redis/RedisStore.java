package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.RespWire;
import dev.granary.bench.redis.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/** A redis-server, or a valkey-server, with its own settings but without files. */
public final class RedisStore implements MeasuredStore {

    private final StoreKind kind;
    private final ServerProcess process;

    private RedisStore(StoreKind kind, ServerProcess process) {
        this.kind = kind;
        this.process = process;
    }

    /** Starts a server, which keeps its log in the folder. */
    public static RedisStore start(StoreKind kind, Path executable, Path folder)
            throws IOException, InterruptedException {
        int port = ServerProcess.freePort();
        List<String> command = List.of(
                executable.toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                folder.toString());
        return new RedisStore(kind, ServerProcess.start(command, port, folder.resolve("log.txt")));
    }

    @Override
    public StoreKind kind() {
        return kind;
    }

    @Override
    public int copies() {
        return 1;
    }

    @Override
    public String version() throws IOException {
        try (TextClient client = new TextClient(process.address())) {
            return client.info("server", kind + "_version");
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
        return new RespWire(expirySeconds);
    }

    @Override
    public long ownBytes() throws IOException {
        return usedMemory(addresses());
    }

    /** The sum of {@code used_memory} of servers. */
    static long usedMemory(List<InetSocketAddress> addresses) throws IOException {
        long bytes = 0;
        for (InetSocketAddress address : addresses) {
            try (TextClient client = new TextClient(address)) {
                bytes += Long.parseLong(client.info("memory", "used_memory"));
            }
        }
        return bytes;
    }

    @Override
    public void limitMemory(long bytes) throws IOException {
        limitMemory(addresses(), bytes);
    }

    /** Sets a limit of servers together. */
    static void limitMemory(List<InetSocketAddress> addresses, long bytes) throws IOException {
        for (InetSocketAddress address : addresses) {
            try (TextClient client = new TextClient(address)) {
                client.redis("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu");
                client.redis("CONFIG", "SET", "maxmemory", Long.toString(bytes / addresses.size()));
            }
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
