package dev.granary.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.NamedChunk;
import dev.granary.client.admin.BackedUpKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Golden bytes: every later version must read an existing cluster backup. */
class PartFormatTest {

    private static final long CID = 0x8000_0000_0000_0101L;

    private static final String GOLDEN = "4752414e50415254" + "01000000" // magic, version
            + "2a000000" + "2e658b14" // length, checksum
            + "01" + "0040" + "0101000000000080" + "0f01000000000080" + "02000000" // chunks, owner, from, to, count
            + "00000000" + "03000000" // distances
            + "02000000" + "01000000" // sizes
            + "616263" // contents
            + "13000000" + "60c0697f"
            + "02" + "01000000" + "0400" + "6bc3bc31" + "0101000000000080" // names
            + "19000000" + "1e0d5b44"
            + "03" + "0200000000000000" + "0300000000000000" + "0100000000000000"; // end

    /** A part with keys; one without is as it was before there were any. */
    private static final String GOLDEN_KEYS = "4752414e50415254" + "01000000" // magic, version
            + "2a000000" + "e49d7885" // length, checksum
            + "04" + "ff00" + "02000000" // keys, slot group, count
            + "0000000000000000" + "02000000" + "6bc3" + "01000000" + "41" // without expiry
            + "0068e5cf8b010000" + "00000000" + "00000000" // expires
            + "21000000" + "c6d86de7"
            + "03" + "0000000000000000" + "0000000000000000" + "0000000000000000" + "0200000000000000"; // end

    private static byte[] writtenKeys() {
        PartWriter writer = new PartWriter();
        writer.add(new KeyBlock(
                255,
                List.of(
                        new BackedUpKey(new byte[] {'k', (byte) 0xc3}, new byte[] {'A'}, 0),
                        new BackedUpKey(new byte[0], new byte[0], 1_700_000_000_000L))));
        return writer.finish();
    }

    private static byte[] written() {
        PartWriter writer = new PartWriter();
        writer.add(new ChunkBlock(
                0x4000,
                CID,
                CID + 14,
                new long[] {CID, CID + 3},
                new int[] {2, 1},
                "abc".getBytes(StandardCharsets.UTF_8)));
        writer.addNames(List.of(new NamedChunk("kü1", CID)));
        return writer.finish();
    }

    private static List<String> read(byte[] bytes) {
        List<String> found = new ArrayList<>();
        new PartReader("part", bytes).read(new PartReader.Visitor() {
            @Override
            public void chunks(ChunkBlock block) {
                found.add(block.owner() + " " + Long.toHexString(block.startCid()) + " "
                        + Long.toHexString(block.endCidInclusive()) + " "
                        + Arrays.toString(Arrays.stream(block.cids())
                                .map(each -> each - CID)
                                .toArray()) + " "
                        + Arrays.toString(block.sizes()) + " " + new String(block.payload(), StandardCharsets.UTF_8));
            }

            @Override
            public void names(List<NamedChunk> names) {
                found.add(names.toString());
            }

            @Override
            public void keys(KeyBlock block) {
                block.keys()
                        .forEach(key -> found.add(block.group() + " " + Arrays.toString(key.key()) + " "
                                + Arrays.toString(key.value()) + " " + key.expiresAtMillis()));
            }
        });
        return found;
    }

    @Test
    void write_chunksAndNames_givesTheGoldenBytes() {
        assertThat(HexFormat.of().formatHex(written())).isEqualTo(GOLDEN);
    }

    @Test
    void read_goldenBytes_givesChunksAndNames() {
        assertThat(read(HexFormat.of().parseHex(GOLDEN)))
                .containsExactly(
                        "16384 8000000000000101 800000000000010f [0, 3] [2, 1] abc",
                        "[" + new NamedChunk("kü1", CID) + "]");
    }

    @Test
    void write_keys_givesTheGoldenBytes() {
        assertThat(HexFormat.of().formatHex(writtenKeys())).isEqualTo(GOLDEN_KEYS);
    }

    @Test
    void read_goldenBytesOfKeys_givesKeys() {
        assertThat(read(HexFormat.of().parseHex(GOLDEN_KEYS)))
                .containsExactly("255 [107, -61] [65] 0", "255 [] [] 1700000000000");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void read_everyBitFlipped_isRefused(boolean keys) {
        byte[] bytes = keys ? writtenKeys() : written();
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> read(damaged)).as("bit %d", bit).isInstanceOf(BackupException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void read_everyTruncation_isRefused(boolean keys) {
        byte[] bytes = keys ? writtenKeys() : written();
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> read(cut)).as("%d bytes", length).isInstanceOf(BackupException.class);
        }
    }

    @Test
    void read_laterVersion_saysSo() {
        byte[] bytes = written();
        bytes[PartFormat.MAGIC.length] = 2;
        assertThatThrownBy(() -> read(bytes)).hasMessageContaining("version 2");
    }
}
