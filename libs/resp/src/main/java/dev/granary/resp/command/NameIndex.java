package dev.granary.resp.command;

import dev.granary.resp.Request;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds values by names that stand in requests, in capitals or not, without an object for the name: a hash table with
 * open addressing, at most half full.
 */
final class NameIndex<T> {

    private final String[] names;
    private final Object[] values;

    NameIndex(Collection<T> all, Function<T, String> name) {
        int size = Integer.highestOneBit(Math.max(1, all.size())) * 4;
        names = new String[size];
        values = new Object[size];
        for (T value : all) {
            String key = name.apply(value);
            int slot = hash(key.getBytes(StandardCharsets.ISO_8859_1)) & (size - 1);
            while (values[slot] != null) {
                slot = (slot + 1) & (size - 1);
            }
            names[slot] = key;
            values[slot] = value;
        }
    }

    @SuppressWarnings("unchecked") // Only values of the type were put in.
    @Nullable
    T find(Request request, int argument) {
        int slot = hash(request, argument) & (names.length - 1);
        while (values[slot] != null) {
            if (request.is(argument, names[slot])) {
                return (T) values[slot];
            }
            slot = (slot + 1) & (names.length - 1);
        }
        return null;
    }

    private static int hash(byte[] name) {
        int hash = 0;
        for (byte letter : name) {
            hash = 31 * hash + (letter | 0x20);
        }
        return spread(hash);
    }

    private static int hash(Request request, int argument) {
        int hash = 0;
        int start = request.start(argument);
        int end = start + request.length(argument);
        for (int at = start; at < end; at++) {
            hash = 31 * hash + (request.buffer().getByte(at) | 0x20);
        }
        return spread(hash);
    }

    private static int spread(int hash) {
        return hash ^ hash >>> 16;
    }
}
