package dev.granary.storage.door.state;

import dev.granary.storage.keyed.EvictionPolicy;
import dev.granary.storage.keyed.KeyedLimits;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings that {@code CONFIG} shows, by Redis's names. Few can be changed; of most a door has one value, because
 * what they are about is different in Granary. A change holds until the process ends. Thread-safe.
 */
public final class Settings {

    private static final long DEFAULT_SLOW_MICROS = 10_000;
    private static final long DEFAULT_SLOW_ENTRIES = 128;
    private static final long DEFAULT_ACCESS_LOG_ENTRIES = 128;
    private static final long MOST_LOG_ENTRIES = 10_000;
    private static final long DEFAULT_HASH_ENTRIES = 512;
    private static final long DEFAULT_HASH_VALUE_BYTES = 64;
    private static final long MOST_IDLE_SECONDS = Integer.MAX_VALUE;

    private final SortedMap<String, Setting> byName = new TreeMap<>();
    private volatile long slowMicros = DEFAULT_SLOW_MICROS;
    private volatile long slowEntries = DEFAULT_SLOW_ENTRIES;
    private volatile long accessLogEntries = DEFAULT_ACCESS_LOG_ENTRIES;
    private volatile long idleSeconds;
    private volatile long mostClients;
    private final KeyedLimits memory;

    /** A setting: what it is, and how it is changed. */
    private record Setting(Supplier<String> value, @Nullable Change change) {}

    /** How a setting is changed. */
    private interface Change {
        /** Returns why it cannot have a value; null when it can. */
        @Nullable
        String refusal(String value);

        /** Gives it a value that is not refused. */
        void set(String value);
    }

    /**
     * A change of a number.
     *
     * @param least and {@code most} are the bounds
     */
    private record NumberChange(long least, long most, LongConsumer target) implements Change {

        @Override
        public @Nullable String refusal(String value) {
            long number;
            try {
                number = Long.parseLong(value);
            } catch (NumberFormatException e) {
                return "argument couldn't be parsed into an integer";
            }
            return number < least || number > most
                    ? "argument must be between " + least + " and " + most + " inclusive"
                    : null;
        }

        @Override
        public void set(String value) {
            target.accept(Long.parseLong(value));
        }
    }

    /** A change of what keys may take. */
    private record MemoryChange(KeyedLimits memory) implements Change {

        @Override
        public @Nullable String refusal(String value) {
            return MemorySize.parse(value).isPresent() ? null : "argument must be a memory value";
        }

        @Override
        public void set(String value) {
            MemorySize.parse(value).ifPresent(memory::wantedBytes);
        }
    }

    /** A change of what makes way when keys have taken that. */
    private record PolicyChange(KeyedLimits memory) implements Change {

        @Override
        public @Nullable String refusal(String value) {
            return EvictionPolicy.of(value).isPresent()
                    ? null
                    : Arrays.stream(EvictionPolicy.values())
                            .map(EvictionPolicy::word)
                            .collect(Collectors.joining(", ", "argument(s) must be one of the following: ", ""));
        }

        @Override
        public void set(String value) {
            EvictionPolicy.of(value).ifPresent(memory::policy);
        }
    }

    /**
     * The settings of a door.
     *
     * @param memory what keys may take
     * @param usersFile the file of users; null for none
     */
    public Settings(DoorLimits limits, KeyedLimits memory, @Nullable Path usersFile) {
        this.memory = memory;
        mostClients = limits.clients();
        idleSeconds = TimeUnit.NANOSECONDS.toSeconds(limits.idleNanos());
        number("slowlog-log-slower-than", () -> slowMicros, -1, Long.MAX_VALUE, value -> slowMicros = value);
        number("slowlog-max-len", () -> slowEntries, 0, MOST_LOG_ENTRIES, value -> slowEntries = value);
        number("acllog-max-len", () -> accessLogEntries, 0, MOST_LOG_ENTRIES, value -> accessLogEntries = value);
        number("timeout", () -> idleSeconds, 0, MOST_IDLE_SECONDS, value -> idleSeconds = value);
        number("maxclients", () -> mostClients, 1, limits.clients(), value -> mostClients = value);
        withoutEffect("hash-max-listpack-entries", "hash-max-ziplist-entries", DEFAULT_HASH_ENTRIES);
        withoutEffect("hash-max-listpack-value", "hash-max-ziplist-value", DEFAULT_HASH_VALUE_BYTES);
        byName.put("maxmemory", new Setting(() -> Long.toString(memory.wantedBytes()), new MemoryChange(memory)));
        byName.put("maxmemory-policy", new Setting(() -> memory.policy().word(), new PolicyChange(memory)));
        fixed("maxmemory-clients", Long.toString(limits.heldBytes()));
        fixed("proto-max-bulk-len", Integer.toString(limits.request().argumentBytes()));
        fixed("client-query-buffer-limit", Integer.toString(limits.request().requestBytes()));
        fixed("client-output-buffer-limit", "normal " + limits.replyBytes() + " 0 0");
        fixed("save", "");
        fixed("appendonly", "no");
        fixed("databases", "1");
        fixed("cluster-enabled", "yes");
        fixed("cluster-require-full-coverage", "no");
        fixed("latency-tracking", "yes");
        fixed("latency-tracking-info-percentiles", "50 99 99.9");
        fixed("latency-monitor-threshold", "0");
        fixed("notify-keyspace-events", "");
        fixed("requirepass", "");
        fixed("aclfile", usersFile == null ? "" : usersFile.toString());
        fixed("acl-pubsub-default", "resetchannels");
        fixed("tcp-keepalive", "60");
        fixed("lazyfree-lazy-user-del", "no");
        fixed("lazyfree-lazy-user-flush", "no");
    }

    /** How Redis would keep values in memory: programs set it, and nobody sees it but by the encoding of a key. */
    private void withoutEffect(String name, String formerName, long value) {
        AtomicLong kept = new AtomicLong(value);
        number(name, kept::get, 0, Long.MAX_VALUE, kept::set);
        number(formerName, kept::get, 0, Long.MAX_VALUE, kept::set);
    }

    private void fixed(String name, String value) {
        byName.put(name, new Setting(() -> value, null));
    }

    private void number(String name, LongSupplier value, long least, long most, LongConsumer set) {
        byName.put(name, new Setting(() -> Long.toString(value.getAsLong()), new NumberChange(least, most, set)));
    }

    /** Returns all values by name. */
    public Map<String, String> all() {
        SortedMap<String, String> values = new TreeMap<>();
        byName.forEach((name, setting) -> values.put(name, setting.value.get()));
        return Collections.unmodifiableMap(values);
    }

    public boolean has(String name) {
        return byName.containsKey(name);
    }

    /** Returns why a setting cannot have a value; null when it can. Nothing is changed. */
    public @Nullable String refusal(String name, String value) {
        Setting setting = byName.get(name);
        if (setting == null) {
            return "there is no such setting";
        }
        Change change = setting.change;
        if (change == null) {
            return setting.value.get().equals(value) ? null : "it is always '" + setting.value.get() + "' in Granary";
        }
        return change.refusal(value);
    }

    /** Changes a setting to a value that is not refused. */
    public void set(String name, String value) {
        Setting setting = byName.get(name);
        if (setting != null && setting.change != null) {
            setting.change.set(value);
        }
    }

    /** Returns from which time on a request is slow; a negative number when none is. */
    public long slowMicros() {
        return slowMicros;
    }

    public int slowEntries() {
        return (int) slowEntries;
    }

    /** Returns how many refusals {@code ACL LOG} keeps. */
    public int accessLogEntries() {
        return (int) accessLogEntries;
    }

    /** Returns how long a client may ask nothing; 0 for ever. */
    public long idleNanos() {
        return TimeUnit.SECONDS.toNanos(idleSeconds);
    }

    /** Returns what keys may take. */
    public KeyedLimits memory() {
        return memory;
    }

    public int mostClients() {
        return (int) mostClients;
    }
}
