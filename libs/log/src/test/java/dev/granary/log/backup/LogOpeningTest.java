package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.ZONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Disk;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Opens directories that a process left in some state. */
class LogOpeningTest {

    private final LogRig rig;
    private final Disk disk;
    private final ZoneLog zone;

    LogOpeningTest() throws IOException {
        rig = new LogRig();
        disk = rig.disk;
        zone = rig.zone(ZONE);
        for (int i = 1; i <= 60; i++) {
            LogRig.put(zone, i, i + "x".repeat(500));
        }
        rig.store.write(zone, bytes -> {});
        rig.store.sync();
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void openAll_wholeDirectory_hasTheZoneAsItWas() throws IOException {
        ZoneLog found = open().getFirst();
        assertThat(found.state()).isEqualTo(zone.state());
        assertThat(found.lastSequence()).isEqualTo(60);
        assertThat(found.segments().stream().map(Segment::file))
                .containsExactlyElementsOf(
                        zone.segments().stream().map(Segment::file).toList());
        assertThat(found.segmentBytes()).isEqualTo(zone.segmentBytes());
        assertThat(found.damage()).isEmpty();
        assertThat(found.isContinuous()).isFalse();
        assertThat(found.pendingBytes()).isZero();
        assertThat(found.takeOrdinal()).isEqualTo(zone.segments().size());
    }

    @Test
    void openAll_filesOfNoZoneOrAnOlderGeneration_areDeleted() throws IOException {
        String otherZone = Segment.name(ZONE + 5, 1, 0);
        String older = Segment.name(ZONE, 77, 0);
        disk.writeAtomically(otherZone, new byte[200]);
        disk.writeAtomically(older, new byte[200]);
        disk.writeAtomically("other file", new byte[1]);
        assertThat(open().getFirst().segments()).hasSize(4);
        assertThat(disk.exists(otherZone)).isFalse();
        assertThat(disk.exists(older)).isFalse();
        assertThat(disk.exists("other file")).isTrue();
    }

    @Test
    void openAll_segmentThatWasCleaned_isDeletedAndItsOrdinalNotGivenAgain() throws IOException {
        Segment last = zone.segments().getLast();
        rig.table.removed(ZONE, last.ordinal(), 0, 50);
        ZoneLog found = open().getFirst();
        assertThat(disk.exists(last.file())).isFalse();
        assertThat(found.damage()).isEmpty();
        assertThat(found.segments()).hasSize(3);
        assertThat(found.takeOrdinal()).isEqualTo(4);
    }

    @Test
    void openAll_notedSegmentIsMissing_isDamage() throws IOException {
        Segment second = zone.segments().get(1);
        disk.delete(second.file());
        ZoneLog found = open().getFirst();
        assertThat(found.damage())
                .containsExactly(new Damage(ZONE, second.file(), 0, 0, Long.MAX_VALUE, "it is missing"));
        assertThat(found.segments()).hasSize(3);
        assertThat(found.lastSequence()).isEqualTo(60);
    }

    @Test
    void openAll_notedSegmentStartsWrongly_isDamageAndStays() throws IOException {
        Segment first = zone.segments().getFirst();
        rig.simulated.flipBit(first.file(), 20, 1);
        Segment second = zone.segments().get(1);
        disk.writeAtomically(second.file(), disk.read(zone.segments().get(2).file()));
        ZoneLog found = open().getFirst();
        assertThat(found.damage()).extracting(Damage::file).containsExactly(first.file(), second.file());
        assertThat(disk.exists(first.file())).isTrue();
        assertThat(found.segments()).hasSize(2);
    }

    @Test
    void openAll_newSegmentOfWhichNothingWasSynced_isDeleted() throws IOException {
        String name = Segment.name(ZONE, zone.state().generation(), 9);
        disk.writeAtomically(name, new byte[30]);
        ZoneLog found = open().getFirst();
        assertThat(disk.exists(name)).isFalse();
        assertThat(found.damage()).isEmpty();
        assertThat(found.takeOrdinal()).isEqualTo(10);
    }

    @Test
    void openAll_cleanedSegmentThatDoesNotCountYet_isDeleted() throws IOException {
        LogFileHeader header = new LogFileHeader(
                LogFileHeader.CLEANED, zone.state().header(), zone.state().generation(), 9, 0, 60);
        String name = Segment.name(ZONE, zone.state().generation(), 9);
        disk.writeAtomically(name, header.encode());
        assertThat(open().getFirst().segments()).hasSize(4);
        assertThat(disk.exists(name)).isFalse();
    }

    @Test
    void openAll_endOfTheLastSegmentIsTorn_isCut() throws IOException {
        for (int i = 61; i <= 63; i++) {
            LogRig.put(zone, i, i + "more");
        }
        rig.store.write(zone, bytes -> {});
        Segment last = zone.segments().getLast();
        long whole = last.syncedBytes();
        rig.simulated.flipBit(last.file(), (int) last.sizeBytes() - 3, 1);
        ZoneLog found = open().getFirst();
        assertThat(found.damage()).isEmpty();
        assertThat(found.lastSequence()).isEqualTo(62);
        assertThat(disk.sizeBytes(last.file())).isEqualTo(whole);
        // The intact ones before that are pending again.
        assertThat(found.pendingBytes()).isPositive();
    }

    @Test
    void openAll_primaryLog_isReadAndOlderOnesAreDeleted() throws IOException {
        LogRig.put(zone, 61, "in the primary log");
        try (PrimaryLog primary = new PrimaryLog(disk, rig.table)) {
            primary.add(zone, zone.unflushed());
            primary.write();
        }
        disk.writeAtomically(PrimaryLog.name(7), new byte[200]);
        ZoneLog found = open().getFirst();
        assertThat(found.lastSequence()).isEqualTo(61);
        assertThat(found.pendingBytes()).isPositive();
        assertThat(disk.exists(PrimaryLog.name(0))).isTrue();
        assertThat(disk.exists(PrimaryLog.name(7))).isFalse();
    }

    @Test
    void openAll_primaryLogIsMissing_isDamageOfAllZonesAndANewOneIsThere() throws IOException {
        rig.zone(ZONE + 1);
        disk.delete(PrimaryLog.name(0));
        List<ZoneLog> found = open();
        assertThat(found).hasSize(2).allMatch(ZoneLog::isDamaged);
        assertThat(found.getFirst().damage())
                .containsExactly(new Damage(ZONE, PrimaryLog.name(0), 0, 61, Long.MAX_VALUE, "it is missing"));
        assertThat(disk.exists(PrimaryLog.name(1))).isTrue();
        assertThat(rig.table.primary()).isEqualTo(1);
    }

    private List<ZoneLog> open() throws IOException {
        rig.store.close();
        try (SegmentStore store = new SegmentStore(disk, rig.options, rig.table)) {
            return new LogOpening(disk, rig.table, store, rig.spares).openAll();
        }
    }
}
