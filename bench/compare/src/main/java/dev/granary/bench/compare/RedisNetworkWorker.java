package dev.granary.bench.compare;

import dev.granary.bench.network.NetworkWorker;
import dev.granary.bench.network.StoreClient;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The process with a client of a redis-server; it works as {@link NetworkWorker} says. */
public final class RedisNetworkWorker {

    private RedisNetworkWorker() {}

    /**
     * Measures.
     *
     * @param arguments {@code jedis} or {@code lettuce}, the port of a redis-server on this machine, the number of
     *     objects, their size in bytes
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream results = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        int port = Integer.parseInt(arguments[1]);
        StoreClient client = arguments[0].equals("jedis")
                ? new JedisStoreClient("127.0.0.1", port)
                : new LettuceStoreClient("127.0.0.1", port);
        NetworkWorker.run(client, arguments, System.in, results);
    }
}
