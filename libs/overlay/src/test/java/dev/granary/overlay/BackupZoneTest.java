package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.tree.CidTree;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackupZoneTest {

    private static final int NID = 0x8000;

    private final CidTree tree = new CidTree();

    @AfterEach
    void verifyTree() {
        tree.verify();
    }

    private static long cid(long lid) {
        return Cid.of(NID, lid);
    }

    private static Placement placement(int owner, long epoch, int zone) {
        return new Placement(owner, new int[] {0x0FFE, 0x1FFE}, epoch, zone, PlacementState.IN_SYNC);
    }

    @Test
    void changeZone_manyRanges_changesThemAllAndNoOthers() {
        for (int i = 0; i < 100; i++) {
            tree.insert(cid(1 + 10L * i), cid(5 + 10L * i), placement(0x8000, 3, 1 + i % 2));
        }
        long before = tree.changes();
        assertThat(tree.changeZone(new BackupZone(placement(0x4000, 4, 1)))).isTrue();
        assertThat(tree.changes()).isGreaterThan(before);
        assertThat(tree.rangeCount()).isEqualTo(100);
        assertThat(tree.placementOf(cid(1))).isEqualTo(placement(0x4000, 4, 1));
        assertThat(tree.placementOf(cid(995))).isEqualTo(placement(0x8000, 3, 2));
        assertThat(tree.zone(1)).contains(new BackupZone(placement(0x4000, 4, 1)));
        assertThat(tree.zone(3)).isEmpty();
    }

    @Test
    void changeZone_chunksInContainers_changesThem() {
        tree.insert(cid(1), cid(60_000), placement(0x8000, 1, 1));
        for (int lid = 2; lid < 60_000; lid += 7) {
            tree.migrate(cid(lid), cid(lid), placement(0x4000, 1, 2));
        }
        assertThat(tree.containerCount()).isEqualTo(1);
        assertThat(tree.changeZone(new BackupZone(placement(0xC000, 2, 2)))).isTrue();
        assertThat(CidTree.owner(tree.lookup(cid(9)))).isEqualTo(0xC000);
        assertThat(CidTree.owner(tree.lookup(cid(10)))).isEqualTo(0x8000);
    }

    @Test
    void changeZone_rangesAtSeveralEpochs_joinsThem() {
        tree.insert(cid(1), cid(10), placement(0x8000, 1, 7));
        tree.insert(cid(11), cid(20), placement(0x8000, 2, 7));
        tree.insert(cid(21), cid(30), placement(0x8000, 3, 7));
        assertThat(tree.zone(7).orElseThrow().epoch()).isEqualTo(3);
        assertThat(tree.changeZone(new BackupZone(placement(0x2000, 4, 7)))).isTrue();
        assertThat(tree.find(cid(5))).contains(new CidRange(cid(1), cid(30), placement(0x2000, 4, 7)));
        assertThat(tree.placementCount()).isEqualTo(1);
    }

    @Test
    void changeZone_epochThatIsNotNewer_isRefused() {
        tree.insert(cid(1), cid(10), placement(0x8000, 5, 7));
        assertThatThrownBy(() -> tree.changeZone(new BackupZone(placement(0x2000, 5, 7))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("zone 7 is at epoch 5");
        assertThat(tree.changeZone(new BackupZone(placement(0x2000, 1, 8)))).isFalse();
        assertThat(CidTree.owner(tree.lookup(cid(1)))).isEqualTo(0x8000);
    }

    @Test
    void zone_impossibleValues_areRefused() {
        assertThatThrownBy(() -> new BackupZone(Placement.unreplicated(2, 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tree.zone(0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(BackupZone.fits(2_000_000, 256L << 20)).isTrue();
        assertThat(BackupZone.fits(2_000_001, 1)).isFalse();
        assertThat(BackupZone.fits(1, (256L << 20) + 1)).isFalse();
    }

    @Test
    void footprint_tenBillionChunksOfTenPeersInZonesOfTwoMillion_isBelow96KiB() {
        CidTree zones = new CidTree();
        for (int peer = 1; peer <= 10; peer++) {
            int nid = Nid.storageNid(peer);
            for (int i = 0; i < 500; i++) {
                long start = Cid.of(nid, 1 + i * BackupZone.MAX_CHUNKS);
                int[] backups = new int[3];
                for (int k = 0; k < 3; k++) {
                    backups[k] = Nid.storageNid(1 + (peer + k * 3 + i % 3) % 10);
                }
                Placement placement = new Placement(nid, backups, 1 + i % 5, peer * 500 + i, PlacementState.IN_SYNC);
                zones.insert(start, start + BackupZone.MAX_CHUNKS - 1, placement);
            }
        }
        zones.verify();
        assertThat(zones.placementCount()).isEqualTo(5_000);
        assertThat(zones.footprintBytes()).isLessThan(96 << 10);
    }

    @Test
    void footprint_everyRangeWithAPlacementOfItsOwn_isBelowSixteenBytesARange() {
        int ranges = 100_000;
        for (int i = 0; i < ranges; i++) {
            int[] backups = {
                Nid.storageNid(20 + i % 70), Nid.storageNid(100 + i * 7 % 80), Nid.storageNid(200 + i * 3 % 50)
            };
            long start = cid(1 + i * BackupZone.MAX_CHUNKS);
            tree.insert(
                    start,
                    start + BackupZone.MAX_CHUNKS - 1,
                    new Placement(Nid.storageNid(1 + i % 10), backups, 1 + i % 31, 1 + i, PlacementState.IN_SYNC));
        }
        assertThat(tree.rangeCount()).isEqualTo(ranges);
        assertThat((double) tree.footprintBytes() / ranges).isLessThan(16.0);
    }
}
