package dev.granary.superpeer.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.RecordBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * What snapshots consist of has golden bytes in golden/snapshots.txt: whoever changes a record changes the version of
 * the snapshot as well.
 */
class SnapshotFormatTest {

    private static final Map<String, Record> SAMPLES = SnapshotSamples.all();

    @Test
    void write_everyRecord_givesTheGoldenBytes() throws IOException {
        Map<String, String> written = new LinkedHashMap<>();
        SAMPLES.forEach((name, sample) -> written.put(name, ByteBufUtil.hexDump(write(sample))));
        assertThat(written).isEqualTo(golden());
    }

    @Test
    void read_goldenBytes_givesTheRecords() throws IOException {
        golden().forEach((name, hex) -> {
            ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
            Record sample = Objects.requireNonNull(SAMPLES.get(name));
            assertThat(RecordBytes.read(sample.getClass(), in)).isEqualTo(sample);
            assertThat(in.isReadable()).as("bytes left of " + name).isFalse();
        });
    }

    @Test
    void read_everyTruncation_isRefused() {
        SAMPLES.forEach((name, sample) -> {
            ByteBuf whole = write(sample);
            for (int sizeBytes = 0; sizeBytes < whole.writerIndex(); sizeBytes++) {
                ByteBuf part = whole.copy(0, sizeBytes);
                assertThatThrownBy(() -> RecordBytes.read(sample.getClass(), part))
                        .as("%s of %d bytes", name, part.writerIndex())
                        .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class);
            }
        });
    }

    private static ByteBuf write(Record sample) {
        ByteBuf out = Unpooled.buffer();
        RecordBytes.write(sample, out);
        return out;
    }

    private static Map<String, String> golden() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(SnapshotFormatTest.class.getResourceAsStream("/golden/snapshots.txt"))) {
            Map<String, String> golden = new LinkedHashMap<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> {
                        String[] nameAndBytes = line.split(" ", 2);
                        golden.put(nameAndBytes[0], nameAndBytes[1]);
                    });
            return golden;
        }
    }
}
