package dev.granary.superpeer.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.SlotGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BackupChoiceTest {

    private static final HostAddress ADDRESS = new HostAddress("p", 7500);

    private static PeerInfo peer(int nid, boolean live, PeerInfo.Drain drain, String machine, String zone) {
        PeerStatistics nothing = new PeerStatistics(0, 0, 0, 0, 1, 0, 0);
        return new PeerInfo(
                nid,
                "p",
                ADDRESS,
                ADDRESS,
                live,
                0,
                2,
                1,
                1,
                drain,
                0,
                nothing,
                live ? 1 : 2,
                machine,
                zone,
                false,
                null);
    }

    private static PeerInfo peer(int nid) {
        return peer(nid, true, PeerInfo.Drain.NONE, "", "");
    }

    private static List<Integer> nids(List<PeerInfo> peers) {
        return peers.stream().map(PeerInfo::nid).toList();
    }

    @Test
    void choose_manyZonesOfOneOwner_areSpreadOverAllOthers() {
        List<PeerInfo> all = new ArrayList<>();
        for (int nid = 2; nid <= 18; nid += 2) {
            all.add(peer(nid));
        }
        Map<Integer, Integer> copies = new TreeMap<>();
        for (int zone = 1; zone <= 800; zone++) {
            List<Integer> chosen = nids(BackupChoice.choose(zone, 3, Set.of(2), all));
            assertThat(chosen).hasSize(3).doesNotHaveDuplicates().doesNotContain(2);
            chosen.forEach(nid -> copies.merge(nid, 1, Integer::sum));
        }
        // Spread evenly, each of eight would have 300.
        assertThat(copies).hasSize(8);
        assertThat(copies.values()).allSatisfy(count -> assertThat(count).isBetween(240, 360));
    }

    @Test
    void ownerOf_slotGroups_areSpreadEvenlyAndStayWhereTheyAreWhenAPeerComes() {
        List<PeerInfo> few = List.of(peer(0x8000), peer(0x4000), peer(0xC000), peer(0x2000));
        List<PeerInfo> more = new ArrayList<>(few);
        more.add(peer(0xA000));
        Map<Integer, Integer> groups = new TreeMap<>();
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            int nid = SlotGroup.nid(group);
            int owner = Objects.requireNonNull(BackupChoice.ownerOf(nid, few)).nid();
            groups.merge(owner, 1, Integer::sum);
            assertThat(Objects.requireNonNull(BackupChoice.ownerOf(nid, more)).nid())
                    .isIn(owner, 0xA000);
        }
        assertThat(groups).hasSize(4);
        assertThat(groups.values()).allSatisfy(count -> assertThat(count).isBetween(45, 85));
    }

    @Test
    void ownerOf_noSuitablePeer_isNobody() {
        assertThat(BackupChoice.ownerOf(
                        SlotGroup.nid(0),
                        List.of(
                                peer(4, false, PeerInfo.Drain.NONE, "", ""),
                                peer(6, true, PeerInfo.Drain.RUNNING, "", ""))))
                .isNull();
    }

    @Test
    void choose_twice_theSame() {
        List<PeerInfo> all = List.of(peer(2), peer(4), peer(6), peer(8));
        assertThat(BackupChoice.choose(77, 2, Set.of(2), all)).isEqualTo(BackupChoice.choose(77, 2, Set.of(2), all));
    }

    @Test
    void choose_deadOrLeavingPeers_areLeftOut() {
        List<PeerInfo> all = List.of(
                peer(2),
                peer(4, false, PeerInfo.Drain.NONE, "", ""),
                peer(6, true, PeerInfo.Drain.RUNNING, "", ""),
                peer(8));
        assertThat(nids(BackupChoice.choose(1, 3, Set.of(2), all))).containsExactly(8);
    }

    @Test
    void choose_labelled_otherFailureZonesFirstThenOtherMachines() {
        List<PeerInfo> all = List.of(
                peer(2, true, PeerInfo.Drain.NONE, "m1", "a"),
                peer(4, true, PeerInfo.Drain.NONE, "m1", "a"),
                peer(6, true, PeerInfo.Drain.NONE, "m2", "a"),
                peer(8, true, PeerInfo.Drain.NONE, "m3", "b"));
        for (int zone = 1; zone < 50; zone++) {
            assertThat(nids(BackupChoice.choose(zone, 3, Set.of(2), all)))
                    .as("zone %d", zone)
                    .containsExactly(8, 6, 4);
        }
    }
}
