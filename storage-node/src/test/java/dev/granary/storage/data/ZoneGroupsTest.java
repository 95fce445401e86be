package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import dev.granary.storage.replicate.Zones;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ZoneGroupsTest {

    private static final int NID = 0x8000;

    /** Zones of ten chunks each, from LID 10 on; lower LIDs are in no zone. */
    private static final int ZONES = 40;

    private final OwnedZones owned = zones();
    private final ZoneGroups groups = new ZoneGroups();

    private static OwnedZones zones() {
        List<CidRange> ranges = new ArrayList<>();
        for (int i = 1; i <= ZONES; i++) {
            Placement placement =
                    new Placement(NID, new int[] {0xA000}, 1, BackupZone.id(NID, i), PlacementState.IN_SYNC);
            ranges.add(new CidRange(Cid.of(NID, 10L * i), Cid.of(NID, 10L * i + 9), placement));
        }
        return Zones.of(ranges);
    }

    private void group(long... lids) {
        groups.group(owned, LongStream.of(lids).map(lid -> Cid.of(NID, lid)).toArray(), lids.length);
    }

    /** Returns the present groups: the number of each zone, and the indexes of its chunks. */
    private List<String> found() {
        List<String> list = new ArrayList<>();
        for (int group = 0; group < groups.groups(); group++) {
            OwnedZone zone = groups.zone(group);
            List<Integer> chunks = new ArrayList<>();
            for (int place = groups.start(group); place < groups.end(group); place++) {
                chunks.add(groups.at(place));
            }
            list.add((zone == null ? "none" : BackupZone.numberOf(zone.id())) + " " + chunks);
        }
        return list;
    }

    @Test
    void group_nothing_noGroup() {
        group(15);
        group();
        assertThat(groups.groups()).isZero();
    }

    @Test
    void group_allOfOneZoneOrOfNone_oneGroupInTheirOrder() {
        group(15, 11, 19);
        assertThat(found()).containsExactly("1 [0, 1, 2]");
        group(3, 1);
        assertThat(found()).containsExactly("none [0, 1]");
    }

    @Test
    void group_zonesThatAlternate_eachZoneOnceInTheOrderOfTheRequest() {
        group(25, 11, 26, 3, 19, 20, 4);
        assertThat(found()).containsExactly("2 [0, 2, 5]", "1 [1, 4]", "none [3, 6]");
    }

    @Test
    void group_afterALargerRequest_nothingOfItIsLeft() {
        group(LongStream.rangeClosed(1, 10L * ZONES + 9).toArray());
        group(25, 11);
        assertThat(found()).containsExactly("2 [0]", "1 [1]");
        group(11);
        assertThat(found()).containsExactly("1 [0]");
    }

    @Test
    void group_fewerThanTheArrayHas_theFirstOnes() {
        long[] cids = {Cid.of(NID, 11), Cid.of(NID, 22), Cid.of(NID, 33)};
        groups.group(owned, cids, 2);
        assertThat(found()).containsExactly("1 [0]", "2 [1]");
    }

    @Test
    void group_manyChunksOfManyZones_isAPermutationThatKeepsTheOrder() {
        Random random = new Random(3);
        for (int count : new int[] {8, 9, 255, 256, 257, 1_000}) {
            long[] lids = random.longs(count, 1, 10L * ZONES + 10).toArray();
            group(lids);
            Set<Integer> seen = new HashSet<>();
            for (int group = 0; group < groups.groups(); group++) {
                int before = -1;
                for (int place = groups.start(group); place < groups.end(group); place++) {
                    int index = groups.at(place);
                    assertThat(owned.find(Cid.of(NID, lids[index]))).isSameAs(groups.zone(group));
                    assertThat(index).isGreaterThan(before);
                    assertThat(seen.add(index)).isTrue();
                    before = index;
                }
            }
            assertThat(seen).hasSize(count);
            Set<OwnedZone> zones = new HashSet<>();
            for (int group = 0; group < groups.groups(); group++) {
                assertThat(zones.add(groups.zone(group))).isTrue();
            }
        }
    }

    @Test
    void isRepeated_cidsThatComeAgain_areSeenOfThisRequestOnly() {
        groups.beginSeen(3);
        assertThat(groups.isRepeated(5)).isFalse();
        assertThat(groups.isRepeated(-5)).isFalse();
        assertThat(groups.isRepeated(5)).isTrue();
        groups.beginSeen(3);
        assertThat(groups.isRepeated(5)).isFalse();
    }

    @Test
    void isRepeated_asManyAsWereSaid_allAreFoundAgain() {
        Random random = new Random(4);
        for (int count : new int[] {1, 2, 3, 100, 5_000, 7, 1}) {
            groups.beginSeen(count);
            Set<Long> model = new HashSet<>();
            for (int i = 0; i < count; i++) {
                long cid = Cid.of(NID, 1 + random.nextInt(2 * count));
                assertThat(groups.isRepeated(cid)).isEqualTo(!model.add(cid));
            }
        }
    }
}
