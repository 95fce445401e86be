package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RingTest {

    private static final UUID CLUSTER = new UUID(1, 2);

    private static RingMember member(int k) {
        return new RingMember(
                Nid.superPeerNid(k), "sp-" + k, new HostAddress("h" + k, 7400), new HostAddress("h" + k, 7401));
    }

    private static Ring ring(int expectedSize, int... ks) {
        Ring ring = new Ring(CLUSTER, 1, expectedSize, true, List.of(member(0)));
        for (int k : ks) {
            ring = ring.withMember(member(k));
        }
        return ring;
    }

    @Test
    void ownerOf_oneMember_ownsTheWholeRing() {
        Ring ring = ring(1);
        for (int nid = Nid.MIN; nid <= Nid.MAX; nid++) {
            assertThat(ring.ownerOf(nid).nid()).isEqualTo(1);
        }
        assertThat(ring.arcOf(1).size()).isEqualTo(65536);
    }

    @Test
    void ownerOf_everyNid_isTheMemberWhoseArcContainsIt() {
        Ring ring = ring(5, 1, 2, 3, 4);
        for (int nid = Nid.MIN; nid <= Nid.MAX; nid++) {
            int owner = ring.ownerOf(nid).nid();
            for (RingMember member : ring.members()) {
                assertThat(ring.arcOf(member.nid()).contains(nid)).isEqualTo(member.nid() == owner);
            }
        }
        assertThat(ring.members().stream()
                        .mapToInt(member -> ring.arcOf(member.nid()).size())
                        .sum())
                .isEqualTo(65536);
    }

    @Test
    void ownerOf_edgesOfArcs_belongToTheMemberAtTheEnd() {
        Ring ring = ring(2, 1);
        assertThat(ring.ownerOf(0x0001).nid()).isEqualTo(0x0001);
        assertThat(ring.ownerOf(0x0002).nid()).isEqualTo(0x8001);
        assertThat(ring.ownerOf(0x8001).nid()).isEqualTo(0x8001);
        assertThat(ring.ownerOf(0x8002).nid()).isEqualTo(0x0001);
        assertThat(ring.arcOf(0x0001)).hasToString("(0x8001, 0x0001]");
        assertThatThrownBy(() -> ring.arcOf(0x4001)).hasMessageContaining("not on the ring");
        assertThatThrownBy(() -> ring.ownerOf(0)).hasMessageContaining("NID 0");
    }

    @Test
    void isHolder_superPeerOffTheRing_false() {
        Ring small = ring(2, 1);
        assertThat(small.isHolder(0x8001, 0x8000)).isTrue();
        assertThat(small.isHolder(0x0001, 0x8000)).isTrue();
        assertThat(small.isHolder(0xC001, 0x8000)).isFalse();
    }

    @Test
    void holdersOf_anyNid_theOwnerAndTheNextTwo() {
        Ring ring = ring(5, 1, 2, 3, 4);
        assertThat(ring.members()).extracting(RingMember::nid).containsExactly(0x0001, 0x2001, 0x4001, 0x8001, 0xC001);
        assertThat(ring.holdersOf(0x8000)).extracting(RingMember::nid).containsExactly(0x8001, 0xC001, 0x0001);
        assertThat(ring.holdersOf(0xF000)).extracting(RingMember::nid).containsExactly(0x0001, 0x2001, 0x4001);
        assertThat(ring(2, 1).holdersOf(0x8000)).extracting(RingMember::nid).containsExactly(0x8001, 0x0001);
        assertThat(ring(1).holdersOf(0x8000)).extracting(RingMember::nid).containsExactly(0x0001);
    }

    @Test
    void withMember_newMember_raisesTheEpochAndKeepsTheOldRing() {
        Ring before = ring(3);
        Ring after = before.withMember(member(2)).withMember(member(1));
        assertThat(before.epoch()).isEqualTo(1);
        assertThat(before.members()).hasSize(1);
        assertThat(after.epoch()).isEqualTo(3);
        assertThat(after.members()).extracting(RingMember::nid).containsExactly(0x0001, 0x4001, 0x8001);
        assertThat(after).isEqualTo(before.withMember(member(2)).withMember(member(1)));
    }

    @Test
    void withMember_knownMember_replacesItsAddress() {
        RingMember moved =
                new RingMember(Nid.superPeerNid(0), "sp-0", new HostAddress("new", 1), new HostAddress("new", 2));
        Ring ring = ring(1).withMember(moved);
        assertThat(ring.epoch()).isEqualTo(2);
        assertThat(ring.members()).containsExactly(moved);
    }

    @Test
    void ring_brokenInvariant_isRefused() {
        assertThatThrownBy(() -> new Ring(CLUSTER, 0, 1, true, List.of(member(0))))
                .hasMessageContaining("epoch 0");
        assertThatThrownBy(() -> new Ring(CLUSTER, 1, 0, true, List.of(member(0))))
                .hasMessageContaining("size 0");
        assertThatThrownBy(() -> new Ring(CLUSTER, 1, 1, true, List.of())).hasMessageContaining("without members");
        assertThatThrownBy(() -> new Ring(CLUSTER, 1, 2, true, List.of(member(0), member(0))))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> new RingMember(2, "x", new HostAddress("h", 1), new HostAddress("h", 2)))
                .hasMessageContaining("not a super-peer");
    }
}
