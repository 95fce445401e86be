package dev.granary.bench.compare.stores;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.MemcachedClientBuilder;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.exception.MemcachedException;
import net.rubyeye.xmemcached.utils.AddrUtil;
import org.jspecify.annotations.Nullable;

/** Xmemcached: all threads share one connection, which is what it does unless it is told otherwise. */
final class MemcachedComparedClient implements ComparedClient {

    private static final int NEVER = 0;
    private static final long TIMEOUT_MILLIS = 60_000;

    private final MemcachedClient client;

    MemcachedComparedClient(HostPort address) {
        MemcachedClientBuilder builder = new XMemcachedClientBuilder(AddrUtil.getAddresses(address.toString()));
        builder.setTranscoder(new PlainTranscoder());
        try {
            client = builder.build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        client.setOpTimeout(TIMEOUT_MILLIS);
    }

    @Override
    public Session open() {
        return new Shared(client);
    }

    @Override
    public void close() {
        try {
            client.shutdown();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Call<T extends @Nullable Object> {
        T call() throws TimeoutException, InterruptedException, MemcachedException;
    }

    private static <T extends @Nullable Object> T answer(Call<T> call) {
        try {
            return call.call();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (TimeoutException | MemcachedException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Shared(MemcachedClient client) implements Session {

        private static String name(long key) {
            return Long.toHexString(key);
        }

        @Override
        public byte @Nullable [] read(long key) {
            return answer(() -> client.<byte[]>get(name(key)));
        }

        @Override
        public void update(long key, byte[] value) {
            if (!answer(() -> client.set(name(key), NEVER, value))) {
                throw new IllegalStateException("not stored");
            }
        }

        @Override
        public void insert(long key, byte[] value) {
            update(key, value);
        }

        @Override
        public void delete(long key) {
            if (!answer(() -> client.delete(name(key)))) {
                throw new IllegalStateException("not deleted");
            }
        }

        @Override
        public void readAll(long[] keys, Consumer<byte[]> found) {
            List<String> names = new ArrayList<>(keys.length);
            for (long key : keys) {
                names.add(name(key));
            }
            answer(() -> client.<byte[]>get(names)).values().forEach(found);
        }

        /** The protocol has no request for many: only the last write is waited for. */
        @Override
        public void insertAll(long[] keys, List<byte[]> values) {
            int last = keys.length - 1;
            for (int i = 0; i < last; i++) {
                int at = i;
                answer(() -> {
                    client.setWithNoReply(name(keys[at]), NEVER, values.get(at));
                    return true;
                });
            }
            update(keys[last], values.get(last));
        }
    }
}
