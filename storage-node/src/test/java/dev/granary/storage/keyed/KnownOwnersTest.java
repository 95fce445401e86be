package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.storage.keyed.SlotOwners.Door;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link KnownOwners}: what a door tells its clients of owners and other doors. */
class KnownOwnersTest {

    private static final int OTHER = 0x9000;
    private static final HostAddress OTHER_DOOR = new HostAddress("other", 6379);
    private static final HostAddress OWN_DOOR = new HostAddress("peer", 6379);

    private final KeyedPeer peer = new KeyedPeer();

    @AfterEach
    void close() {
        peer.close();
    }

    private static PeerInfo info(int nid, boolean live, @Nullable HostAddress door) {
        HostAddress address = new HostAddress("at-" + nid, 7500);
        PeerStatistics nothing = new PeerStatistics(0, 0, 0, 0, 0, 0, 0);
        return new PeerInfo(
                nid, "", address, address, live, 1, 1, 1, 0, PeerInfo.Drain.NONE, 0, nothing, 0, "", "", false, door);
    }

    private void look() {
        peer.node.advance(3 * KeyedPeer.SECOND);
    }

    @Test
    void owner_placementsChange_isThatOfTheNewestEpoch() {
        SlotOwners owners = peer.ready().keyed().owners();
        look();
        assertThat(owners.nid()).isEqualTo(KeyedPeer.NID);
        assertThat(owners.owner(KeyedPeer.GROUP)).isEqualTo(Nid.NONE);

        peer.groups.give(KeyedPeer.GROUP_NID, KeyedPeer.NID, 7);
        look();
        assertThat(owners.owner(KeyedPeer.GROUP)).isEqualTo(KeyedPeer.NID);
        assertThat(owners.owner(KeyedPeer.GROUP == 0 ? 1 : 0)).isEqualTo(Nid.NONE);

        // As a super-peer answers whose copy of the arc is behind.
        peer.groups.give(KeyedPeer.GROUP_NID, OTHER, 6);
        look();
        assertThat(owners.owner(KeyedPeer.GROUP)).isEqualTo(KeyedPeer.NID);

        peer.groups.give(KeyedPeer.GROUP_NID, OTHER, 8);
        look();
        assertThat(owners.owner(KeyedPeer.GROUP)).isEqualTo(OTHER);
    }

    @Test
    void doors_peersComeAndGo_areThoseOfLivePeersByTheirNids() {
        SlotOwners owners = peer.ready().keyed().owners();
        peer.groups.peers = List.of(
                info(OTHER, true, OTHER_DOOR),
                info(0xA000, false, OTHER_DOOR),
                info(0xB000, true, null),
                info(KeyedPeer.NID, true, OWN_DOOR));
        look();
        assertThat(owners.doors()).containsExactly(new Door(KeyedPeer.NID, OWN_DOOR), new Door(OTHER, OTHER_DOOR));
        assertThat(owners.door(OTHER)).isEqualTo(new Door(OTHER, OTHER_DOOR));
        assertThat(owners.door(0xA000)).isNull();

        peer.groups.peers = List.of(info(KeyedPeer.NID, true, OWN_DOOR));
        look();
        assertThat(owners.doors()).containsExactly(new Door(KeyedPeer.NID, OWN_DOOR));
    }

    @Test
    void owner_callFindsThatItHasChanged_isKnownSoonAfter() {
        AnsweringOwner other = new AnsweringOwner(peer);
        SlotOwners owners = peer.ready().keyed().owners();
        peer.groups.give(KeyedPeer.GROUP_NID, AnsweringOwner.NID, 7);
        look();
        peer.ask("GET {g}a");
        // So that nothing is looked at by itself for the next second and more.
        peer.node.advanceUntil(() -> owners.owner(KeyedPeer.GROUP) == AnsweringOwner.NID);
        long before = looks();
        peer.node.advanceUntil(() -> looks() > before);

        peer.groups.give(KeyedPeer.GROUP_NID, 0xA000, 8);
        other.answers.add(AnsweringOwner::notOwner);
        var _ = peer.later("GET {g}a");
        peer.node.advance(200 * KeyedPeer.MILLI);
        assertThat(owners.owner(KeyedPeer.GROUP)).isEqualTo(0xA000);
    }

    private long looks() {
        return peer.superPeer.received.stream()
                .filter("list-slot-groups"::equals)
                .count();
    }
}
