package dev.granary.log.batch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * One try of fuzzing: bytes are read as records of a backup log, one behind the other, with all entries. Nothing is
 * read outside of its record, and each walk ends. {@code e2e/fuzz/run} lets Jazzer make up the bytes.
 */
public final class RecordFuzz {

    private static final int ZONE = 0x8001 << 15 | 3;
    private static final long OWN = 0x8001L << 48;

    private RecordFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(RecordFuzz::fuzzerTestOneInput);
    }

    /** If the first byte is even, the checksums are put right before: no fuzzer finds one. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether all bytes were records. */
    static boolean isRead(byte[] input) {
        if (input.length == 0) {
            return false;
        }
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        RecordView record = new RecordView();
        EntryCursor cursor = new EntryCursor(bytes);
        int at = 0;
        while (record.parse(bytes, at, bytes.length)) {
            if ((input[0] & 1) == 0) {
                putChecksum(bytes, record);
            }
            if (!record.isIntactAt(bytes, at, bytes.length)) {
                return false;
            }
            if (record.end() <= at || record.end() > bytes.length) {
                throw new AssertionError("a record of " + at + " to " + record.end() + " in " + bytes.length);
            }
            cursor.reset(record);
            walk(cursor, record);
            at = record.end();
        }
        return at == bytes.length;
    }

    private static void putChecksum(byte[] bytes, RecordView record) {
        CRC32C crc = new CRC32C();
        int from = record.begin() + BatchFormat.CRC_BYTES;
        crc.update(bytes, from, record.end() - from);
        BatchFormat.INT.set(bytes, record.begin(), (int) crc.getValue());
    }

    private static void walk(EntryCursor cursor, RecordView record) {
        int entries = 0;
        int entryBytes = 0;
        while (cursor.next()) {
            entries++;
            entryBytes += cursor.entryBytes();
            boolean hasContent = cursor.type() == BatchFormat.TYPE_CHUNK || cursor.type() == BatchFormat.TYPE_REQUEST;
            boolean inside = !hasContent
                    || (cursor.length() >= 0
                            && cursor.contentAt() >= record.entriesAt()
                            && (long) cursor.contentAt() + cursor.length() <= record.end());
            if (!inside || cursor.entryBytes() <= 0 || entryBytes > record.end() - record.entriesAt()) {
                throw new AssertionError("entry " + entries + " is not inside of its record");
            }
        }
        if (record.hasWholeEntries(cursor.array()) == cursor.isMalformed()) {
            throw new AssertionError("two walks over the same entries differ");
        }
        if (!cursor.isMalformed() && entryBytes != record.end() - record.entriesAt()) {
            throw new AssertionError("the entries do not fill their record");
        }
    }

    /** Returns inputs with which a fuzzer begins. */
    public static List<byte[]> seeds() {
        EntryEncoder encoder = new EntryEncoder(0);
        encoder.start(ZONE);
        encoder.chunk(OWN | 5, "hello".getBytes(UTF_8), 0, 5);
        encoder.tombstone(OWN | 256);
        encoder.tombstone(7L << 48 | 1);
        encoder.request(7, 8, 6, MemorySegment.ofArray("answer".getBytes(UTF_8)), 0, 6);
        encoder.token(OWN | 5, 1L << 40);
        byte[] batch = finished(encoder, BatchFormat.KIND_BATCH);
        encoder.start(ZONE);
        for (long delta : new long[] {0, 5, 1L << 30}) {
            encoder.sequenceDelta(delta);
            encoder.chunk(OWN | 5, new byte[300], 0, 300);
        }
        byte[] cleaned = finished(encoder, BatchFormat.KIND_CLEANED);
        encoder.start(ZONE);
        byte[] empty = finished(encoder, BatchFormat.KIND_BATCH);
        return List.of(input(0, batch, cleaned, empty), input(1, batch), input(0, cleaned), input(0, empty, batch));
    }

    private static byte[] finished(EntryEncoder encoder, byte kind) {
        int begin = encoder.finish(kind, 2, 300);
        return Arrays.copyOfRange(encoder.array(), begin, encoder.endOffset());
    }

    private static byte[] input(int first, byte[]... records) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        for (byte[] record : records) {
            out.writeBytes(record);
        }
        return out.toByteArray();
    }
}
