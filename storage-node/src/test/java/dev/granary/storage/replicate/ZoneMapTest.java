package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.replicate.ZoneMap.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ZoneMapTest {

    private static final int CREATOR = 0x8000;
    private static final int CHUNKS = 60;

    private final OwnedZone first = zone(1);
    private final OwnedZone second = zone(2);

    private static OwnedZone zone(int number) {
        Placement placement =
                new Placement(CREATOR, new int[] {0xA000}, 5, BackupZone.id(CREATOR, number), PlacementState.IN_SYNC);
        return new OwnedZone(placement, 0, false, new ReplicationTotals(1 << 20));
    }

    private static Span span(long from, long to) {
        return new Span(Cid.of(CREATOR, from), Cid.of(CREATOR, to));
    }

    @Test
    void find_emptyMap_noZone() {
        assertThat(ZoneMap.EMPTY.find(Cid.of(CREATOR, 1))).isNull();
        assertThat(ZoneMap.EMPTY.spansOf(first)).isEmpty();
    }

    @Test
    void with_spansThatMeet_areJoined() {
        ZoneMap map =
                ZoneMap.EMPTY.with(List.of(span(1, 10), span(21, 30)), first).with(List.of(span(11, 20)), first);

        assertThat(map.spansOf(first)).containsExactly(span(1, 30));
    }

    @Test
    void with_aSpanInTheMiddle_isCutOut() {
        ZoneMap before = ZoneMap.EMPTY.with(List.of(span(1, 30)), first);

        ZoneMap map = before.with(List.of(span(11, 20)), second);

        assertThat(map.spansOf(first)).containsExactly(span(1, 10), span(21, 30));
        assertThat(map.spansOf(second)).containsExactly(span(11, 20));
        assertThat(map.with(List.of(span(5, 25)), null).spansOf(first)).containsExactly(span(1, 4), span(26, 30));
        assertThat(before.spansOf(first)).as("the map before stays as it is").containsExactly(span(1, 30));
    }

    /** CIDs of creators above 0x7FFF are negative as signed numbers. */
    @Test
    void find_creatorsOnBothSidesOfTheSign_inTheirOrder() {
        Span low = new Span(Cid.of(0x7FFF, 1), Cid.lastOf(0x7FFF));
        Span high = new Span(Cid.firstOf(0x8000), Cid.of(0x8000, 9));

        ZoneMap map = ZoneMap.EMPTY.with(List.of(high), second).with(List.of(low), first);

        assertThat(map.find(Cid.of(0x7FFF, 1))).isSameAs(first);
        assertThat(map.find(Cid.of(0x8000, 9))).isSameAs(second);
        assertThat(map.find(Cid.of(0x8000, 10))).isNull();
        List<OwnedZone> told = new ArrayList<>();
        map.forEach((start, end, zone) -> told.add(zone));
        assertThat(told).as("ascending").containsExactly(first, second);
    }

    @Test
    void with_atRandom_findsWhatTheModelHas() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            OwnedZone[] model = new OwnedZone[CHUNKS + 1];
            ZoneMap map = ZoneMap.EMPTY;
            for (int step = 0; step < 100; step++) {
                OwnedZone zone =
                        switch (random.nextInt(3)) {
                            case 0 -> first;
                            case 1 -> second;
                            default -> null;
                        };
                List<Span> changed = new ArrayList<>();
                int from = 1 + random.nextInt(CHUNKS / 3);
                while (from <= CHUNKS) {
                    int to = Math.min(CHUNKS, from + random.nextInt(8));
                    changed.add(span(from, to));
                    for (int lid = from; lid <= to; lid++) {
                        model[lid] = zone;
                    }
                    from = to + 1 + random.nextInt(CHUNKS);
                }
                map = map.with(changed, zone);
                check(map, model, "seed " + seed + ", step " + step);
            }
        }
    }

    private void check(ZoneMap map, OwnedZone[] model, String when) {
        for (int lid = 0; lid <= CHUNKS; lid++) {
            assertThat(map.find(Cid.of(CREATOR, lid)))
                    .as("%s, LID %d", when, lid)
                    .isSameAs(model[lid]);
        }
        List<Span> spans = new ArrayList<>();
        List<OwnedZone> zones = new ArrayList<>();
        map.forEach((start, end, zone) -> {
            spans.add(new Span(start, end));
            zones.add(zone);
        });
        for (int i = 1; i < spans.size(); i++) {
            long gap = spans.get(i).startCid() - spans.get(i - 1).endCidInclusive();
            assertThat(gap).as("%s: ascending, none overlapping", when).isPositive();
            assertThat(gap > 1 || zones.get(i) != zones.get(i - 1))
                    .as("%s: those that meet are one", when)
                    .isTrue();
        }
    }
}
