package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BitsTest {

    private static int bitByBit(byte[] bytes, int at) {
        return bytes[at / 8] >> (7 - at % 8) & 1;
    }

    @Test
    void countAndFind_anyRange_areAsCountedBitByBit() {
        Random random = new Random(3);
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = new byte[1 + random.nextInt(5)];
            if (random.nextBoolean()) {
                random.nextBytes(bytes);
            }
            int from = random.nextInt(bytes.length * 8);
            int to = from + random.nextInt(bytes.length * 8 - from + 1);
            int bit = random.nextInt(2);
            int[] found = IntStream.range(from, to)
                    .filter(at -> bitByBit(bytes, at) == bit)
                    .toArray();
            assertThat(Bits.find(bytes, bit, from, to)).isEqualTo(found.length == 0 ? -1 : found[0]);
            assertThat(Bits.count(bytes, from, to)).isEqualTo(bit == 1 ? found.length : to - from - found.length);
        }
    }

    @Test
    void set_anyBits_areReadBackAndOthersStay() {
        Random random = new Random(4);
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = new byte[12];
            random.nextBytes(bytes);
            int bits = 1 + random.nextInt(64);
            int offset = random.nextInt(12 * 8 - bits + 1);
            byte[] before = bytes.clone();
            long value = random.nextLong();
            Bits.set(bytes, offset, bits, value);
            assertThat(Bits.get(bytes, offset, bits)).isEqualTo(value << (64 - bits) >>> (64 - bits));
            for (int at = 0; at < 12 * 8; at++) {
                if (at < offset || at >= offset + bits) {
                    assertThat(bitByBit(bytes, at)).isEqualTo(bitByBit(before, at));
                }
            }
        }
    }
}
