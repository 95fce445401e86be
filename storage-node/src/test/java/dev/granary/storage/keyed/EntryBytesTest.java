package dev.granary.storage.keyed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class EntryBytesTest {

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void assertGolden(String wanted, byte[] key, ValueType type, String content, long expiresAtMillis) {
        byte[] entry = EntryBytes.of(key, type, bytes(content), expiresAtMillis);
        assertEquals(wanted, HexFormat.of().formatHex(entry));
        assertTrue(entry.length <= key.length + content.length() + EntryBytes.MAX_OVERHEAD_BYTES);
    }

    @Test
    void of_shortForm_hasGoldenBytes() {
        assertGolden("436b657976616c7565", bytes("key"), ValueType.STRING, "value", KeyEntry.NEVER);
        assertGolden("630000000000" + "6b6579" + "76", bytes("key"), ValueType.STRING, "v", 1_577_836_800_000L);
        assertGolden("61ffffffffff" + "6b", bytes("k"), ValueType.STRING, "", 1_577_836_800_000L + (1L << 40) - 1);
        assertGolden("5f" + "00".repeat(31) + "76", new byte[31], ValueType.STRING, "v", KeyEntry.NEVER);
    }

    @Test
    void of_longForm_hasGoldenBytes() {
        assertGolden(
                "6001060504030201c801" + "00".repeat(200) + "76",
                new byte[200],
                ValueType.HASH,
                "v",
                0x0102_0304_0506L);
        assertGolden("400020" + "00".repeat(32) + "76", new byte[32], ValueType.STRING, "v", KeyEntry.NEVER);
        assertGolden("40000076", new byte[0], ValueType.STRING, "v", KeyEntry.NEVER);
        assertGolden("4001016b76", bytes("k"), ValueType.HASH, "v", KeyEntry.NEVER);
        // Times that five bytes cannot tell.
        assertGolden("6000ffe7665e6f01016b", bytes("k"), ValueType.STRING, "", 1_577_836_799_999L);
        assertGolden("60000000000000ff016b", bytes("k"), ValueType.STRING, "", 0xff00_0000_0000L);
    }

    @Test
    void entry_ofRandomEntries_isWhatWasWritten() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(i % 100 == 0 ? 20_000 : i % 2 == 0 ? 40 : 200)];
            byte[] content = new byte[random.nextInt(300)];
            random.nextBytes(key);
            random.nextBytes(content);
            long expiry = random.nextBoolean()
                    ? KeyEntry.NEVER
                    : 1_577_000_000_000L + random.nextLong(i % 3 == 0 ? 1L << 47 : 1L << 40);
            ValueType type = random.nextBoolean() ? ValueType.STRING : ValueType.HASH;
            byte[] entry = EntryBytes.of(key, type, content, expiry);
            // What lies behind an entry in a buffer does not count.
            byte[] buffer = Arrays.copyOf(entry, entry.length + random.nextInt(20));
            assertEquals(type, EntryBytes.entry(buffer, entry.length).type());
            assertArrayEquals(content, EntryBytes.entry(buffer, entry.length).content());
            assertArrayEquals(key, EntryBytes.key(buffer, entry.length));
            assertEquals(expiry, EntryBytes.expiry(buffer));
            assertTrue(EntryBytes.isOf(key, buffer, entry.length));
            byte[] other = Arrays.copyOf(key, key.length + 1);
            assertFalse(EntryBytes.isOf(other, buffer, entry.length));
        }
    }

    @Test
    void entry_ofOtherBytes_isRefused() {
        for (String hex : new String[] {
            "", "40", "41", "00036b6579", "8141aa", "45aabb", "61aabbccdd", "4000ff", "4000ffffffffff7faa", "4009016b76"
        }) {
            byte[] bytes = HexFormat.of().parseHex(hex);
            assertThrows(RuntimeException.class, () -> EntryBytes.entry(bytes, bytes.length), hex);
        }
    }
}
