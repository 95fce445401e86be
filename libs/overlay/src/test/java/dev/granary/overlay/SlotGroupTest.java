package dev.granary.overlay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SlotGroupTest {

    private static int slot(String key) {
        return KeySlot.of(key.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void crc16_checkString_isThatOfXmodem() {
        assertEquals(0x31C3, KeySlot.crc16("123456789".getBytes(StandardCharsets.US_ASCII), 0, 9));
    }

    @Test
    void slot_ofKnownKeys_isThatOfRedis() {
        // As CLUSTER KEYSLOT of Redis 7.0 answers.
        assertEquals(12182, slot("foo"));
        assertEquals(5061, slot("bar"));
        assertEquals(0, slot(""));
    }

    @Test
    void slot_ofKeyWithTag_isThatOfTheTag() {
        assertEquals(slot("user1000"), slot("{user1000}.following"));
        assertEquals(slot("user1000"), slot("a{user1000}b{other}"));
        assertEquals(slot("{bar"), slot("foo{{bar}}zap"));
    }

    @Test
    void slot_ofKeyWithEmptyOrOpenTag_isThatOfTheWholeKey() {
        assertFalse(slot("foo{}{bar}") == slot("bar"));
        assertFalse(slot("foo{bar") == slot("bar"));
    }

    @Test
    void nid_ofEachGroup_isItsOwnAndLeadsBack() {
        Set<Integer> nids = new HashSet<>();
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            int nid = SlotGroup.nid(group);
            assertTrue(SlotGroup.isGroup(nid));
            assertEquals(NodeRole.STORAGE_PEER, Nid.role(nid));
            assertEquals(group, SlotGroup.of(nid));
            assertEquals(group, SlotGroup.ofSlot(SlotGroup.firstSlot(group) + SlotGroup.SLOTS - 1));
            nids.add(nid);
        }
        assertEquals(SlotGroup.COUNT, nids.size());
    }

    @Test
    void nameOf_aGroup_hasItsSlotsAndItsNid() {
        assertEquals("0-63 (0xfffe)", SlotGroup.nameOf(SlotGroup.nid(0)));
        assertTrue(SlotGroup.nameOf(SlotGroup.nid(255)).startsWith("16320-16383 (0x"));
    }

    @Test
    void isGroup_ofNodes_isFalse() {
        assertFalse(SlotGroup.isGroup(Nid.NONE));
        for (int k = 1; k < SlotGroup.END_OF_PEERS; k++) {
            assertFalse(SlotGroup.isGroup(Nid.storageNid(k)));
        }
        for (int k = 0; k < Nid.NODES_PER_ROLE; k++) {
            assertFalse(SlotGroup.isGroup(Nid.superPeerNid(k)));
        }
        assertThrows(IllegalArgumentException.class, () -> SlotGroup.of(0x8000));
    }
}
