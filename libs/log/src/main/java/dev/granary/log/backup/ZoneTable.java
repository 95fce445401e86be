package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import dev.granary.log.CommandLog;
import dev.granary.log.RecordLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The zones that have logs here, their promises, and their files. The table is a record log of its own, so that many
 * zones share one sync, and a missing file is noticed. Used by one thread at a time.
 *
 * <pre>
 *  DROPPED   2 | zone 4 |
 *  ADDED     3 | zone 4 | ordinal 4 |         a segment has been created
 *  REMOVED   4 | zone 4 | ordinal 4 | cut 4 | through 8 |  a segment is about to be deleted: the cleaner dropped what
 *                                             later entries made dead, the latest of this sequence, under this cut
 *  PRIMARY   5 | ordinal 4 |                  the primary log in use; older ones are of no use
 *  COUNTER   6 | generation 4 |               the last generation that was given
 *  DURABLE   7 | zone 4 | ordinal 4 | bytes 4 |  so much of a segment was durable when a copy became whole
 *  STATE     8 | state of a zone, see {@link ZoneState}
 * </pre>
 *
 * A snapshot is a sequence of such records, each after its length of 4 bytes.
 */
final class ZoneTable implements AutoCloseable {

    private static final String NAME = "zones";
    private static final byte DROPPED = 2;
    private static final byte ADDED = 3;
    private static final byte REMOVED = 4;
    private static final byte PRIMARY = 5;
    private static final byte COUNTER = 6;
    private static final byte DURABLE = 7;
    private static final byte STATE = 8;
    private static final int NO_ORDINAL = -1;
    private static final long MIN_SNAPSHOT_BYTES = 1 << 20;

    /** A zone and its files. */
    static final class Entry {
        private ZoneState state;
        private final NavigableSet<Integer> segments = new TreeSet<>();
        private final NavigableSet<Integer> removed = new TreeSet<>();
        private final TreeMap<Integer, Long> cleanedThrough = new TreeMap<>();
        private int durableOrdinal = NO_ORDINAL;
        private int durableBytes;

        private Entry(ZoneState state) {
            this.state = state;
        }

        ZoneState state() {
            return state;
        }

        /** Ordinals of the segments that must be there. */
        NavigableSet<Integer> segments() {
            return segments;
        }

        /** Returns, by cut, the sequence of the newest entry because of which the cleaner has dropped others. */
        Map<Integer, Long> cleanedThrough() {
            return cleanedThrough;
        }

        /** Returns how many bytes of a segment are known to have been durable; 0 when the table does not say. */
        int durableBytes(int ordinal) {
            return ordinal == durableOrdinal ? durableBytes : 0;
        }

        /** Ordinals of segments that do not count any more and may still be there. */
        NavigableSet<Integer> removed() {
            return removed;
        }
    }

    private final Disk disk;
    private RecordLog log;
    private boolean reopen;
    private boolean unsynced;
    private final TreeMap<Integer, Entry> entries = new TreeMap<>();
    private int lastGeneration;
    private int primary = -1;
    private long snapshotAtBytes = MIN_SNAPSHOT_BYTES;

    private ZoneTable(Disk disk, RecordLog log) {
        this.disk = disk;
        this.log = log;
    }

    static ZoneTable open(Disk disk) throws IOException {
        ZoneTable table = new ZoneTable(disk, RecordLog.open(disk, NAME));
        table.log.replay(new CommandLog.Replay() {
            @Override
            public void snapshot(long lastSequence, byte[] state) {
                ByteBuffer in = ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN);
                while (in.hasRemaining()) {
                    byte[] record = new byte[in.getInt()];
                    in.get(record);
                    table.apply(record);
                }
            }

            @Override
            public void command(long sequence, byte[] command) {
                table.apply(command);
            }
        });
        return table;
    }

    Collection<Entry> entries() {
        return entries.values();
    }

    @Nullable
    Entry entry(int zone) {
        return entries.get(zone);
    }

    int nextGeneration() {
        return lastGeneration + 1;
    }

    /** The ordinal of the primary log in use; -1 if there has been none. */
    int primary() {
        return primary;
    }

    void put(ZoneState state) throws IOException {
        append(record(STATE, state.encodedBytes(), state::encode));
    }

    void drop(int zone) throws IOException {
        append(numbers(DROPPED, zone));
    }

    void added(int zone, int ordinal) throws IOException {
        append(numbers(ADDED, zone, ordinal));
    }

    void removed(int zone, int ordinal, int cut, long through) throws IOException {
        append(removal(zone, ordinal, cut, through));
    }

    /**
     * Notes how many bytes of a segment are durable, so that broken bytes among them are damage later. The table
     * remembers one such segment for each zone, the last one.
     */
    void durable(int zone, int ordinal, int bytes) throws IOException {
        append(numbers(DURABLE, zone, ordinal, bytes));
    }

    /** Forgets a removed segment whose file was deleted. */
    void deleted(int zone, int ordinal) {
        Entry entry = entries.get(zone);
        if (entry != null) {
            entry.removed.remove(ordinal);
        }
    }

    void primary(int ordinal) throws IOException {
        append(numbers(PRIMARY, ordinal));
    }

    /** Makes everything so far durable. */
    void sync() throws IOException {
        RecordLog usable = usable();
        try {
            if (usable.bytesSinceSnapshot() > snapshotAtBytes) {
                byte[] image = image();
                usable.snapshot(image);
                snapshotAtBytes = Math.max(MIN_SNAPSHOT_BYTES, 2L * image.length);
            } else if (unsynced) {
                usable.sync();
            }
            unsynced = false;
        } catch (DiskFullException e) {
            reopen = true;
            throw e;
        }
    }

    /**
     * Returns a record log that takes appends. After a failed append the log is opened again; when only space was
     * missing it is whole then.
     */
    private RecordLog usable() throws IOException {
        if (reopen) {
            log.close();
            log = RecordLog.open(disk, NAME);
            log.replay(new CommandLog.Replay() {
                @Override
                public void snapshot(long lastSequence, byte[] state) {}

                @Override
                public void command(long sequence, byte[] command) {}
            });
            reopen = false;
        }
        return log;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }

    private void append(byte[] record) throws IOException {
        try {
            usable().append(record);
        } catch (DiskFullException e) {
            reopen = true;
            throw e;
        }
        unsynced = true;
        apply(record);
    }

    private void apply(byte[] record) {
        ByteBuffer in = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
        byte type = in.get();
        switch (type) {
            case STATE -> applyState(ZoneState.decode(in));
            case DROPPED -> entries.remove(in.getInt());
            case ADDED -> {
                Entry entry = entries.get(in.getInt());
                if (entry != null) {
                    int ordinal = in.getInt();
                    entry.segments.add(ordinal);
                    entry.removed.remove(ordinal);
                }
            }
            case REMOVED -> {
                Entry entry = entries.get(in.getInt());
                if (entry != null) {
                    int ordinal = in.getInt();
                    entry.segments.remove(ordinal);
                    entry.removed.add(ordinal);
                    entry.cleanedThrough.merge(in.getInt(), in.getLong(), Math::max);
                }
            }
            case PRIMARY -> primary = in.getInt();
            case COUNTER -> lastGeneration = Math.max(lastGeneration, in.getInt());
            case DURABLE -> {
                Entry entry = entries.get(in.getInt());
                if (entry != null) {
                    entry.durableOrdinal = in.getInt();
                    entry.durableBytes = in.getInt();
                }
            }
            default -> throw new IllegalStateException("the zone table has a record of the unknown type " + type);
        }
    }

    private void applyState(ZoneState state) {
        lastGeneration = Math.max(lastGeneration, state.generation());
        Entry entry = entries.computeIfAbsent(state.zone(), zone -> new Entry(state));
        if (entry.state.generation() != state.generation()) {
            entry.segments.clear();
            entry.removed.clear();
            entry.cleanedThrough.clear();
            entry.durableOrdinal = NO_ORDINAL;
        }
        entry.state = state;
    }

    private byte[] image() {
        List<byte[]> records = new ArrayList<>();
        records.add(numbers(COUNTER, lastGeneration));
        records.add(numbers(PRIMARY, primary));
        for (Entry entry : entries.values()) {
            ZoneState state = entry.state;
            records.add(record(STATE, state.encodedBytes(), state::encode));
            for (int ordinal : entry.segments) {
                records.add(numbers(ADDED, state.zone(), ordinal));
            }
            for (int ordinal : entry.removed) {
                records.add(removal(state.zone(), ordinal, 0, 0));
            }
            if (entry.durableOrdinal != NO_ORDINAL) {
                records.add(numbers(DURABLE, state.zone(), entry.durableOrdinal, entry.durableBytes));
            }
            entry.cleanedThrough.forEach(
                    (cut, through) -> records.add(removal(state.zone(), NO_ORDINAL, cut, through)));
        }
        int size = records.stream()
                .mapToInt(record -> Integer.BYTES + record.length)
                .sum();
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        records.forEach(record -> out.putInt(record.length).put(record));
        return out.array();
    }

    private static byte[] removal(int zone, int ordinal, int cut, long through) {
        return record(
                REMOVED,
                3 * Integer.BYTES + Long.BYTES,
                out -> out.putInt(zone).putInt(ordinal).putInt(cut).putLong(through));
    }

    private interface Fields {
        void write(ByteBuffer out);
    }

    private static byte[] numbers(byte type, int... numbers) {
        return record(type, Integer.BYTES * numbers.length, out -> {
            for (int number : numbers) {
                out.putInt(number);
            }
        });
    }

    private static byte[] record(byte type, int size, Fields fields) {
        ByteBuffer out = ByteBuffer.allocate(1 + size).order(ByteOrder.LITTLE_ENDIAN);
        out.put(type);
        fields.write(out);
        return Arrays.copyOf(out.array(), out.position());
    }
}
