package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DumpReaderTest {

    private static byte[] dumpOf(byte[] content) {
        DumpWriter out = new DumpWriter();
        new StringDump().write(content, out);
        return out.payload();
    }

    private static byte[] read(byte[] dump) {
        DumpReader in = DumpReader.of(dump);
        assertThat(in.unsignedByte()).isZero();
        return in.string();
    }

    @Test
    void string_asWrittenByDumpWriter_isReadBack() {
        Random random = new Random(6);
        for (int length : new int[] {0, 1, 11, 12, 63, 64, 1000, 16_383, 16_384, 100_000}) {
            byte[] content = new byte[length];
            random.nextBytes(content);
            assertThat(read(dumpOf(content))).isEqualTo(content);
        }
        for (int i = 0; i < 1000; i++) {
            byte[] number =
                    Long.toString(random.nextLong() >> random.nextInt(64)).getBytes(StandardCharsets.US_ASCII);
            assertThat(read(dumpOf(number))).isEqualTo(number);
        }
    }

    /** The recording has Redis's reply to a RESTORE of these bytes. */
    @Test
    void payload_longString_isTheOneThatRedisRestored() {
        byte[] content = new byte[30];
        Arrays.fill(content, (byte) 'x');
        byte[] expected = ("\0\u001e" + "x".repeat(30) + "\n\0\u00a1fxv\u0087\u00a2\u00e8C")
                .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(dumpOf(content)).isEqualTo(expected);
    }

    @Test
    void of_oneByteChanged_isRefused() {
        byte[] dump = dumpOf("some bytes".getBytes(StandardCharsets.US_ASCII));
        for (int at = 0; at < dump.length; at++) {
            byte[] damaged = dump.clone();
            damaged[at] ^= 4;
            assertThatThrownBy(() -> DumpReader.of(damaged))
                    .as("byte %d", at)
                    .isInstanceOf(CommandException.class)
                    .hasMessage("ERR DUMP payload version or checksum are wrong");
        }
    }

    @Test
    void decompressed_randomBytes_isRefusedOrHasTheLength() {
        Random random = new Random(7);
        int whole = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] in = new byte[random.nextInt(12)];
            random.nextBytes(in);
            if (in.length > 0) {
                in[0] &= 7;
            }
            int length = random.nextInt(20);
            try {
                assertThat(Lzf.decompressed(in, length)).hasSize(length);
                whole++;
            } catch (CommandException damaged) {
                assertThat(damaged).hasMessage("ERR Bad data format");
            }
        }
        assertThat(whole).isPositive();
    }

    @Test
    void of_checkText_isTheKnownChecksum() {
        byte[] text = "123456789".getBytes(StandardCharsets.US_ASCII);
        assertThat(Crc64.of(text, 0, text.length)).isEqualTo(0xe9c6d914c4b8d9caL);
    }
}
