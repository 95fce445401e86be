package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static dev.granary.log.backup.Logs.filling;
import static dev.granary.log.backup.Logs.header;
import static dev.granary.log.backup.Logs.open;
import static dev.granary.log.backup.Logs.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import dev.granary.log.CrashDisk;
import dev.granary.log.LogFailedException;
import dev.granary.log.backup.Logs.ManualClock;
import dev.granary.log.backup.Logs.Told;
import dev.granary.testkit.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Flipped bits, missing files, full disks and disks that fail: found, reported, and contained. */
class BackupLogDamageTest {

    private static final int OTHER_ZONE = ZONE + 1;

    private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(5));

    private static ZoneSummary summary(BackupLog log, int zone) {
        return Objects.requireNonNull(log.zone(zone));
    }

    /** Two zones with some segments each, all of it synced. */
    private static Map<Long, String> fill(Disk disk) throws IOException {
        TreeMap<Long, String> expected = new TreeMap<>();
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 1)).join();
            log.openZone(header(OTHER_ZONE, 1)).join();
            for (long i = 1; i <= 600; i++) {
                String value = i + " " + "v".repeat((int) (i % 70));
                assertThat(log.append(put(ZONE, 1, i, NID | i % 200, value)).isHeld())
                        .isTrue();
                assertThat(log.append(put(OTHER_ZONE, 1, i, NID | i % 200, value))
                                .isHeld())
                        .isTrue();
                expected.put(NID | i % 200, value);
                if (i % 25 == 0) {
                    log.sync().join();
                }
            }
        }
        return expected;
    }

    @Test
    void replay_anyBitFlipped_isToldOrDoesNotMatter() throws IOException {
        Map<Long, String> expected = fill(disk.mount());
        int told = 0;
        for (int seed = 0; seed < 250; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SimulatedDisk flipped = new SimulatedDisk(random);
            flipped.copyFrom(disk);
            List<String> segments = flipped.fileNames().stream()
                    .filter(name -> name.startsWith("zone-"))
                    .toList();
            String file = segments.get(random.nextInt(segments.size()));
            flipped.flipBit(file, random.nextInt(flipped.content(file).length), random.nextInt(8));
            int hit = file.contains(ZoneHeader.hex(ZONE)) ? ZONE : OTHER_ZONE;
            try (BackupLog log = open(flipped.mount())) {
                Told intact = new Told();
                ReplayReport other = log.replay(hit == ZONE ? OTHER_ZONE : ZONE, Long.MAX_VALUE, intact);
                assertThat(other.isComplete()).as("neighbour, seed %d", seed).isTrue();
                assertThat(intact.chunks).isEqualTo(expected);

                Told damaged = new Told();
                ReplayReport report = log.replay(hit, Long.MAX_VALUE, damaged);
                boolean lostTail = summary(log, hit).lastSequence() < 600;
                if (report.isComplete() && !lostTail) {
                    assertThat(damaged.chunks).as("seed %d, %s", seed, file).isEqualTo(expected);
                } else {
                    told++;
                    assertThat(summary(log, hit).damage().isEmpty()).isEqualTo(lostTail && report.isComplete());
                    assertThat(damaged.chunks.size()).as("seed %d", seed).isGreaterThan(expected.size() / 4);
                }
                damaged.chunks.forEach((cid, value) -> assertThat(value).matches("\\d+ v*"));
            }
        }
        assertThat(told).isGreaterThan(150);
    }

    /**
     * Damages a copy before anything else is written to it: all batches of its base have one sequence,
     * which a copy that lost its end has as well.
     */
    @Test
    void replay_bitFlippedInWhatACopyWasFilledWith_isToldOrDoesNotMatter() throws IOException {
        TreeMap<Long, String> expected = new TreeMap<>();
        try (BackupLog log = open(disk.mount())) {
            log.openZone(filling(ZONE, 1, 10)).join();
            for (long i = 1; i <= 100; i++) {
                String value = i + " " + "v".repeat((int) (i % 70));
                log.appendBase(put(ZONE, 1, 10, NID | i, value));
                expected.put(NID | i, value);
                if (i % 40 == 0) {
                    log.sync().join();
                }
            }
            log.filled(ZONE, 0).join();
        }
        int told = 0;
        for (int seed = 0; seed < 250; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SimulatedDisk flipped = new SimulatedDisk(random);
            flipped.copyFrom(disk);
            List<String> segments = flipped.fileNames().stream()
                    .filter(name -> name.startsWith("zone-"))
                    .toList();
            String file = segments.get(random.nextInt(segments.size()));
            flipped.flipBit(file, random.nextInt(flipped.content(file).length), random.nextInt(8));
            try (BackupLog log = open(flipped.mount())) {
                Told left = new Told();
                ReplayReport report = log.replay(ZONE, Long.MAX_VALUE, left);
                assertThat(report.isComplete() && !left.chunks.equals(expected))
                        .as("lost and not told, seed %d, %s", seed, file)
                        .isFalse();
                told += report.isComplete() ? 0 : 1;
            }
        }
        assertThat(told).isGreaterThan(150);
    }

    @Test
    void replay_someReadsFail_saysWhatItHasNotTold() throws IOException {
        Map<Long, String> expected = fill(disk.mount());
        int complete = 0;
        for (int seed = 0; seed < 100; seed++) {
            SimulatedDisk failing = new SimulatedDisk(new SplittableRandom(seed));
            failing.copyFrom(disk);
            try (BackupLog log = open(failing.mount())) {
                failing.failReads(0.1);
                Told told = new Told();
                ReplayReport report = log.replay(ZONE, Long.MAX_VALUE, told);
                failing.disarm();
                if (report.isComplete()) {
                    complete++;
                    assertThat(told.chunks).as("seed %d", seed).isEqualTo(expected);
                } else {
                    assertThat(summary(log, ZONE).damage()).isNotEmpty();
                }
            }
        }
        assertThat(complete).isBetween(1, 99);
    }

    @Test
    void open_segmentMissing_isToldAndTheRestIsThere() throws IOException {
        fill(disk.mount());
        Disk mounted = disk.mount();
        String first = disk.fileNames().stream()
                .filter(name -> name.startsWith("zone-" + ZoneHeader.hex(ZONE)))
                .findFirst()
                .orElseThrow();
        mounted.delete(first);
        try (BackupLog log = open(mounted)) {
            assertThat(summary(log, ZONE).damage()).hasSize(1);
            assertThat(summary(log, ZONE).damage().getFirst().toString())
                    .contains(first)
                    .contains("missing");
            assertThat(summary(log, OTHER_ZONE).damage()).isEmpty();
            Told told = new Told();
            assertThat(log.replay(ZONE, Long.MAX_VALUE, told).isComplete()).isFalse();
            assertThat(told.chunks).isNotEmpty();
        }
    }

    @Test
    void open_powerLostAfterSegmentsWereBegun_isNoDamageAndLosesOnlyWhatWasNotSynced() throws IOException {
        int begun = 0;
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SimulatedDisk fragile = new SimulatedDisk(random);
            int synced = random.nextInt(40);
            int last = synced + random.nextInt(200);
            BackupLog writing = open(fragile.mount());
            writing.openZone(Logs.header(ZONE, 1)).join();
            for (int sequence = 1; sequence <= last; sequence++) {
                writing.append(Logs.put(ZONE, 1, sequence, Logs.NID | sequence, "x".repeat(200)));
                if (sequence == synced) {
                    writing.sync().join();
                }
            }
            begun += fragile.fileNames().stream().anyMatch(name -> name.startsWith("zone-")) ? 1 : 0;
            fragile.losePower();
            try (BackupLog log = open(fragile.mount())) {
                ZoneSummary after = summary(log, ZONE);
                assertThat(after.damage()).as("seed %d", seed).isEmpty();
                assertThat(after.lastSequence()).as("seed %d", seed).isBetween((long) synced, (long) last);
                Told told = new Told();
                assertThat(log.replay(ZONE, Long.MAX_VALUE, told).isComplete())
                        .as("seed %d", seed)
                        .isTrue();
                assertThat(told.chunks).as("seed %d", seed).hasSize((int) after.lastSequence());
            }
        }
        assertThat(begun).isGreaterThan(100);
    }

    @Test
    void open_primaryLogMissing_isToldForEveryZone() throws IOException {
        fill(disk.mount());
        Disk mounted = disk.mount();
        for (String name : disk.fileNames()) {
            if (name.startsWith("primary-")) {
                mounted.delete(name);
            }
        }
        try (BackupLog log = open(mounted)) {
            assertThat(log.zones()).allMatch(zone -> !zone.damage().isEmpty());
        }
    }

    @Test
    void append_diskFull_isRefusedUntilSpaceReturns() throws IOException {
        ManualClock clock = new ManualClock();
        Disk mounted = disk.mount();
        try (BackupLog log = BackupLog.open(mounted, BackupLogOptions.small(), clock, Runnable::run)) {
            log.openZone(header(ZONE, 1)).join();
            disk.setCapacity(60_000);
            long taken = 0;
            AppendResult result = AppendResult.APPENDED;
            for (long i = 1; i < 3000 && result.isHeld(); i++) {
                result = log.append(put(ZONE, 1, i, NID | i, "0123456789012345678901234567890123456789"));
                taken = result.isHeld() ? i : taken;
            }
            assertThat(result).isEqualTo(AppendResult.FULL);
            assertThat(log.statistics().full()).isTrue();
            assertThatThrownBy(() -> log.sync().join()).hasCauseInstanceOf(DiskFullException.class);
            assertThat(log.seal(ZONE, 1).handle((done, failure) -> failure).join())
                    .as("what is in memory only cannot be durable")
                    .isInstanceOf(DiskFullException.class);
            Told told = new Told();
            assertThat(log.replay(ZONE, Long.MAX_VALUE, told).isComplete()).isTrue();
            assertThat(told.chunks).hasSize((int) taken);

            disk.setCapacity(1 << 20);
            clock.nanos += 200_000_000;
            log.tick();
            assertThat(log.statistics().full()).isFalse();
            assertThat(log.append(put(ZONE, 1, taken + 1, NID, "more"))).isEqualTo(AppendResult.APPENDED);
            log.sync().join();
        }
        disk.losePower();
        try (BackupLog log = open(disk.mount())) {
            assertThat(summary(log, ZONE).damage()).isEmpty();
            Told told = new Told();
            assertThat(log.replay(ZONE, Long.MAX_VALUE, told).chunks())
                    .isEqualTo(summary(log, ZONE).lastSequence());
        }
    }

    @Test
    void tick_sealsAreRefusedAllTheTimeOnAFullDisk_seesThatThereIsRoomAgain() throws IOException {
        ManualClock clock = new ManualClock();
        try (BackupLog log = BackupLog.open(disk.mount(), BackupLogOptions.small(), clock, Runnable::run)) {
            log.openZone(header(ZONE, 1)).join();
            disk.setCapacity(60_000);
            for (long i = 1; i < 3000 && !log.statistics().full(); i++) {
                log.append(put(ZONE, 1, i, NID | i, "0123456789012345678901234567890123456789"));
            }
            assertThat(log.statistics().full()).isTrue();
            disk.setCapacity(1 << 20);
            for (int i = 0; i < 20; i++) {
                clock.nanos += 20_000_000;
                var _ = log.seal(ZONE, 1).handle((done, failure) -> failure);
                log.tick();
            }
            assertThat(log.statistics().full()).isFalse();
            assertThat(log.seal(ZONE, 1).join().status()).isEqualTo(ZoneResult.Status.DONE);
        }
    }

    @Test
    void seal_diskWasFullInTheMiddleOfAWrite_countsOnlyWhatIsInMemory() throws IOException {
        ManualClock clock = new ManualClock();
        Deque<Runnable> tasks = new ArrayDeque<>();
        try (BackupLog log = BackupLog.open(disk.mount(), BackupLogOptions.small(), clock, tasks::add)) {
            CompletableFuture<ZoneResult> opened = log.openZone(header(ZONE, 1));
            runAll(tasks);
            opened.join();
            for (long i = 1; i <= 60; i++) {
                log.append(put(ZONE, 1, i, NID | i, "v".repeat(1000)));
            }
            disk.setCapacity(disk.usedBytes() + 30_000);
            runAll(tasks);
            assertThat(log.statistics().full()).isTrue();
            disk.setCapacity(1 << 20);
            clock.nanos += 200_000_000;
            log.tick();
            runAll(tasks);
            assertThat(log.statistics().full()).isFalse();
            assertThat(log.statistics().pendingBytes()).isZero();

            disk.setCapacity(disk.usedBytes());
            CompletableFuture<ZoneResult> refused = log.openZone(header(OTHER_ZONE, 1));
            runAll(tasks);
            assertThat(refused).isCompletedExceptionally();
            CompletableFuture<ZoneResult> sealed = log.seal(ZONE, 2);
            runAll(tasks);
            assertThat(sealed).isCompletedWithValueMatching(result -> result.status() == ZoneResult.Status.DONE);
        }
    }

    @Test
    void sync_diskBecameFullAfterTheWrite_isDurable() throws IOException {
        long last = 100;
        BackupLog log = open(disk.mount());
        log.openZone(header(ZONE, 1)).join();
        for (long i = 1; i <= last; i++) {
            log.append(put(ZONE, 1, i, NID | i, "v".repeat(1000)));
        }
        while (log.statistics().pendingBytes() > 0 && !log.statistics().full()) {
            log.append(put(ZONE, 1, ++last, NID | last, "v".repeat(1000)));
        }
        disk.setCapacity(disk.usedBytes());
        assertThat(log.openZone(header(OTHER_ZONE, 1))).isCompletedExceptionally();
        assertThat(log.statistics().full()).isTrue();
        log.sync().join();
        disk.losePower();
        disk.setCapacity(1 << 20);
        try (BackupLog opened = open(disk.mount())) {
            assertThat(summary(opened, ZONE).damage()).isEmpty();
            Told told = new Told();
            opened.replay(ZONE, Long.MAX_VALUE, told);
            assertThat(told.chunks.size()).isEqualTo((int) last);
        }
    }

    private static void runAll(Deque<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void clean_diskFullOfDeadEntries_freesItself() throws IOException {
        ManualClock clock = new ManualClock();
        try (BackupLog log = BackupLog.open(disk.mount(), BackupLogOptions.small(), clock, Runnable::run)) {
            log.openZone(header(ZONE, 1)).join();
            disk.setCapacity(90_000);
            long refused = 0;
            for (long i = 1; i <= 5000; ) {
                // Ten chunks, overwritten again and again: without a cleaner the disk would be full for ever.
                AppendResult result =
                        log.append(put(ZONE, 1, i, NID | i % 10, "0123456789012345678901234567890123456789"));
                if (result.isHeld()) {
                    i++;
                } else {
                    refused++;
                    clock.nanos += 200_000_000;
                    Logs.acknowledge(log);
                    log.tick();
                    assertThat(refused).isLessThan(2000);
                }
            }
            assertThat(log.statistics().cleanedSegments()).isPositive();
        }
    }

    @Test
    void sync_failing_isFatalToTheLogAndSaid() throws IOException {
        CrashDisk failing = new CrashDisk();
        BackupLog log = open(failing);
        log.openZone(header(ZONE, 1)).join();
        log.append(put(ZONE, 1, 1, NID, "a"));
        failing.failSyncs(true);
        assertThatThrownBy(() -> log.sync().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LogFailedException.class);
        failing.failSyncs(false);
        assertThat(log.append(put(ZONE, 1, 2, NID, "b"))).isEqualTo(AppendResult.FAILED);
        assertThatThrownBy(() -> log.sync().join()).hasCauseInstanceOf(LogFailedException.class);
        assertThat(log.statistics().failed()).isTrue();
        assertThat(Logs.replay(log, ZONE).chunks).as("reads go on").hasSize(1);
        log.close();
    }

    @Test
    void replay_belowWhatTheCleanerKnew_isIncomplete() throws IOException {
        try (BackupLog log = open(disk.mount())) {
            log.openZone(header(ZONE, 1)).join();
            for (long i = 1; i <= 2000; i++) {
                log.append(put(ZONE, 1, i, NID | i % 5, "0123456789012345678901234567890123456789"));
            }
            log.sync().join();
            Logs.acknowledge(log);
            while (log.clean().join()) {
                // Until nothing is left to clean.
            }
            assertThat(log.statistics().cleanedSegments()).isPositive();
            assertThat(log.replay(ZONE, 2000, new Told()).isComplete()).isTrue();
            assertThat(log.replay(ZONE, 500, new Told()).isComplete()).isFalse();
        }
    }
}
