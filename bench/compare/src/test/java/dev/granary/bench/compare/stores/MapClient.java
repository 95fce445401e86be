package dev.granary.bench.compare.stores;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store in the memory of a test. */
class MapClient implements ComparedClient {

    final Map<Long, byte[]> objects = new ConcurrentHashMap<>();

    @Override
    public Session open() {
        return new MapSession();
    }

    @Override
    public void close() {
        objects.clear();
    }

    class MapSession implements Session {

        @Override
        public byte @Nullable [] read(long key) {
            return objects.get(key);
        }

        @Override
        public void update(long key, byte[] value) {
            // As in Granary: a late update of an object that was deleted meanwhile must not bring it back.
            if (objects.replace(key, value) == null) {
                throw new IllegalStateException("an update of an object that is not there");
            }
        }

        @Override
        public void insert(long key, byte[] value) {
            if (objects.put(key, value) != null) {
                throw new IllegalStateException("an insert of an object that is there");
            }
        }

        @Override
        public void delete(long key) {
            if (objects.remove(key) == null) {
                throw new IllegalStateException("a delete of an object that is not there");
            }
        }

        @Override
        public void readAll(long[] keys, Consumer<byte[]> found) {
            for (long key : keys) {
                byte[] value = objects.get(key);
                if (value != null) {
                    found.accept(value);
                }
            }
        }

        @Override
        public void insertAll(long[] keys, List<byte[]> values) {
            for (int i = 0; i < keys.length; i++) {
                insert(keys[i], values.get(i));
            }
        }
    }
}
