package dev.granary.bench.compare;

import dev.granary.bench.network.StoreClient;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.IdentityHashMap;
import java.util.stream.IntStream;

/** Lettuce: all threads share one connection, which its authors advise. */
final class LettuceStoreClient implements StoreClient {

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private RedisKeys keys = new RedisKeys(0);

    LettuceStoreClient(String host, int port) {
        client = RedisClient.create(RedisURI.create(host, port));
        connection = client.connect(ByteArrayCodec.INSTANCE);
    }

    @Override
    public void load(int objects, byte[] value) {
        keys = new RedisKeys(objects);
        try (Session session = open()) {
            for (int from = 0; from < objects; from += RedisKeys.LOAD_BATCH) {
                session.putAll(
                        IntStream.range(from, Math.min(objects, from + RedisKeys.LOAD_BATCH))
                                .toArray(),
                        value);
            }
        }
    }

    @Override
    public Session open() {
        return new Shared(connection.sync(), keys);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }

    private record Shared(RedisCommands<byte[], byte[]> commands, RedisKeys keys) implements Session {

        @Override
        public int get(int number) {
            byte[] value = commands.get(keys.key(number));
            return value == null ? -1 : value.length;
        }

        @Override
        public void put(int number, byte[] value) {
            commands.set(keys.key(number), value);
        }

        @Override
        public int getAll(int[] numbers) {
            int found = 0;
            for (KeyValue<byte[], byte[]> each : commands.mget(keys.keys(numbers))) {
                found += each.hasValue() ? 1 : 0;
            }
            return found;
        }

        @Override
        public void putAll(int[] numbers, byte[] value) {
            IdentityHashMap<byte[], byte[]> pairs = new IdentityHashMap<>();
            for (int number : numbers) {
                pairs.put(keys.key(number), value);
            }
            commands.mset(pairs);
        }
    }
}
