package dev.granary.bench.compare.stores;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/** Jedis with a redis-server or a valkey-server: each thread has a connection of its own. */
final class JedisComparedClient implements ComparedClient {

    /** Long enough for a million objects in one request. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private final HostPort address;

    JedisComparedClient(HostPort address) {
        this.address = address;
    }

    @Override
    public Session open() {
        return new Connected(new Jedis(address.host(), address.port(), TIMEOUT_MILLIS));
    }

    @Override
    public void close() {
        // Sessions have closed their connections.
    }

    private record Connected(Jedis jedis) implements Session {

        @Override
        public byte @Nullable [] read(long key) {
            return jedis.get(KeyBytes.of(key));
        }

        @Override
        public void update(long key, byte[] value) {
            jedis.set(KeyBytes.of(key), value);
        }

        @Override
        public void insert(long key, byte[] value) {
            jedis.set(KeyBytes.of(key), value);
        }

        @Override
        public void delete(long key) {
            jedis.del(KeyBytes.of(key));
        }

        @Override
        public void readAll(long[] keys, Consumer<byte[]> found) {
            for (byte[] value : jedis.mget(KeyBytes.of(keys))) {
                if (value != null) {
                    found.accept(value);
                }
            }
        }

        @Override
        public void insertAll(long[] keys, List<byte[]> values) {
            byte[][] pairs = new byte[2 * keys.length][];
            for (int i = 0; i < keys.length; i++) {
                pairs[2 * i] = KeyBytes.of(keys[i]);
                pairs[2 * i + 1] = values.get(i);
            }
            jedis.mset(pairs);
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
