package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.BatchWriter;
import dev.granary.testkit.SimulatedDisk;
import java.io.IOException;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the cleaner promises: bounded space, bounded writing, and that tombstones stay as long as they are needed. */
class CleanerTest {

    private static final int CHUNKS = 4_000;
    private static final int BATCH = 20;
    private static final byte[] CONTENT = new byte[256];

    private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
    private final SplittableRandom random = new SplittableRandom(2);
    private final BatchWriter writer = new BatchWriter();
    private long sequence;

    private interface Order {
        long lid(int update);
    }

    private void update(BackupLog log, int updates, Order order) {
        for (int done = 0; done < updates; done += BATCH) {
            writer.start(ZONE, 1, ++sequence);
            for (int i = 0; i < BATCH; i++) {
                // Distinct within a batch: the last digit in base twenty is the place in the batch.
                long lid = order.lid(done + i) / BATCH * BATCH + i;
                writer.chunk(NID | lid, CONTENT, 0, random.nextInt(32, 257));
            }
            assertThat(log.append(writer.finish())).isEqualTo(AppendResult.APPENDED);
            clean(log);
        }
        log.sync().join();
        clean(log);
    }

    private static void clean(BackupLog log) {
        Logs.acknowledge(log);
        while (log.clean().join()) {
            // Until there is nothing to clean.
        }
    }

    @Test
    void clean_notAllMembersHaveTheNewerEntries_waitsSoThatACutLeavesEverything() throws IOException {
        try (BackupLog log = Logs.open(disk.mount(), BackupLogOptions.small())) {
            log.openZone(Logs.header(ZONE, 1)).join();
            for (long i = 1; i <= 2_000; i++) {
                log.append(Logs.put(ZONE, 1, i, NID | i % 5, "what chunk " + i % 5 + " has after change " + i));
            }
            log.sync().join();
            log.acknowledged(ZONE, 1, 5);
            log.acknowledged(ZONE, 2, 2_000);
            assertThat(log.clean().join()).as("of another epoch").isFalse();
            assertThat(log.statistics().cleanedSegments()).isZero();
            assertThat(log.isTickNeeded()).isFalse();

            log.truncateAfter(ZONE, 5).join();
            assertThat(log.zones().getFirst().damage()).isEmpty();
            assertThat(Logs.replay(log, ZONE).chunks).hasSize(5);
        }
    }

    @Test
    void acknowledged_theCleanerWaitsForIt_hasItGoOn() throws IOException {
        try (BackupLog log = Logs.open(disk.mount(), BackupLogOptions.small())) {
            log.openZone(Logs.header(ZONE, 1)).join();
            for (long i = 1; i <= 2_000; i++) {
                log.append(Logs.put(ZONE, 1, i, NID | i % 5, "what chunk " + i % 5 + " has after change " + i));
            }
            log.sync().join();
            assertThat(log.clean().join()).isFalse();
            assertThat(log.isTickNeeded()).isFalse();

            log.acknowledged(ZONE, 1, 2_000);
            assertThat(log.isTickNeeded()).isTrue();
            log.tick();
            assertThat(log.statistics().cleanedSegments()).isPositive();
        }
    }

    static Stream<Arguments> utilisations() {
        return Stream.of(
                Arguments.of(50, false, 2.2),
                Arguments.of(50, true, 2.2),
                Arguments.of(70, false, 2.5),
                Arguments.of(70, true, 2.5),
                Arguments.of(80, false, 3.0),
                Arguments.of(80, true, 3.0),
                Arguments.of(90, false, 6.0),
                Arguments.of(90, true, 6.0));
    }

    @ParameterizedTest
    @MethodSource("utilisations")
    void clean_overwritesAtAUtilisation_boundsSpaceAndWriting(int percent, boolean skewed, double amplification)
            throws IOException {
        BackupLogOptions options = BackupLogOptions.small().withUtilisationPercent(percent);
        try (BackupLog log = Logs.open(disk.mount(), options)) {
            log.openZone(Logs.header(ZONE, 1)).join();
            update(log, CHUNKS, update -> update);
            LogStatistics before = log.statistics();
            // A tenth of the chunks gets nine tenths of the updates, or all get as many.
            update(log, 4 * CHUNKS, update -> random.nextInt(skewed && random.nextInt(10) > 0 ? CHUNKS / 10 : CHUNKS));
            LogStatistics after = log.statistics();
            ZoneSummary zone = Objects.requireNonNull(log.zone(ZONE));
            long allowed = zone.liveBytes() * 100 / percent + 2L * options.segmentBytes() + options.directBytes();
            assertThat(zone.usedBytes()).isLessThanOrEqualTo(allowed);
            assertThat(log.replay(ZONE, Long.MAX_VALUE, new Logs.Told()).chunks())
                    .isEqualTo(CHUNKS);
            double updates = after.secondaryBytes() - (double) before.secondaryBytes();
            double cleaned = after.cleanedBytes() - (double) before.cleanedBytes();
            assertThat((updates + cleaned) / updates).isLessThanOrEqualTo(amplification);
            assertThat(cleaned).isPositive();
        }
    }

    @Test
    void clean_tombstoneWithAnOldEntryElsewhere_keepsItUntilThatIsGone() throws IOException {
        SimulatedDisk.Mount mount = disk.mount();
        try (BackupLog log = Logs.open(mount)) {
            log.openZone(Logs.header(ZONE, 1)).join();
            // Old segments in which next to everything stays live: they are not worth cleaning.
            update(log, CHUNKS, update -> update);
            for (long lid = 0; lid < CHUNKS; lid += 100) {
                assertThat(log.append(Logs.delete(ZONE, 1, ++sequence, NID | lid))
                                .isHeld())
                        .isTrue();
            }
            // New segments, full of overwrites and the tombstones: these are worth cleaning.
            update(log, 3 * CHUNKS, update -> CHUNKS + random.nextInt(200));
            assertThat(log.statistics().cleanedSegments()).isPositive();
        }
        try (BackupLog log = Logs.open(disk.mount())) {
            Logs.Told told = Logs.replay(log, ZONE);
            for (long lid = 0; lid < CHUNKS; lid += 100) {
                assertThat(told.chunks).doesNotContainKey(NID | lid);
            }
            assertThat(told.chunks).hasSizeGreaterThanOrEqualTo(CHUNKS - CHUNKS / 100);
        }
    }

    @Test
    void clean_everythingDeleted_dropsTheTombstonesWithTheChunks() throws IOException {
        try (BackupLog log = Logs.open(disk.mount())) {
            log.openZone(Logs.header(ZONE, 1)).join();
            update(log, CHUNKS, update -> update);
            for (long lid = 0; lid < CHUNKS; lid++) {
                assertThat(log.append(Logs.delete(ZONE, 1, ++sequence, NID | lid))
                                .isHeld())
                        .isTrue();
            }
            update(log, 4 * CHUNKS, update -> CHUNKS + random.nextInt(100));
            assertThat(Objects.requireNonNull(log.zone(ZONE)).usedBytes()).isLessThan(80_000);
            assertThat(Logs.replay(log, ZONE).chunks).hasSizeLessThanOrEqualTo(120);
        }
    }

    /** After a restart the log reads segments before it drops them; otherwise it knows what they held. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clean_overwrittenInTurns_writesNothingAgainAndStillCountsEntries(boolean restarted) throws IOException {
        int chunks = CHUNKS / 10;
        BackupLog log = Logs.open(disk.mount());
        try {
            log.openZone(Logs.header(ZONE, 1)).join();
            update(log, 6 * chunks, update -> update % chunks);
            if (restarted) {
                log.close();
                log = Logs.open(disk.mount());
            }
            update(log, 6 * chunks, update -> update % chunks);
            assertThat(log.statistics().cleanedSegments()).isGreaterThan(10);
            assertThat(log.statistics().cleanedBytes()).isZero();

            for (long lid = 0; lid < chunks; lid++) {
                log.append(Logs.delete(ZONE, 1, ++sequence, NID | lid));
            }
            // A tombstone goes only if no entry counts any more that was dropped without being written again.
            update(log, CHUNKS, update -> CHUNKS + random.nextInt(20));
            assertThat(Objects.requireNonNull(log.zone(ZONE)).liveBytes()).isLessThan(4_000);
            assertThat(Logs.replay(log, ZONE).chunks).hasSize(20);
        } finally {
            log.close();
        }
    }

    @Test
    void clean_deadSegmentWithACompletionThatNobodyHasAcknowledged_keepsThat() throws IOException {
        try (BackupLog log = Logs.open(disk.mount())) {
            log.openZone(Logs.header(ZONE, 1)).join();
            writer.start(ZONE, 1, ++sequence);
            writer.request(77, 5, 4, new byte[] {'o', 'k'});
            writer.token(NID | 3, 9);
            assertThat(log.append(writer.finish())).isEqualTo(AppendResult.APPENDED);
            update(log, 6 * CHUNKS / 10, update -> update % (CHUNKS / 10));
            assertThat(log.statistics().cleanedSegments()).isGreaterThan(10);

            Logs.Told told = Logs.replay(log, ZONE);
            assertThat(told.requests).containsEntry("77/5", "ok");
            assertThat(told.tokens).containsEntry(NID | 3, 9L);
        }
    }
}
