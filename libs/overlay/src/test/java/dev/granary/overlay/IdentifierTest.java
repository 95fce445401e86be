package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class IdentifierTest {

    @Test
    void of_firstChunkOfFirstPeer_isTheDocumentedCid() {
        long cid = Cid.of(Nid.storageNid(1), Cid.MIN_LID);
        assertThat(Cid.toHex(cid)).isEqualTo("0x8000000000000001");
        assertThat(Cid.nid(cid)).isEqualTo(0x8000);
        assertThat(Cid.lid(cid)).isEqualTo(1);
        assertThat(Cid.parse("0x8000000000000001")).isEqualTo(cid);
        assertThat(Cid.parse("0X8000000000000001")).isEqualTo(cid);
        assertThat(Cid.parse("0xFFFFffffFFFFffff")).isEqualTo(-1L);
        assertThat(Cid.toHex(1)).isEqualTo("0x0000000000000001");
    }

    @Test
    void of_partOutOfRange_isRefused() {
        assertThatThrownBy(() -> Cid.of(65536, 1)).hasMessageContaining("NID 65536");
        assertThatThrownBy(() -> Cid.of(-1, 1)).hasMessageContaining("NID -1");
        assertThatThrownBy(() -> Cid.of(1, Cid.MAX_LID + 1)).hasMessageContaining("LID");
        assertThatThrownBy(() -> Cid.of(1, -1)).hasMessageContaining("LID -1");
    }

    @Test
    void parse_badText_saysWhatIsWrong() {
        assertThatThrownBy(() -> Cid.parse("8000")).hasMessage("CID '8000' does not start with 0x");
        assertThatThrownBy(() -> Cid.parse("0x")).hasMessageContaining("has 0 digits");
        assertThatThrownBy(() -> Cid.parse("0x10000000000000000")).hasMessageContaining("has 17 digits");
        assertThatThrownBy(() -> Cid.parse("0x80g0")).hasMessageContaining("'g'");
        assertThatThrownBy(() -> Cid.parse("0x-1")).hasMessageContaining("'-'");
        assertThatThrownBy(() -> Nid.parse("0x0000")).hasMessageContaining("means no node");
        assertThatThrownBy(() -> Nid.parse("0x12345")).hasMessageContaining("1 to 4");
        assertThat(Nid.parse("0xC001")).isEqualTo(0xC001);
    }

    @Test
    void compare_highNid_isGreaterThanLowNid() {
        assertThat(Cid.compare(Cid.firstOf(0x8000), Cid.firstOf(0x4000))).isPositive();
        assertThat(Cid.compare(Cid.firstOf(0x4000), Cid.lastOf(0x4000))).isNegative();
        assertThat(Cid.compare(5, 5)).isZero();
    }

    @Test
    void nids_firstOfEachRole_areTheDocumentedOnes() {
        assertThat(new int[] {Nid.storageNid(1), Nid.storageNid(2), Nid.storageNid(3), Nid.storageNid(4)})
                .containsExactly(0x8000, 0x4000, 0xC000, 0x2000);
        assertThat(new int[] {Nid.superPeerNid(0), Nid.superPeerNid(1), Nid.superPeerNid(2), Nid.superPeerNid(3)})
                .containsExactly(0x0001, 0x8001, 0x4001, 0xC001);
        assertThat(Nid.toHex(Nid.superPeerNid(0))).isEqualTo("0x0001");
    }

    @Test
    void nids_allOfBothRoles_areDistinctAndShowTheirRole() {
        Set<Integer> seen = new HashSet<>();
        for (int k = 0; k < Nid.NODES_PER_ROLE; k++) {
            assertThat(Nid.role(Nid.superPeerNid(k))).isEqualTo(NodeRole.SUPER_PEER);
            assertThat(seen.add(Nid.superPeerNid(k))).isTrue();
            if (k > 0) {
                assertThat(Nid.role(Nid.storageNid(k))).isEqualTo(NodeRole.STORAGE_PEER);
                assertThat(seen.add(Nid.storageNid(k))).isTrue();
            }
        }
        assertThat(seen).hasSize(65535).doesNotContain(Nid.NONE);
        assertThatThrownBy(() -> Nid.storageNid(0)).hasMessageContaining("storage peer number 0");
        assertThatThrownBy(() -> Nid.storageNid(32768)).hasMessageContaining("32768");
        assertThatThrownBy(() -> Nid.superPeerNid(32768)).hasMessageContaining("32768");
        assertThatThrownBy(() -> Nid.role(0)).hasMessageContaining("NID 0");
    }

    @Test
    void nids_consecutiveSuperPeers_largestArcIsAtMostTwiceTheSmallest() {
        TreeSet<Integer> ring = new TreeSet<>();
        for (int k = 0; k < 300; k++) {
            ring.add(Nid.superPeerNid(k));
            int previous = ring.last();
            int smallest = Integer.MAX_VALUE;
            int largest = 0;
            for (int nid : ring) {
                int size = new Arc(previous, nid).size();
                smallest = Math.min(smallest, size);
                largest = Math.max(largest, size);
                previous = nid;
            }
            assertThat(largest).as("ring of %d", k + 1).isLessThanOrEqualTo(2 * smallest);
        }
    }
}
