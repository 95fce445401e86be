package dev.granary.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All records of a sealed interface, each of which has a {@link Code}: none of them can be forgotten.
 *
 * @param <T> the interface, or a record alone
 */
public final class RecordTypes<T> {

    private final String name;
    private final TreeMap<Integer, Class<? extends Record>> byCode = new TreeMap<>();
    private final Map<Class<?>, Integer> codes = new HashMap<>();

    private RecordTypes(String name, Class<T> root) {
        this.name = name;
        for (Class<?> each : recordsOf(root)) {
            Code code = each.getAnnotation(Code.class);
            if (code == null) {
                throw new IllegalStateException(each + " has no code");
            }
            Class<?> other = byCode.put(code.value(), each.asSubclass(Record.class));
            if (other != null) {
                throw new IllegalStateException(each + " has the code of " + other);
            }
            codes.put(each, code.value());
        }
    }

    /**
     * The records that an interface permits.
     *
     * @param name what messages call a record, also one of unknown code
     * @param root the sealed interface, or a record
     * @throws IllegalStateException when a record has no code or that of another one
     */
    public static <T> RecordTypes<T> of(String name, Class<T> root) {
        return new RecordTypes<>(name, root);
    }

    /** The code of a record's class. */
    public int codeOf(T value) {
        Integer code = codes.get(value.getClass());
        if (code == null) {
            throw new IllegalArgumentException(value.getClass() + " is no " + name);
        }
        return code;
    }

    /**
     * Reads the record with a code.
     *
     * @throws IllegalArgumentException when there is none, or the bytes are not such a record
     * @throws IndexOutOfBoundsException when there are too few bytes
     */
    @SuppressWarnings("unchecked") // all records are of the interface
    public T read(int code, Source in) {
        Class<? extends Record> type = byCode.get(code);
        if (type == null) {
            throw new IllegalArgumentException(name + " of the unknown type " + code);
        }
        return (T) RecordCodec.of(type).read(in);
    }

    /** All records by their codes. */
    public SortedMap<Integer, Class<? extends Record>> all() {
        return Collections.unmodifiableSortedMap(byCode);
    }

    private static List<Class<?>> recordsOf(Class<?> type) {
        if (type.isRecord()) {
            return List.of(type);
        }
        if (!type.isSealed()) {
            throw new IllegalStateException(type + " is neither a record nor sealed");
        }
        List<Class<?>> records = new ArrayList<>();
        for (Class<?> each : type.getPermittedSubclasses()) {
            records.addAll(recordsOf(each));
        }
        return records;
    }
}
