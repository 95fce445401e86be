package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class OwnedZonesTest {

    private static final int NID = 0x8000;

    private final OwnedZones zones = Zones.none(1000, 500, 100);

    private static CidRange range(int number, long from, long to) {
        Placement placement =
                new Placement(NID, new int[] {0xA000}, 1, BackupZone.id(NID, number), PlacementState.IN_SYNC);
        return new CidRange(Cid.of(NID, from), Cid.of(NID, to), placement);
    }

    private OwnedZone put(int number, long from, long to) {
        CidRange range = range(number, from, to);
        OwnedZone known = zones.byId(range.placement().zone());
        OwnedZone zone = known == null ? Zones.zone(range.placement()) : known;
        zones.put(zone, List.of(range));
        return zone;
    }

    private List<String> spans() {
        List<String> told = new ArrayList<>();
        zones.forEachSpan((start, end, zone) -> told.add(Cid.lid(start) + ".." + Cid.lid(end) + " "
                + (zone == null ? "another's" : OwnedZones.name(zone.id()))));
        return told;
    }

    @Test
    void find_chunkOfAZoneOrNone_theLastOneThatItWasPutInto() {
        assertThat(zones.isEmpty()).isTrue();
        OwnedZone first = put(1, 1, 100);
        OwnedZone second = put(2, 50, 60);
        assertThat(zones.isEmpty()).isFalse();
        assertThat(zones.find(Cid.of(NID, 49))).isSameAs(first);
        assertThat(zones.find(Cid.of(NID, 60))).isSameAs(second);
        assertThat(zones.find(Cid.of(NID, 101))).isNull();
        assertThat(zones.find(Cid.of(0x4000, 5))).isNull();
        assertThat(zones.all()).containsExactly(first, second);
    }

    @Test
    void remove_rangeOfAnotherOwner_isInNoZoneAnyMore() {
        OwnedZone zone = put(1, 1, 100);
        zones.remove(Cid.of(NID, 10), Cid.of(NID, 19));
        assertThat(zones.find(Cid.of(NID, 10))).isNull();
        assertThat(zones.find(Cid.of(NID, 20))).isSameAs(zone);
        assertThat(spans()).containsExactly("1..9 0x8000/1", "20..100 0x8000/1");
        assertThat(zones.byId(zone.id())).isSameAs(zone);
        zones.remove(Cid.of(NID, 1), Cid.of(NID, 100));
        assertThat(spans()).isEmpty();
    }

    @Test
    void end_zoneOfAnotherOwner_itsChunksStayInItButAreNobodys() {
        OwnedZone zone = put(1, 1, 100);
        put(2, 101, 200);
        zones.end(zone);
        assertThat(zones.byId(zone.id())).isNull();
        assertThat(zones.find(Cid.of(NID, 1))).as("so that they are refused").isSameAs(zone);
        assertThat(spans()).containsExactly("1..100 another's", "101..200 0x8000/2");
    }

    @Test
    void end_zoneThatIsOwnedAnew_leavesTheLaterOne() {
        OwnedZone former = put(1, 1, 100);
        zones.end(former);
        OwnedZone later = put(1, 1, 50);
        assertThat(later).isNotSameAs(former);
        zones.end(former);
        assertThat(zones.byId(later.id())).isSameAs(later);
        assertThat(spans()).containsExactly("1..50 0x8000/1", "51..100 another's");
    }

    @Test
    void partsOf_spansAndWhatArrives_untilItIsDecided() {
        OwnedZone zone = put(1, 1, 100);
        OwnedZone other = put(2, 101, 200);
        ArrivingChunks coming = new ArrivingChunks(Cid.of(NID, 300), Cid.of(NID, 310), cid -> cid == Cid.of(NID, 305));
        zones.arrive(zone, coming);

        List<ZoneSnapshot.Part> parts = zones.partsOf(zone);
        assertThat(parts).hasSize(2);
        assertThat(parts.getFirst().span()).isEqualTo(new ZoneMap.Span(Cid.of(NID, 1), Cid.of(NID, 100)));
        assertThat(parts.getFirst().belongs().test(Cid.of(NID, 5))).isTrue();
        assertThat(parts.getLast().span()).isEqualTo(new ZoneMap.Span(Cid.of(NID, 300), Cid.of(NID, 310)));
        assertThat(parts.getLast().belongs().test(Cid.of(NID, 305))).isTrue();
        assertThat(parts.getLast().belongs().test(Cid.of(NID, 306))).isFalse();
        assertThat(zones.partsOf(other)).hasSize(1);

        zones.arrived(coming);
        assertThat(zones.partsOf(zone)).hasSize(1);
        assertThat(zones.spansOf(zone)).hasSize(1);
    }

    @Test
    void admit_changeLargerThanAnyMayBe_isTooLargeForGood() {
        ErrorReply refusal = Objects.requireNonNull(zones.admit(501, 1));
        assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(refusal.message()).contains("501").contains("500");
        assertThat(zones.admit(500, 1)).isNull();
    }

    @Test
    void admit_moreThanThereIsRoomFor_laterAndTheRoomIsGivenBack() {
        assertThat(zones.admit(500, 1)).isNull();
        assertThat(zones.admit(500, 1)).isNull();
        assertThat(Objects.requireNonNull(zones.admit(1, 1)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        zones.carriedOut(500, 1);
        assertThat(zones.admit(1, 1)).isNull();
    }

    @Test
    void admit_noRoomForTheAnswer_takesNoneForTheChange() {
        assertThat(zones.admit(100, 90)).isNull();
        assertThat(Objects.requireNonNull(zones.admit(500, 11)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(zones.admit(500, 10)).as("nothing was taken before").isNull();
        assertThat(zones.admit(400, 0)).isNull();
        assertThat(zones.admit(1, 0)).isNotNull();
    }

    @Test
    void stamps_eachChange_aHigherOne() {
        long before = zones.stamp();
        long next = zones.nextStamp();
        assertThat(next).isGreaterThan(before);
        assertThat(zones.stamp()).isEqualTo(next);
        assertThat(zones.nextStamp()).isGreaterThan(next);
    }
}
