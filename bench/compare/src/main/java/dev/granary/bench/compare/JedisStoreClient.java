package dev.granary.bench.compare;

import dev.granary.bench.network.StoreClient;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;

/** Jedis: each thread has a connection of its own, on which it writes and reads itself. */
final class JedisStoreClient implements StoreClient {

    private final String host;
    private final int port;
    private RedisKeys keys = new RedisKeys(0);

    JedisStoreClient(String host, int port) {
        this.host = host;
        this.port = port;
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
        return new Connected(new Jedis(host, port), keys);
    }

    @Override
    public void close() {
        // Sessions have closed their connections.
    }

    private record Connected(Jedis jedis, RedisKeys keys) implements Session {

        @Override
        public int get(int number) {
            byte[] value = jedis.get(keys.key(number));
            return value == null ? -1 : value.length;
        }

        @Override
        public void put(int number, byte[] value) {
            jedis.set(keys.key(number), value);
        }

        @Override
        public int getAll(int[] numbers) {
            int found = 0;
            for (byte[] each : jedis.mget(keys.keys(numbers))) {
                found += each == null ? 0 : 1;
            }
            return found;
        }

        @Override
        public void putAll(int[] numbers, byte[] value) {
            byte[][] pairs = new byte[2 * numbers.length][];
            for (int i = 0; i < numbers.length; i++) {
                pairs[2 * i] = keys.key(numbers[i]);
                pairs[2 * i + 1] = value;
            }
            jedis.mset(pairs);
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
