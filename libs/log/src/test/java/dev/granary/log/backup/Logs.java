package dev.granary.log.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.env.Disk;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.BatchWriter;
import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.EntryEncoder;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.log.batch.RecordView;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;

/** What the tests have in common. */
public final class Logs {

    static final UUID CLUSTER = new UUID(1, 2);
    static final int ZONE = 7 << 15 | 1;
    static final long NID = 7L << 48;

    /** A clock that the test turns. */
    static class ManualClock implements Clock {
        long nanos;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long wallMillis() {
            return nanos / 1_000_000;
        }
    }

    private Logs() {}

    public static BackupLog open(Disk disk) throws IOException {
        return open(disk, BackupLogOptions.small());
    }

    public static BackupLog open(Disk disk, BackupLogOptions options) throws IOException {
        return BackupLog.open(disk, options, new ManualClock(), Runnable::run);
    }

    public static ZoneHeader header(int zone, long epoch) {
        return new ZoneHeader(CLUSTER, zone, 9, epoch, List.of(3, 5, 6), 0, false);
    }

    static ZoneHeader filling(int zone, long epoch, long base) {
        return new ZoneHeader(CLUSTER, zone, 9, epoch, List.of(3, 5), base, true);
    }

    /** Tells the log that all in-sync backups of each zone hold everything that it holds. */
    static void acknowledge(BackupLog log) {
        log.zones().forEach(zone -> log.acknowledged(zone.zone(), zone.epoch(), zone.lastSequence()));
    }

    /** A cursor at the only entry of a batch. */
    static EntryCursor entry(long sequence, Consumer<EntryEncoder> written) {
        EntryEncoder encoder = new EntryEncoder(64);
        encoder.start(ZONE);
        written.accept(encoder);
        int begin = encoder.finish(BatchFormat.KIND_BATCH, 1, sequence);
        RecordView record = new RecordView();
        assertThat(record.parse(encoder.array(), begin, encoder.endOffset())).isTrue();
        EntryCursor cursor = new EntryCursor(encoder.array());
        cursor.reset(record);
        assertThat(cursor.next()).isTrue();
        return cursor;
    }

    /** A batch of one chunk. */
    public static ByteBuffer put(int zone, long epoch, long sequence, long cid, String content) {
        BatchWriter writer = new BatchWriter();
        writer.start(zone, epoch, sequence);
        byte[] bytes = content.getBytes(UTF_8);
        writer.chunk(cid, bytes, 0, bytes.length);
        return writer.finish();
    }

    static ByteBuffer delete(int zone, long epoch, long sequence, long cid) {
        BatchWriter writer = new BatchWriter();
        writer.start(zone, epoch, sequence);
        writer.tombstone(cid);
        return writer.finish();
    }

    public static String text(MemorySegment bytes, long offset, int length) {
        return new String(bytes.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }

    /** What a replay has visited. */
    static final class Told implements EntryVisitor {
        final TreeMap<Long, String> chunks = new TreeMap<>();
        final TreeMap<Long, Long> versions = new TreeMap<>();
        final TreeMap<String, String> requests = new TreeMap<>();
        final TreeMap<Long, Long> tokens = new TreeMap<>();

        @Override
        public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
            String before = chunks.put(cid, text(bytes, offset, length));
            if (before != null) {
                throw new AssertionError("chunk " + Long.toHexString(cid) + " was told twice");
            }
            versions.put(cid, sequence);
        }

        @Override
        public void tombstone(long cid, long epoch, long sequence) {
            throw new AssertionError("a replay tells no tombstones");
        }

        @Override
        public void request(
                long clientId,
                long requestSequence,
                long ackedSequence,
                long epoch,
                long sequence,
                MemorySegment bytes,
                long offset,
                int length) {
            requests.put(clientId + "/" + requestSequence, text(bytes, offset, length));
        }

        @Override
        public void token(long cid, long token, long epoch, long sequence) {
            tokens.put(cid, token);
        }
    }

    static Told replay(BackupLog log, int zone) {
        Told told = new Told();
        log.replay(zone, Long.MAX_VALUE, told);
        return told;
    }
}
