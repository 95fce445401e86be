package dev.granary.bench.compare.stores;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.util.List;
import java.util.function.Consumer;

/** The Java client; an object is a chunk. All threads share one client, as applications do. */
final class GranaryComparedClient implements ComparedClient {

    private final GranaryClient client;
    private final Numbering numbering = new Numbering();

    GranaryComparedClient(String address) {
        client = GranaryClient.connect(ClientOptions.of(address));
    }

    @Override
    public Session open() {
        return new Shared();
    }

    @Override
    public void close() {
        client.close();
    }

    private final class Shared implements Session {

        @Override
        public byte[] read(long key) {
            return client.get(numbering.cid(key));
        }

        @Override
        public void update(long key, byte[] value) {
            client.put(numbering.cid(key), value);
        }

        @Override
        public void insert(long key, byte[] value) {
            numbering.put(key, client.create(value));
        }

        @Override
        public void delete(long key) {
            client.delete(numbering.cid(key));
        }

        @Override
        public void readAll(long[] keys, Consumer<byte[]> found) {
            long[] cids = new long[keys.length];
            for (int i = 0; i < keys.length; i++) {
                cids[i] = numbering.cid(keys[i]);
            }
            for (byte[] value : client.getAll(cids)) {
                if (value != null) {
                    found.accept(value);
                }
            }
        }

        @Override
        public void insertAll(long[] keys, List<byte[]> values) {
            long[] cids = client.createAll(values, Place.anywhere());
            for (int i = 0; i < keys.length; i++) {
                numbering.put(keys[i], cids[i]);
            }
        }
    }
}
