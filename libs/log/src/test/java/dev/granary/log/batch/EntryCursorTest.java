package dev.granary.log.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an {@link EntryEncoder} has written is what an {@link EntryCursor} reads, at the bounds of each number. */
class EntryCursorTest {

    private static final int NID = 0x8001;
    private static final int ZONE = NID << 15 | 3;
    private static final long OWN = (long) NID << 48;
    private static final long MAX_LID = BatchFormat.MAX_LID;

    private final EntryEncoder encoder = new EntryEncoder(0);
    private final RecordView record = new RecordView();

    /** Returns a cursor over an array that holds just the record, so that no byte follows its last one. */
    private EntryCursor cursor(byte kind, long epoch, long sequence) {
        int begin = encoder.finish(kind, epoch, sequence);
        byte[] bytes = Arrays.copyOfRange(encoder.array(), begin, encoder.endOffset());
        assertThat(record.isIntactAt(bytes, 0, bytes.length)).isTrue();
        assertThat(record.end()).isEqualTo(bytes.length);
        EntryCursor cursor = new EntryCursor(bytes);
        cursor.reset(record);
        return cursor;
    }

    private EntryCursor batch() {
        return cursor(BatchFormat.KIND_BATCH, 2, 300);
    }

    private static String content(EntryCursor cursor) {
        return new String(cursor.array(), cursor.contentAt(), cursor.length(), UTF_8);
    }

    private void chunk(long cid, String text) {
        encoder.chunk(cid, text.getBytes(UTF_8), 0, text.length());
    }

    private static void assertEnd(EntryCursor cursor) {
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.isMalformed()).isFalse();
    }

    @Test
    void next_recordWithoutEntries_isAtItsEnd() {
        encoder.start(ZONE);
        assertEnd(batch());
        assertThat(encoder.entries()).isZero();
        assertThat(encoder.entryBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 256, 65_535, 65_536, 100_000})
    void chunk_sizesAroundEachWidthOfTheLength_areReadBack(int length) {
        byte[] content = new byte[length + 2];
        new Random(length).nextBytes(content);
        encoder.start(ZONE);
        encoder.chunk(OWN | 5, content, 1, length);
        encoder.chunk(OWN | 6, MemorySegment.ofArray(content), 2, length);
        EntryCursor cursor = batch();
        for (int from = 1; from <= 2; from++) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.type()).isEqualTo(BatchFormat.TYPE_CHUNK);
            assertThat(cursor.cid()).isEqualTo(OWN | (4 + from));
            assertThat(cursor.length()).isEqualTo(length);
            assertThat(Arrays.copyOfRange(cursor.array(), cursor.contentAt(), cursor.contentAt() + length))
                    .isEqualTo(Arrays.copyOfRange(content, from, from + length));
        }
        assertEnd(cursor);
    }

    @Test
    void tombstone_lidsOfEachWidthAndNidsOfOthers_areReadBack() {
        List<Long> cids = new ArrayList<>();
        for (int bits = 0; bits <= 48; bits += 8) {
            for (long lid : new long[] {(1L << bits) - 1, (1L << bits) & MAX_LID}) {
                cids.add(OWN | lid);
                cids.add(0xFFFFL << 48 | lid);
                cids.add(lid);
            }
        }
        encoder.start(ZONE);
        cids.forEach(encoder::tombstone);
        EntryCursor cursor = batch();
        for (long cid : cids) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.type()).isEqualTo(BatchFormat.TYPE_TOMBSTONE);
            assertThat(cursor.cid()).isEqualTo(cid);
        }
        assertEnd(cursor);
        assertThat(encoder.entries()).isEqualTo(cids.size());
    }

    @Test
    void tombstone_ownLid_takesTwoBytesAndAnothersTwoMore() {
        encoder.start(ZONE);
        encoder.tombstone(OWN | 255);
        assertThat(encoder.entryBytes()).isEqualTo(2);
        encoder.tombstone(OWN | 256);
        assertThat(encoder.entryBytes()).isEqualTo(5);
        encoder.tombstone(7L << 48 | 1);
        assertThat(encoder.entryBytes()).isEqualTo(9);
        EntryCursor cursor = batch();
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.entryBytes()).isEqualTo(2);
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.entryBytes()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 127, 128, 1L << 35, Long.MAX_VALUE, -1})
    void requestAndToken_numbersOfAnySize_areReadBack(long number) {
        encoder.start(ZONE);
        encoder.request(number, number, number, MemorySegment.ofArray("..answer".getBytes(UTF_8)), 2, 6);
        encoder.token(OWN | 5, number);
        EntryCursor cursor = batch();
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.type()).isEqualTo(BatchFormat.TYPE_REQUEST);
        assertThat(cursor.clientId()).isEqualTo(number);
        assertThat(cursor.requestSequence()).isEqualTo(number);
        assertThat(cursor.ackedSequence()).isEqualTo(number);
        assertThat(content(cursor)).isEqualTo("answer");
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.type()).isEqualTo(BatchFormat.TYPE_TOKEN);
        assertThat(cursor.cid()).isEqualTo(OWN | 5);
        assertThat(cursor.token()).isEqualTo(number);
        assertEnd(cursor);
    }

    @Test
    void sequenceAndEpoch_ofABatch_areThoseOfItsHeader() {
        encoder.start(ZONE);
        chunk(OWN | 5, "a");
        chunk(OWN | 6, "b");
        EntryCursor cursor = cursor(BatchFormat.KIND_BATCH, 1L << 40, Long.MAX_VALUE);
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.sequence()).isEqualTo(Long.MAX_VALUE);
        assertThat(cursor.epoch()).isEqualTo(1L << 40);
    }

    @Test
    void sequence_ofARecordOfTheCleaner_isCountedFromTheHeaders() {
        encoder.start(ZONE);
        for (long delta : new long[] {0, 5, 1L << 30}) {
            encoder.sequenceDelta(delta);
            chunk(OWN | 5, "x" + delta);
        }
        EntryCursor cursor = cursor(BatchFormat.KIND_CLEANED, 2, 300);
        for (long delta : new long[] {0, 5, 1L << 30}) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.sequence()).isEqualTo(300 + delta);
            assertThat(content(cursor)).isEqualTo("x" + delta);
        }
        assertEnd(cursor);
    }

    @Test
    void start_afterARecord_nothingOfItIsLeft() {
        encoder.start(ZONE);
        chunk(OWN | 5, "x".repeat(5_000));
        encoder.finish(BatchFormat.KIND_BATCH, 1, 1);
        encoder.start(7 << 15 | 1);
        encoder.tombstone(7L << 48 | 9);
        EntryCursor cursor = batch();
        assertThat(record.zone()).isEqualTo(7 << 15 | 1);
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.cid()).isEqualTo(7L << 48 | 9);
        assertEnd(cursor);
    }

    @Test
    void chunk_moreThanABatchMayHave_isRefusedAndTheBatchGoesOn() {
        encoder.start(ZONE);
        chunk(OWN | 5, "a");
        assertThatThrownBy(() -> encoder.chunk(OWN | 6, new byte[0], 0, BatchFormat.MAX_BATCH_BYTES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most " + BatchFormat.MAX_BATCH_BYTES);
        chunk(OWN | 7, "b");
        EntryCursor cursor = batch();
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.next()).isTrue();
        assertThat(content(cursor)).isEqualTo("b");
        assertEnd(cursor);
    }

    @Test
    void tell_eachKind_theVisitorHearsOfItOnce() {
        encoder.start(ZONE);
        chunk(OWN | 5, "a");
        encoder.tombstone(OWN | 6);
        encoder.request(7, 8, 6, MemorySegment.ofArray(new byte[3]), 0, 3);
        encoder.token(OWN | 9, 70);
        EntryCursor cursor = batch();
        List<String> told = new ArrayList<>();
        cursor.tellAll(record, new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                told.add("chunk " + (cid & MAX_LID) + " " + epoch + "/" + sequence + " "
                        + (char) bytes.get(ValueLayout.JAVA_BYTE, offset));
            }

            @Override
            public void tombstone(long cid, long epoch, long sequence) {
                told.add("tombstone " + (cid & MAX_LID));
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
                told.add("request " + clientId + " " + requestSequence + " " + ackedSequence + " of " + length);
            }

            @Override
            public void token(long cid, long token, long epoch, long sequence) {
                told.add("token " + (cid & MAX_LID) + " " + token);
            }
        });
        assertThat(told).containsExactly("chunk 5 2/300 a", "tombstone 6", "request 7 8 6 of 3", "token 9 70");
    }

    @Test
    void next_recordThatEndsWithinAnEntry_isMalformedAndEnds() {
        encoder.start(ZONE);
        encoder.request(7, 8, 6, MemorySegment.ofArray(new byte[300]), 0, 300);
        encoder.finish(BatchFormat.KIND_BATCH, 2, 300);
        byte[] whole =
                Arrays.copyOfRange(encoder.array(), encoder.endOffset() - encoder.entryBytes(), encoder.endOffset());
        for (int entryBytes = 3; entryBytes < whole.length; entryBytes++) {
            byte[] bytes = recordOf(whole, entryBytes);
            assertThat(record.parse(bytes, 0, bytes.length)).isTrue();
            EntryCursor cursor = new EntryCursor(bytes);
            cursor.reset(record);
            assertThat(cursor.next()).as("%d bytes", entryBytes).isFalse();
            assertThat(cursor.isMalformed()).isTrue();
            assertThat(cursor.next()).isFalse();
        }
    }

    /**
     * Makes a record whose entries are the first {@code length} of these bytes, at least two; its checksum is wrong.
     */
    private static byte[] recordOf(byte[] entries, int length) {
        EntryEncoder encoder = new EntryEncoder(length);
        encoder.start(ZONE);
        // Each tombstone takes two bytes, the first one three when that is needed.
        encoder.tombstone(OWN | (length % 2 == 0 ? 1 : 256));
        while (encoder.entryBytes() < length) {
            encoder.tombstone(OWN | 1);
        }
        int begin = encoder.finish(BatchFormat.KIND_BATCH, 2, 300);
        byte[] bytes = Arrays.copyOfRange(encoder.array(), begin, encoder.endOffset());
        System.arraycopy(entries, 0, bytes, bytes.length - length, length);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 1})
    void next_chunkThatIsLongerThanTheRecord_isMalformed(int length) {
        byte[] entry = {(byte) (3 << BatchFormat.LENGTH_SHIFT), 5, 0, 0, 0, 0};
        BatchFormat.INT.set(entry, 2, length);
        byte[] bytes = recordOf(entry, entry.length);
        assertThat(record.parse(bytes, 0, bytes.length)).isTrue();
        EntryCursor cursor = new EntryCursor(Arrays.copyOf(bytes, bytes.length + 100));
        cursor.reset(record);
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.isMalformed()).isTrue();
    }

    /** With bytes that no correct writer made the cursor ends, and never reports anything outside of the record. */
    @Test
    void next_arbitraryBytes_staysWithinTheRecord() {
        Random random = new Random(8);
        for (int round = 0; round < 20_000; round++) {
            byte[] entries = new byte[3 + random.nextInt(60)];
            random.nextBytes(entries);
            if (random.nextBoolean()) {
                entries[0] &= 7;
            }
            byte[] bytes = recordOf(entries, entries.length);
            int behind = random.nextInt(12);
            byte[] longer = Arrays.copyOf(bytes, bytes.length + behind);
            assertThat(record.parse(longer, 0, bytes.length)).isTrue();
            EntryCursor cursor = new EntryCursor(longer);
            cursor.reset(record);
            int count = 0;
            while (cursor.next()) {
                count++;
                assertThat(cursor.entryBytes()).isPositive();
                if (cursor.type() == BatchFormat.TYPE_CHUNK || cursor.type() == BatchFormat.TYPE_REQUEST) {
                    assertThat(cursor.length()).isNotNegative();
                    assertThat((long) cursor.contentAt() + cursor.length()).isLessThanOrEqualTo(bytes.length);
                }
            }
            assertThat(count).isLessThanOrEqualTo(entries.length);
        }
    }
}
