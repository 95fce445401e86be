package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.ZONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One step of the cleaner after the other: which zone and which segments it takes. */
class CleanerStepTest {

    private final LogRig rig;
    private final Cleaner cleaner;
    private final ZoneLog zone;
    private final ZoneLog other;

    CleanerStepTest() throws IOException {
        rig = new LogRig();
        cleaner = new Cleaner(rig.disk, rig.options, rig.table, rig.store, rig.spares);
        zone = rig.zone(ZONE);
        other = rig.zone(ZONE + 1);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void step_allIsLive_doesNothing() throws IOException {
        fill(zone, 200, 200);
        assertThat(cleaner.isNeeded(List.of(zone, other))).isFalse();
        assertThat(step(false)).isFalse();
        assertThat(cleaner.cleanedSegments()).isZero();
    }

    @Test
    void step_mostIsDead_freesSegmentsUntilTheBoundIsKept() throws IOException {
        fill(zone, 400, 10);
        int before = zone.segments().size();
        List<String> newest = newest();
        int steps = 0;
        while (step(false)) {
            steps++;
            assertThat(newest()).isEqualTo(newest);
        }
        assertThat(steps).isPositive();
        assertThat(cleaner.isNeeded(List.of(zone, other))).isFalse();
        assertThat(zone.segments()).hasSizeLessThan(before / 2);
        assertThat(cleaner.cleanedSegments()).isGreaterThan(before / 2);
        assertFilesAreTheSegments();
    }

    @Test
    void step_twoZonesBeyondTheirBounds_takesTheWorse() throws IOException {
        fill(zone, 200, 10);
        fill(other, 400, 10);
        int segments = zone.segments().size();
        int others = other.segments().size();
        assertThat(step(false)).isTrue();
        assertThat(zone.segments()).hasSize(segments);
        assertThat(other.segments()).hasSizeLessThan(others);
    }

    @Test
    void step_diskIsTight_takesTheSegmentWithTheLeastToWrite() throws IOException {
        fill(zone, 400, 150);
        long written = cleaner.cleanedBytes();
        int segments = zone.segments().size();
        assertThat(step(true)).isTrue();
        assertThat(cleaner.cleanedSegments()).isEqualTo(1);
        assertThat(cleaner.cleanedBytes()).isEqualTo(written);
        assertThat(zone.segments()).hasSize(segments - 1);
    }

    @Test
    void step_noOneHasAcknowledged_waits() throws IOException {
        put(zone, 400, 10);
        zone.acknowledge(1, 399);
        assertThat(step(false)).isFalse();
        assertThat(zone.acknowledge(1, 400)).isTrue();
        assertThat(step(false)).isTrue();
    }

    @Test
    void step_zoneIsRead_leavesItsFilesUntilThatEnds() throws IOException {
        fill(zone, 400, 10);
        zone.beginReading();
        assertThat(step(false)).isFalse();
        zone.endReading();
        assertThat(step(false)).isTrue();
    }

    @Test
    void step_indexIsGone_buildsItAgainFirst() throws IOException {
        fill(zone, 400, 10);
        zone.setIndex(null);
        int segments = zone.segments().size();
        assertThat(step(false)).isTrue();
        assertThat(zone.index()).isNotNull();
        assertThat(zone.segments()).hasSize(segments);
        assertThat(step(false)).isTrue();
        assertThat(zone.segments()).hasSizeLessThan(segments);
    }

    @Test
    void step_segmentIsDamaged_keepsItAndLeavesTheZoneAlone() throws IOException {
        fill(zone, 400, 10);
        zone.setIndex(null);
        assertThat(step(false)).isTrue();
        Segment first = zone.segments().getFirst();
        for (Segment segment : zone.segments()) {
            segment.setNoted(null);
            rig.simulated.flipBit(segment.file(), (int) segment.sizeBytes() - 100, 3);
        }
        step(false);
        assertThat(cleaner.isNeeded(List.of(zone))).isFalse();
        assertThat(zone.isDamaged()).isTrue();
        assertThat(rig.disk.exists(first.file())).isTrue();
        assertThat(cleaner.cleanedSegments()).isZero();
    }

    /** What the index says is live is what an index says that is built from the files. */
    @Test
    void step_randomChanges_countsOfLiveEntriesStayRight() throws IOException {
        SplittableRandom random = new SplittableRandom(24);
        int steps = 0;
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < 30; i++) {
                int lid = 1 + random.nextInt(60);
                if (random.nextInt(5) == 0) {
                    LogRig.delete(zone, lid);
                } else {
                    LogRig.put(zone, lid, "x".repeat(200 + random.nextInt(200)));
                }
            }
            zone.acknowledge(1, zone.lastSequence());
            rig.store.write(zone, bytes -> {});
            Map<String, String> visible = visible();
            while (step(false)) {
                steps++;
            }
            assertThat(visible()).as("seed 24, round %d", round).isEqualTo(visible);
            if (round % 4 == 3) {
                List<Long> live = liveBytes();
                assertThat(new IndexBuild(rig.disk, zone).run()).isTrue();
                assertThat(liveBytes()).as("seed 24, round %d", round).isEqualTo(live);
            }
        }
        assertThat(steps).isGreaterThan(20);
    }

    private boolean step(boolean tight) throws IOException {
        return cleaner.step(List.of(zone, other), tight);
    }

    /** Updates some chunks in turn, and has all members say that they hold that. */
    private void fill(ZoneLog log, int updates, int chunks) throws IOException {
        put(log, updates, chunks);
        log.acknowledge(1, updates);
    }

    private void put(ZoneLog log, int updates, int chunks) throws IOException {
        for (int i = 1; i <= updates; i++) {
            LogRig.put(log, i % chunks, i + "x".repeat(500));
        }
        rig.store.write(log, bytes -> {});
        rig.store.sync();
    }

    /** What the first letters of the newest contents are: the numbers of the last updates. */
    private List<String> newest() throws IOException {
        TreeMap<String, Long> newest = new TreeMap<>();
        for (Segment segment : zone.segments()) {
            for (String entry : rig.entries(zone, segment)) {
                String lid = entry.substring(0, entry.indexOf('@'));
                long sequence = Long.parseLong(entry.substring(entry.indexOf('@') + 1, entry.indexOf('=')));
                newest.merge(lid, sequence, Math::max);
            }
        }
        return newest.entrySet().stream().map(Object::toString).toList();
    }

    private List<Long> liveBytes() {
        return zone.segments().stream().map(Segment::liveBytes).toList();
    }

    /** The contents that a replay would find, by LID. */
    private Map<String, String> visible() throws IOException {
        Map<String, Long> versions = new HashMap<>();
        Map<String, String> visible = new TreeMap<>();
        for (Segment segment : zone.segments()) {
            for (String entry : rig.entries(zone, segment)) {
                int at = entry.indexOf('@');
                int end = entry.contains("=") ? entry.indexOf('=') : entry.indexOf(' ');
                String lid = entry.substring(0, at);
                long sequence = Long.parseLong(entry.substring(at + 1, end));
                if (sequence > versions.getOrDefault(lid, 0L)) {
                    versions.put(lid, sequence);
                    visible.put(lid, entry.substring(end));
                }
            }
        }
        visible.values().removeIf(" deleted"::equals);
        return visible;
    }

    private void assertFilesAreTheSegments() {
        List<String> files = rig.simulated.fileNames().stream()
                .filter(name -> name.endsWith(".seg"))
                .toList();
        assertThat(files)
                .containsExactlyInAnyOrderElementsOf(
                        zone.segments().stream().map(Segment::file).toList());
        assertThat(Objects.requireNonNull(rig.table.entry(ZONE)).segments())
                .containsExactlyInAnyOrderElementsOf(
                        zone.segments().stream().map(Segment::ordinal).toList());
        assertThat(Objects.requireNonNull(rig.table.entry(ZONE)).removed()).isEmpty();
    }
}
