package dev.granary.log.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.log.CrashDisk;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.Logs;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The bytes of docs/formats/backup-log.md. A change here is a change of the format. */
class BatchFormatTest {

    private static final String GOLDEN_BATCH =
            "7ac1b5f2b1270180030002ac0240050568656c6c6f0d0900341202080706050403020182018101026f6b03054d";
    private static final String GOLDEN_PRIMARY =
            "4752414e424c4f4701007000010000000000000000000000000000000000000000000000000000000000000000000000"
                    + "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                    + "0000000000000000000000008e501d77"
                    + "47424c4b0100000001800300010000000000000014000000010000000000000001000000000000000000000000000000"
                    + "7000000000000000700000000da9a2ae"
                    + "0087d870b10e01800300020140050568656c6c6f";
    private static final String GOLDEN_SEGMENT =
            "4752414e424c4f4701007000020309000100000000000000020000000000000001800300010000000000000000000000"
                    + "020000000000000000000000000000000000000000000000030005000600000000000000000000000000000000000000"
                    + "000000000000000000000000d7e4dc89"
                    + "47424c4b0100000001800300010000000000000014000000010000000000000001000000000000000000000000000000"
                    + "00000000000000007000000074a17fe1"
                    + "0087d870b10e01800300020140050568656c6c6f";

    private static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return HexFormat.of().formatHex(copy);
    }

    private static ByteBuffer allKinds() {
        BatchWriter writer = new BatchWriter();
        writer.start(0x0003_8001, 2, 300);
        writer.chunk(7L << 48 | 5, "hello".getBytes(UTF_8), 0, 5);
        writer.tombstone(9L << 48 | 0x1234);
        writer.request(0x0102_0304_0506_0708L, 130, 129, "ok".getBytes(UTF_8));
        writer.token(7L << 48 | 5, 77);
        return writer.finish();
    }

    @Test
    void batch_allKindsOfEntries_hasTheDocumentedBytes() {
        assertThat(hex(allKinds())).isEqualTo(GOLDEN_BATCH);
    }

    @Test
    void headers_ofFileAndBlock_haveTheDocumentedBytes() throws IOException {
        CrashDisk disk = new CrashDisk();
        try (BackupLog log = Logs.open(disk)) {
            log.openZone(Logs.header(0x0003_8001, 2)).join();
            log.append(Logs.put(0x0003_8001, 2, 1, 7L << 48 | 5, "hello"));
            log.sync().join();
            assertThat(hex(ByteBuffer.wrap(disk.content("primary-00000000.log"))))
                    .isEqualTo(GOLDEN_PRIMARY);
        }
        try (BackupLog log = Logs.open(disk)) {
            assertThat(log.zones()).hasSize(1);
        }
        assertThat(hex(ByteBuffer.wrap(disk.content("zone-00038001-00000001-00000000.seg"))))
                .isEqualTo(GOLDEN_SEGMENT);
    }

    @Test
    void batch_ofOneSmallChunk_hasAtMost24BytesBesideIt() {
        BatchWriter writer = new BatchWriter();
        writer.start(0x0003_8001, 200, 3_000_000);
        writer.chunk(7L << 48 | 1_500_000, new byte[64], 0, 64);
        assertThat(writer.finish().remaining() - 64).isLessThanOrEqualTo(24);
    }

    @Test
    void batch_ofManySmallChunks_hasAtMost13BytesBesideEach() {
        BatchWriter writer = new BatchWriter();
        writer.start(0x0003_8001, 200, 3_000_000);
        for (int i = 0; i < 1000; i++) {
            writer.chunk(7L << 48 | (1_500_000 + i), new byte[64], 0, 64);
        }
        assertThat(writer.finish().remaining() - 64_000).isLessThanOrEqualTo(13_000);
    }

    @Test
    void batch_randomEntries_areReadAsTheyWereWritten() {
        SplittableRandom random = new SplittableRandom(11);
        BatchWriter writer = new BatchWriter();
        for (int round = 0; round < 2000; round++) {
            List<String> written = new ArrayList<>();
            int zone = random.nextInt();
            long epoch = random.nextLong(1L << random.nextInt(1, 63));
            long sequence = random.nextLong(1L << random.nextInt(1, 63));
            writer.start(zone, epoch, sequence);
            for (int i = random.nextInt(6); i > 0; i--) {
                write(random, writer, zone, written);
            }
            Batch batch = Objects.requireNonNull(Batch.of(writer.finish()));
            assertThat(batch.zone()).isEqualTo(zone);
            assertThat(batch.epoch()).isEqualTo(epoch);
            assertThat(batch.sequence()).isEqualTo(sequence);
            assertThat(read(batch)).isEqualTo(written);
        }
    }

    private static void write(SplittableRandom random, BatchWriter writer, int zone, List<String> written) {
        long nid = random.nextBoolean() ? zone >>> 15 & 0xFFFF : random.nextInt(1 << 16);
        long cid = nid << 48 | random.nextLong(1L << random.nextInt(1, 48));
        String text = "t".repeat(random.nextInt(4) == 0 ? random.nextInt(70_000) : random.nextInt(300));
        switch (random.nextInt(4)) {
            case 0 -> {
                writer.chunk(cid, MemorySegment.ofArray(text.getBytes(UTF_8)), 0, text.length());
                written.add("chunk " + cid + text);
            }
            case 1 -> {
                writer.tombstone(cid);
                written.add("tombstone " + cid);
            }
            case 2 -> {
                writer.token(cid, Long.MAX_VALUE - text.length());
                written.add("token " + cid + " " + (Long.MAX_VALUE - text.length()));
            }
            default -> {
                writer.request(cid, cid >>> 3, cid >>> 40, text.getBytes(UTF_8));
                written.add("request " + cid + " " + (cid >>> 3) + " " + (cid >>> 40) + text);
            }
        }
    }

    private static List<String> read(Batch batch) {
        List<String> read = new ArrayList<>();
        batch.forEach(new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                read.add("chunk " + cid + Logs.text(bytes, offset, length));
            }

            @Override
            public void tombstone(long cid, long epoch, long sequence) {
                read.add("tombstone " + cid);
            }

            @Override
            public void token(long cid, long token, long epoch, long sequence) {
                read.add("token " + cid + " " + token);
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
                read.add("request " + clientId + " " + requestSequence + " " + ackedSequence
                        + Logs.text(bytes, offset, length));
            }
        });
        return read;
    }

    @Test
    void of_anyByteChangedOrMissing_isNoBatch() {
        ByteBuffer batch = allKinds();
        byte[] bytes = new byte[batch.remaining()];
        batch.get(batch.position(), bytes);
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 0x10;
            assertThat(Batch.of(ByteBuffer.wrap(changed))).as("byte %d", i).isNull();
            assertThat(Batch.of(ByteBuffer.wrap(bytes, 0, i)))
                    .as("cut at %d", i)
                    .isNull();
        }
        assertThat(Batch.of(ByteBuffer.wrap(bytes))).isNotNull();
    }

    @Test
    void of_randomBytes_isNoBatchAndNeverThrows() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            if (bytes.length > 5) {
                bytes[4] = (byte) 0xB1;
                bytes[5] = (byte) (bytes.length - 6);
            }
            assertThat(Batch.of(ByteBuffer.wrap(bytes))).isNull();
        }
    }

    @Test
    void finish_withoutStart_isRefused() {
        BatchWriter writer = new BatchWriter();
        assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.start(1, -1, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
