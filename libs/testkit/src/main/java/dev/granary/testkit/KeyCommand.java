package dev.granary.testkit;

import dev.granary.testkit.KeyState.Entry;
import dev.granary.testkit.KeyState.Expiry;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What commands of the Redis protocol do, as far as {@link KeyHistory} knows them. Replies are written as in RESP2: the
 * sign of their type and their text, without lengths and ends of lines; {@link #NIL} stands for nothing.
 */
final class KeyCommand {

    static final String NIL = "$-1";

    /** The begin of the reply to a change for which there was no room. */
    static final String NO_ROOM = "-OOM";

    private static final String OK = "+OK";
    private static final String WRONG_TYPE = "-WRONGTYPE";
    private static final String NO_NUMBER = "-ERR";
    private static final long MILLI_NANOS = 1_000_000;

    private final SortedMap<String, Entry> entries;
    private final long fromNanos;
    private final long untilNanos;

    /**
     * @param entries are changed
     * @param fromNanos when the commands are carried out, at the earliest
     * @param untilNanos and at the latest
     */
    KeyCommand(SortedMap<String, Entry> entries, long fromNanos, long untilNanos) {
        this.entries = entries;
        this.fromNanos = fromNanos;
        this.untilNanos = untilNanos;
    }

    /** Whether two replies are the same; errors are if they have the same first word. */
    static boolean isSame(String expected, String seen) {
        return expected.startsWith("-") ? seen.startsWith(expected) : expected.equals(seen);
    }

    /**
     * Carries out a command.
     *
     * @param seen the reply that it had, null if it is not known: a change for which there was no room changes nothing
     * @return the reply that it must have
     */
    String run(List<String> command, @Nullable String seen) {
        String key = command.get(1);
        Entry entry = entries.get(key);
        if (seen != null && seen.startsWith(NO_ROOM) && needsRoom(command.getFirst())) {
            return NO_ROOM;
        }
        return switch (command.getFirst()) {
            case "GET" -> entry == null ? NIL : entry.text() == null ? WRONG_TYPE : "$" + entry.text();
            case "SET" -> set(key, command, entry);
            case "DEL" -> entries.remove(key) == null ? ":0" : ":1";
            case "GETDEL" -> getAndDelete(key, entry);
            case "INCR" -> increment(key, entry);
            case "APPEND" -> append(key, command.get(2), entry);
            case "HSET" -> setField(key, command.get(2), command.get(3), entry);
            case "HGET" -> field(command.get(2), entry);
            case "PEXPIRE" -> expire(key, command.get(2), entry);
            default -> throw new IllegalArgumentException("a command that histories do not know: " + command);
        };
    }

    /** Whether a command may be refused for want of room. */
    static boolean needsRoom(String name) {
        return !name.equals("GET") && !name.equals("HGET");
    }

    private String set(String key, List<String> command, @Nullable Entry entry) {
        List<String> options = command.subList(3, command.size());
        if (options.contains("NX") && entry != null) {
            return NIL;
        }
        int px = options.indexOf("PX");
        entries.put(key, Entry.of(command.get(2), px < 0 ? null : expiry(options.get(px + 1))));
        return OK;
    }

    private Expiry expiry(String millis) {
        return new Expiry(fromNanos, untilNanos, Long.parseLong(millis) * MILLI_NANOS);
    }

    private String getAndDelete(String key, @Nullable Entry entry) {
        if (entry == null) {
            return NIL;
        }
        if (entry.text() == null) {
            return WRONG_TYPE;
        }
        entries.remove(key);
        return "$" + entry.text();
    }

    private String increment(String key, @Nullable Entry entry) {
        if (entry != null && entry.text() == null) {
            return WRONG_TYPE;
        }
        long value;
        try {
            value = entry == null ? 1 : Long.parseLong(entry.text()) + 1;
        } catch (NumberFormatException e) {
            return NO_NUMBER;
        }
        entries.put(key, Entry.of(Long.toString(value), entry == null ? null : entry.expiry()));
        return ":" + value;
    }

    private String append(String key, String more, @Nullable Entry entry) {
        if (entry != null && entry.text() == null) {
            return WRONG_TYPE;
        }
        String text = (entry == null ? "" : entry.text()) + more;
        entries.put(key, Entry.of(text, entry == null ? null : entry.expiry()));
        return ":" + text.length();
    }

    private String setField(String key, String field, String value, @Nullable Entry entry) {
        if (entry != null && entry.text() != null) {
            return WRONG_TYPE;
        }
        SortedMap<String, String> fields = new TreeMap<>(entry == null ? new TreeMap<>() : entry.fields());
        boolean added = fields.put(field, value) == null;
        entries.put(key, new Entry(null, fields, entry == null ? null : entry.expiry()));
        return added ? ":1" : ":0";
    }

    private static String field(String field, @Nullable Entry entry) {
        if (entry == null) {
            return NIL;
        }
        if (entry.text() != null) {
            return WRONG_TYPE;
        }
        String value = entry.fields().get(field);
        return value == null ? NIL : "$" + value;
    }

    private String expire(String key, String millis, @Nullable Entry entry) {
        if (entry == null) {
            return ":0";
        }
        entries.put(key, entry.withExpiry(expiry(millis)));
        return ":1";
    }
}
