package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.granary.net.message.LeaseMessages.ReportLoad;
import dev.granary.net.message.LeaseMessages.ReportLoad.HotChunk;
import dev.granary.net.message.LeaseMessages.ReportLoad.HotRange;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.replicate.OwnedZones;
import dev.granary.storage.replicate.Zones;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LoadSketchTest {

    private static final int NID = 0x8000;
    private static final OwnedZones NO_ZONES = Zones.of(List.of());

    private static CidRange zone(int creator, int number, long from, long to) {
        return new CidRange(
                Cid.of(creator, from),
                Cid.of(creator, to),
                new Placement(NID, new int[] {0xA000}, 1, BackupZone.id(creator, number), PlacementState.IN_SYNC));
    }

    private static Scratch scratch() {
        return new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay().join());
    }

    @Test
    void hottest_oneChunkAmongMany_isFoundWithItsShare() {
        LoadSketch load = new LoadSketch();
        Scratch scratch = scratch();
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 200_000; i++) {
            long cid = random.nextInt(5) == 0 ? 42 : random.nextLong(1_000, 1_000_000);
            load.note(new long[] {cid}, 1, scratch, NO_ZONES);
        }

        assertThat(load.uses()).isEqualTo(200_000);
        List<HotChunk> hot = load.hottest(1, 1.0);
        assertThat(hot).hasSize(1);
        assertThat(hot.getFirst().cid()).isEqualTo(42);
        assertThat(hot.getFirst().perSecond()).isBetween(30_000L, 50_000L);

        load.halve();
        assertThat(load.uses()).isEqualTo(100_000);
        assertThat(load.hottest(1, 1.0).getFirst().perSecond()).isBetween(15_000L, 25_000L);
    }

    @Test
    void hottest_nothingUsed_isEmpty() {
        assertThat(new LoadSketch().hottest(4, 1.0)).isEmpty();
    }

    @Test
    void take_zonesWithDifferentUses_areToldWithTheirRatesTheHottestFirst() {
        CidRange hot = zone(NID, 1, 1, 1_000);
        CidRange cold = zone(NID, 2, 1_001, 2_000);
        CidRange unused = zone(NID, 3, 2_001, 3_000);
        OwnedZones zones = Zones.of(List.of(hot, cold, unused));
        LoadSketch load = new LoadSketch();
        Scratch scratch = scratch();
        SplittableRandom random = new SplittableRandom(8);
        for (int i = 0; i < 100_000; i++) {
            long lid = random.nextInt(4) == 0 ? random.nextLong(1_001, 2_001) : random.nextLong(1, 1_001);
            load.note(new long[] {Cid.of(NID, lid)}, 1, scratch, zones);
        }

        ReportLoad report = load.take(NID, 0.5, zones);
        assertThat(report.ranges())
                .extracting(HotRange::zone)
                .containsExactly(hot.placement().zone(), cold.placement().zone());
        assertThat(report.ranges().getFirst().startCid()).isEqualTo(hot.startCid());
        assertThat(report.ranges().getFirst().endCidInclusive()).isEqualTo(hot.endCidInclusive());
        assertThat(report.ranges().getFirst().perSecond()).isBetween(35_000L, 40_000L);
        assertThat(report.ranges().getLast().perSecond()).isBetween(10_000L, 15_000L);
        assertThat(report.chunksPerSecond()).isEqualTo(50_000);
        assertThat(load.take(NID, 0.5, zones).ranges().getFirst().perSecond())
                .as("a half is forgotten")
                .isBetween(17_000L, 20_000L);
    }

    /** One sample stands for the whole request; as one of sixteen it would hide who reads in large batches. */
    @Test
    void take_largeBatches_countWithAllTheirChunks() {
        CidRange batches = zone(NID, 1, 1, 10_000);
        CidRange singles = zone(NID, 2, 10_001, 20_000);
        OwnedZones zones = Zones.of(List.of(batches, singles));
        LoadSketch load = new LoadSketch();
        Scratch scratch = scratch();
        long[] batch =
                LongStream.rangeClosed(1, 5_000).map(lid -> Cid.of(NID, lid)).toArray();
        for (int i = 0; i < 10; i++) {
            load.note(batch, batch.length, scratch, zones);
        }
        for (int i = 0; i < 1_600; i++) {
            load.note(new long[] {Cid.of(NID, 10_001)}, 1, scratch, zones);
        }
        assertThat(load.take(NID, 1.0, zones).ranges())
                .extracting(HotRange::zone, HotRange::perSecond)
                .containsExactly(
                        tuple(batches.placement().zone(), 50_000L),
                        tuple(singles.placement().zone(), 1_600L));
    }

    @Test
    void take_chunksInNoZone_areTheRangeOfTheirCreator() {
        LoadSketch load = new LoadSketch();
        Scratch scratch = scratch();
        for (int i = 0; i < 160; i++) {
            load.note(new long[] {Cid.of(NID, 1 + i)}, 1, scratch, NO_ZONES);
        }
        assertThat(load.take(NID, 1.0, NO_ZONES).ranges())
                .containsExactly(new HotRange(0, Cid.firstOf(NID), Cid.lastOf(NID), 160));
    }

    /** Requests for keys count where they are carried out, in the zone of their slot group. */
    @Test
    void take_slotGroups_countAmongAllUses() {
        int group = SlotGroup.nid(3);
        OwnedZones zones = Zones.of(List.of(zone(group, 1, 1, 100), zone(NID, 1, 1, 100)));
        zones.all().forEach(zone -> zone.noteUses(40));
        ReportLoad report = new LoadSketch().take(NID, 1.0, zones);
        assertThat(report.chunksPerSecond()).isEqualTo(40);
        assertThat(report.ranges()).hasSize(2);
    }
}
