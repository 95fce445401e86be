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

    @Test
    void of_stringWithoutExpiry_hasGoldenBytes() {
        byte[] entry = EntryBytes.of(bytes("key"), ValueType.STRING, bytes("value"), KeyEntry.NEVER);
        assertEquals("00036b657976616c7565", HexFormat.of().formatHex(entry));
    }

    @Test
    void of_hashWithExpiryAndLongKey_hasGoldenBytes() {
        byte[] key = new byte[200];
        byte[] entry = EntryBytes.of(key, ValueType.HASH, bytes("v"), 0x0102_0304_0506L);
        assertEquals(
                "11060504030201c801" + "00".repeat(200) + "76", HexFormat.of().formatHex(entry));
        assertTrue(entry.length <= key.length + 1 + EntryBytes.MAX_OVERHEAD_BYTES);
    }

    @Test
    void entry_ofRandomEntries_isWhatWasWritten() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(i % 100 == 0 ? 20_000 : 200)];
            byte[] content = new byte[random.nextInt(300)];
            random.nextBytes(key);
            random.nextBytes(content);
            long expiry = random.nextBoolean() ? KeyEntry.NEVER : random.nextLong(1L << 48);
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
        for (String hex : new String[] {"", "00", "2001aa", "0005aa", "00ff", "00ffffffffff7faa", "02016b76"}) {
            byte[] bytes = HexFormat.of().parseHex(hex);
            assertThrows(RuntimeException.class, () -> EntryBytes.entry(bytes, bytes.length), hex);
        }
    }
}
