package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.ZONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.DiskFullException;
import dev.granary.log.batch.BlockHeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentStoreTest {

    private final LogRig rig;
    private final SegmentStore store;
    private final ZoneLog zone;

    /** What each piece that was written was said to take from memory. */
    private final List<Integer> left = new ArrayList<>();

    SegmentStoreTest() throws IOException {
        rig = new LogRig();
        store = rig.store;
        zone = rig.zone(ZONE);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void write_fewBatches_areOneBlockOfOneSegment() throws IOException {
        int bytes = LogRig.put(zone, 1, "one") + LogRig.put(zone, 2, "two") + LogRig.delete(zone, 1);
        store.write(zone, left::add);

        assertThat(left).containsExactly(bytes);
        assertThat(zone.pendingBytes()).isZero();
        assertThat(zone.segments()).hasSize(1);
        Segment segment = zone.segments().getFirst();
        assertThat(rig.entries(zone, segment)).containsExactly("1@1=one", "2@2=two", "1@3 deleted");
        assertThat(segment.sizeBytes()).isEqualTo(LogFileHeader.LENGTH + BlockHeader.LENGTH + bytes);
        assertThat(segment.sizeBytes()).isEqualTo(rig.disk.sizeBytes(segment.file()));
        assertThat(store.writtenBytes()).isEqualTo(BlockHeader.LENGTH + bytes);
        assertThat(zone.segmentSequence()).isEqualTo(3);
        assertThat(segment.youngestSequence()).isEqualTo(3);
    }

    @Test
    void write_nothingIsPending_makesNoFile() throws IOException {
        store.write(zone, left::add);
        assertThat(left).isEmpty();
        assertThat(zone.segments()).isEmpty();
    }

    @Test
    void write_moreThanASegmentTakes_goesOnInOthers() throws IOException {
        int bytes = 0;
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            bytes += LogRig.put(zone, i, i + "x".repeat(500));
            expected.add(i + "@" + i + "=" + i + "x".repeat(500));
        }
        store.write(zone, left::add);

        assertThat(left.stream().mapToInt(Integer::intValue).sum()).isEqualTo(bytes);
        List<String> found = new ArrayList<>();
        for (Segment segment : zone.segments()) {
            // The batch with which it is full is in it.
            assertThat(segment.sizeBytes()).isLessThan(store.limitBytes(zone) + 600);
            found.addAll(rig.entries(zone, segment));
        }
        assertThat(found).isEqualTo(expected);
        assertThat(zone.segments()).hasSize(4);
        // All but the last are durable: only that one may have a torn end.
        List<Segment> segments = zone.segments();
        for (Segment segment : segments.subList(0, 3)) {
            assertThat(segment.syncedBytes()).isEqualTo(segment.sizeBytes());
        }
        assertThat(segments.getLast().syncedBytes()).isZero();
        assertThat(noted()).containsExactly(0, 1, 2);
    }

    @Test
    void write_batchLargerThanASegment_hasOneOfItsOwn() throws IOException {
        LogRig.put(zone, 1, "small");
        LogRig.put(zone, 2, "y".repeat(3 * rig.options.segmentBytes()));
        store.write(zone, left::add);
        assertThat(zone.segments().getLast().sizeBytes()).isGreaterThan(3L * rig.options.segmentBytes());
        LogRig.put(zone, 3, "small");
        store.write(zone, left::add);
        assertThat(rig.entries(zone, zone.segments().getLast())).containsExactly("3@3=small");
    }

    @Test
    void sync_segmentsThatWereCreated_areDurableAndNoted() throws IOException {
        LogRig.put(zone, 1, "one");
        store.write(zone, left::add);
        assertThat(noted()).isEmpty();
        store.sync();
        assertThat(noted()).containsExactly(0);
        Segment segment = zone.segments().getFirst();
        assertThat(segment.syncedBytes()).isEqualTo(segment.sizeBytes());
        rig.simulated.losePower();
        assertThat(rig.simulated.content(segment.file())).hasSize((int) segment.sizeBytes());
    }

    @Test
    void mayBeUnsynced_segmentThatWasFound_isSyncedAndNotedUnlessItWas() throws IOException {
        LogRig.put(zone, 1, "one");
        store.write(zone, left::add);
        Segment segment = zone.segments().getFirst();
        SegmentStore next = new SegmentStore(rig.disk, rig.options, rig.table);
        next.mayBeUnsynced(segment, zone, true);
        next.sync();
        assertThat(segment.syncedBytes()).isEqualTo(segment.sizeBytes());
        assertThat(noted()).isEmpty();
        next.mayBeUnsynced(segment, zone, false);
        next.sync();
        assertThat(noted()).containsExactly(0);
        next.close();
    }

    @Test
    void delete_segments_theirFilesAreGoneAndNotSyncedAnyMore() throws IOException {
        LogRig.put(zone, 1, "one");
        store.write(zone, left::add);
        Segment segment = zone.segments().getFirst();
        store.delete(List.of(segment));
        store.sync();
        assertThat(rig.disk.exists(segment.file())).isFalse();
        assertThat(noted()).isEmpty();
    }

    @Test
    void write_overwrittenChunks_countAsDead() throws IOException {
        for (int i = 1; i <= 60; i++) {
            LogRig.put(zone, i % 6, "x".repeat(500));
        }
        store.write(zone, left::add);
        List<Segment> segments = zone.segments();
        assertThat(segments.getFirst().liveBytes()).isZero();
        assertThat(segments.getLast().liveBytes()).isPositive();
        assertThat(Objects.requireNonNull(segments.getFirst().noted()).live().isEmpty())
                .isTrue();
        assertThat(Objects.requireNonNull(segments.getLast().noted()).live().isEmpty())
                .isFalse();
    }

    @Test
    void write_diskHasNoRoomForAHeader_leavesNoFileBehind() throws IOException {
        LogRig.put(zone, 1, "one");
        int pending = zone.pendingBytes();
        rig.simulated.setCapacity(rig.simulated.usedBytes() + 50);
        assertThatThrownBy(() -> store.write(zone, left::add)).isInstanceOf(DiskFullException.class);
        assertThat(rig.simulated.fileNames()).noneMatch(name -> name.endsWith(".seg"));
        assertThat(zone.segments()).isEmpty();
        assertThat(zone.pendingBytes()).isEqualTo(pending);

        rig.simulated.setCapacity(Long.MAX_VALUE);
        store.write(zone, left::add);
        assertThat(rig.entries(zone, zone.segments().getFirst())).containsExactly("1@1=one");
    }

    @Test
    void limitBytes_zoneIsSmallOrLarge_growsWithItUpToTheOption() throws IOException {
        assertThat(store.limitBytes(zone)).isEqualTo(rig.options.segmentBytes());
        SegmentStore large = new SegmentStore(rig.disk, BackupLogOptions.defaults(), rig.table);
        assertThat(large.limitBytes(zone)).isEqualTo(4 << 20);
        Segment found = new Segment("found", LogFileHeader.primary(0), 32L * (5 << 20));
        zone.addSegment(found);
        assertThat(large.limitBytes(zone)).isEqualTo(4 << 20);
        zone.addSegment(new Segment("other", LogFileHeader.primary(1), 32L * (3 << 20)));
        assertThat(large.limitBytes(zone)).isEqualTo(8 << 20);
    }

    private Iterable<Integer> noted() {
        return Objects.requireNonNull(rig.table.entry(ZONE)).segments();
    }
}
