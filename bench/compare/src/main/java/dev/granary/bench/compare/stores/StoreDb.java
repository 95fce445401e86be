package dev.granary.bench.compare.stores;

import dev.granary.bench.stores.StoreWorkload;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * What YCSB's workloads do, done with a session of a store. The fields of an object are one value, one after the other;
 * an update replaces all of them. A scan reads objects with consecutive numbers in one request, since not all stores
 * have an order of keys. Errors are thrown. Not thread-safe.
 */
final class StoreDb extends DB {

    /** What stands before the number in a key of YCSB. */
    private static final String PREFIX = "user";

    private static final int DECIMAL = 10;

    private final ComparedClient.Session session;
    private final ObjectSet objects;
    private final int fields;
    private final int fieldBytes;
    private final int valueBytes;

    StoreDb(ComparedClient.Session session, ObjectSet objects, StoreWorkload shape) {
        this.session = session;
        this.objects = objects;
        this.fields = shape.fields();
        this.fieldBytes = shape.fieldBytes();
        this.valueBytes = shape.valueBytes();
    }

    @Override
    public Status read(
            String table, String key, @Nullable Set<String> wanted, @Nullable Map<String, ByteIterator> result) {
        byte[] value = session.read(objects.key(number(key)));
        if (value == null) {
            throw new IllegalStateException(key + " is missing");
        }
        Map<String, ByteIterator> all = result == null ? HashMap.newHashMap(fields) : result;
        split(value, all);
        return Status.OK;
    }

    @Override
    @SuppressWarnings({"JdkObsolete", "NonApiType"}) // YCSB asks for these types.
    public Status scan(
            String table,
            String startKey,
            int recordCount,
            @Nullable Set<String> wanted,
            Vector<HashMap<String, ByteIterator>> result) {
        long from = number(startKey);
        long[] keys = new long[(int) Math.min(recordCount, objects.count() - from)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = objects.key(from + i);
        }
        AtomicLong found = new AtomicLong();
        session.readAll(keys, value -> {
            HashMap<String, ByteIterator> all = HashMap.newHashMap(fields);
            split(value, all);
            result.add(all);
            found.incrementAndGet();
        });
        if (found.get() != keys.length) {
            throw new IllegalStateException("a scan of " + keys.length + " objects found " + found);
        }
        return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        session.update(objects.key(number(key)), join(values));
        return Status.OK;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        long number = number(key);
        session.insert(objects.key(number), join(values));
        objects.added(number);
        return Status.OK;
    }

    @Override
    public Status delete(String table, String key) {
        return Status.NOT_IMPLEMENTED;
    }

    private static long number(String key) {
        return Long.parseLong(key, PREFIX.length(), key.length(), DECIMAL);
    }

    private static String field(int number) {
        return "field" + number;
    }

    private void split(byte[] value, Map<String, ByteIterator> all) {
        if (value.length != valueBytes) {
            throw new IllegalStateException("an object has " + value.length + " bytes, not " + valueBytes);
        }
        for (int i = 0; i < fields; i++) {
            all.put(field(i), new ByteArrayByteIterator(value, i * fieldBytes, fieldBytes));
        }
    }

    private byte[] join(Map<String, ByteIterator> values) {
        byte[] value = new byte[valueBytes];
        for (int i = 0; i < fields; i++) {
            ByteIterator bytes = values.get(field(i));
            if (bytes == null) {
                throw new IllegalStateException("a write without " + field(i));
            }
            for (int at = i * fieldBytes; at < (i + 1) * fieldBytes; at++) {
                value[at] = bytes.nextByte();
            }
        }
        return value;
    }
}
