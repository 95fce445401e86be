package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static dev.granary.log.backup.Logs.delete;
import static dev.granary.log.backup.Logs.filling;
import static dev.granary.log.backup.Logs.header;
import static dev.granary.log.backup.Logs.open;
import static dev.granary.log.backup.Logs.put;
import static dev.granary.log.backup.Logs.replay;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.granary.env.Clock;
import dev.granary.log.CrashDisk;
import dev.granary.log.backup.Logs.Told;
import dev.granary.log.batch.BatchWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class BackupLogTest {

    private final CrashDisk disk = new CrashDisk();

    private static ZoneSummary summary(BackupLog log) {
        return Objects.requireNonNull(log.zone(ZONE));
    }

    @Test
    void append_inOrder_isReplayedAlsoAfterARestart() throws IOException {
        try (BackupLog log = open(disk)) {
            assertThat(log.openZone(header(ZONE, 1)).join().isDone()).isTrue();
            assertThat(log.append(put(ZONE, 1, 1, NID | 5, "five"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.append(put(ZONE, 1, 2, NID | 6, "six"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.append(put(ZONE, 1, 3, NID | 5, "FIVE"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.append(delete(ZONE, 1, 4, NID | 6))).isEqualTo(AppendResult.APPENDED);
            assertThat(replay(log, ZONE).chunks).containsOnly(entry(NID | 5, "FIVE"));
            assertThat(summary(log))
                    .extracting(ZoneSummary::continuous, ZoneSummary::filled)
                    .containsExactly(true, true);
        }
        try (BackupLog log = open(disk)) {
            assertThat(replay(log, ZONE).chunks).containsOnly(entry(NID | 5, "FIVE"));
            ZoneSummary zone = log.zones().getFirst();
            assertThat(zone.lastSequence()).isEqualTo(4);
            assertThat(zone.continuous()).isFalse();
            log.trustWhatWasFound();
            assertThat(summary(log).continuous()).isTrue();
            assertThat(zone.members()).containsExactly(3, 5, 6);
            assertThat(zone.clusterId()).isEqualTo(Logs.CLUSTER);
            assertThat(log.append(put(ZONE, 1, 5, NID | 7, "seven"))).isEqualTo(AppendResult.APPENDED);
        }
    }

    @Test
    void openZone_ofManyZonesAtOnce_sharesOneSync() throws IOException {
        ArrayDeque<Runnable> work = new ArrayDeque<>();
        List<CompletableFuture<ZoneResult>> opened = new ArrayList<>();
        try (BackupLog log = BackupLog.open(disk, BackupLogOptions.small(), new Logs.ManualClock(), work::add)) {
            int before = disk.operations();
            for (int i = 0; i < 100; i++) {
                opened.add(log.openZone(header(ZONE + i, 1)));
            }
            work.remove().run();
            assertThat(disk.operations() - before)
                    .as("an append to the table for each, and few syncs")
                    .isLessThan(110);
            assertThat(opened).allMatch(each -> each.join().isDone());
            assertThat(log.append(put(ZONE + 99, 1, 1, NID | 5, "five"))).isEqualTo(AppendResult.APPENDED);
        }
        try (BackupLog log = open(disk)) {
            assertThat(log.zoneCount()).isEqualTo(100);
        }
    }

    @Test
    void openZone_togetherWithASealOfTheZone_isSealed() throws IOException {
        ArrayDeque<Runnable> work = new ArrayDeque<>();
        try (BackupLog log = BackupLog.open(disk, BackupLogOptions.small(), new Logs.ManualClock(), work::add)) {
            CompletableFuture<ZoneResult> opened = log.openZone(header(ZONE, 1));
            CompletableFuture<ZoneResult> sealed = log.seal(ZONE, 4);
            work.remove().run();
            assertThat(opened.join().isDone()).isTrue();
            assertThat(sealed.join().epoch()).isEqualTo(4);
            assertThat(log.openZone(header(ZONE + 1, 1))).isNotDone();
            assertThat(log.append(put(ZONE + 1, 1, 1, NID | 5, "five")))
                    .as("nothing is taken before the zone is durable")
                    .isEqualTo(AppendResult.UNKNOWN_ZONE);
        }
    }

    @Test
    void openZone_withWhatARecoveryHasDecided_isContinuousThoughFoundOnTheDisk() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 1)).join();
            log.append(put(ZONE, 1, 1, NID, "a"));
            log.append(put(ZONE, 1, 2, NID, "b"));
        }
        try (BackupLog log = open(disk)) {
            log.openZone(opening(2, 2)).join();
            assertThat(summary(log).continuous())
                    .as("no recovery: its owner counts on what this process does not know")
                    .isFalse();
            log.seal(ZONE, 3).join();
            log.openZone(opening(3, 3)).join();
            assertThat(summary(log).continuous()).as("a change is missing here").isFalse();
            log.seal(ZONE, 4).join();
            log.openZone(opening(4, 2)).join();
            assertThat(summary(log).continuous()).isTrue();
            assertThat(log.append(put(ZONE, 4, 3, NID, "c"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.seal(ZONE, 5).join().continuous()).isTrue();
        }
        try (BackupLog log = open(disk)) {
            assertThat(summary(log).continuous()).isFalse();
        }
    }

    private static ZoneHeader opening(long epoch, long baseSequence) {
        ZoneHeader first = header(ZONE, epoch);
        return new ZoneHeader(
                first.clusterId(), first.zone(), first.owner(), epoch, first.members(), baseSequence, false);
    }

    @Test
    void append_duplicateGapUnknownBroken_areTold() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 1)).join();
            log.append(put(ZONE, 1, 1, NID, "a"));
            assertThat(log.append(put(ZONE, 1, 1, NID, "a"))).isEqualTo(AppendResult.DUPLICATE);
            assertThat(log.append(put(ZONE, 1, 3, NID, "a"))).isEqualTo(new AppendResult(AppendResult.Status.GAP, 2));
            assertThat(log.append(put(ZONE + 1, 1, 1, NID, "a"))).isEqualTo(AppendResult.UNKNOWN_ZONE);
            assertThat(log.append(put(ZONE, 2, 2, NID, "a"))).isEqualTo(AppendResult.UNKNOWN_ZONE);
            ByteBuffer broken = put(ZONE, 1, 2, NID, "a");
            broken.put(broken.limit() - 1, (byte) 'b');
            assertThat(log.append(broken)).isEqualTo(AppendResult.BROKEN);
            ByteBuffer torn = put(ZONE, 1, 2, NID, "a");
            assertThat(log.append(torn.limit(torn.limit() - 1))).isEqualTo(AppendResult.BROKEN);
            assertThat(summary(log).lastSequence()).isEqualTo(1);
        }
    }

    @Test
    void seal_lowerEpochs_areRefusedAlsoAfterARestart() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 3)).join();
            log.append(put(ZONE, 3, 1, NID, "a"));
            ZoneResult sealed = log.seal(ZONE, 5).join();
            assertThat(sealed).isEqualTo(new ZoneResult(ZoneResult.Status.DONE, 5, 1, true, true));
            assertThat(log.append(put(ZONE, 3, 2, NID, "b")))
                    .isEqualTo(new AppendResult(AppendResult.Status.FENCED, 5));
        }
        try (BackupLog log = open(disk)) {
            assertThat(log.append(put(ZONE, 3, 2, NID, "b")).status()).isEqualTo(AppendResult.Status.FENCED);
            assertThat(log.openZone(header(ZONE, 4)).join().status()).isEqualTo(ZoneResult.Status.FENCED);
            assertThat(log.seal(ZONE, 4).join().status()).isEqualTo(ZoneResult.Status.FENCED);
            assertThat(log.openZone(header(ZONE, 5)).join().isDone()).isTrue();
            assertThat(log.append(put(ZONE, 5, 2, NID, "c"))).isEqualTo(AppendResult.APPENDED);
        }
    }

    @Test
    void openZone_filling_startsAnewAndKeepsTheSeal() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 1)).join();
            log.append(put(ZONE, 1, 1, NID | 1, "old"));
            log.seal(ZONE, 2).join();
            assertThat(log.openZone(filling(ZONE, 2, 10)).join().isDone()).isTrue();
            assertThat(log.append(put(ZONE, 2, 11, NID | 2, "live"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.appendBase(put(ZONE, 2, 10, NID | 2, "base"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.appendBase(put(ZONE, 2, 10, NID | 3, "base"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.appendBase(put(ZONE, 2, 10, NID | 3, "base"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.appendBase(put(ZONE, 2, 9, NID | 3, "base")).status())
                    .isEqualTo(AppendResult.Status.GAP);
            assertThat(log.openZone(filling(ZONE, 2, 10)).join().isDone())
                    .as("sent twice")
                    .isTrue();
            assertThat(summary(log).filled()).isFalse();
            assertThat(log.filled(ZONE, 10).join().filled()).isTrue();
        }
        try (BackupLog log = open(disk)) {
            Told told = replay(log, ZONE);
            assertThat(told.chunks).containsOnly(entry(NID | 2, "live"), entry(NID | 3, "base"));
            assertThat(summary(log).filled()).isTrue();
            assertThat(summary(log).sealedEpoch()).isEqualTo(2);
        }
    }

    /** All that a copy was filled with has one sequence, older changes included. */
    @Test
    void replay_belowWhatTheCopyWasFilledWith_isIncomplete() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(filling(ZONE, 1, 10)).join();
            assertThat(log.appendBase(put(ZONE, 1, 10, NID | 3, "base"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.filled(ZONE, 10).join().filled()).isTrue();
            assertThat(log.append(put(ZONE, 1, 11, NID | 4, "live"))).isEqualTo(AppendResult.APPENDED);

            assertThat(log.replay(ZONE, 9, new Told()).isComplete()).isFalse();
            assertThat(log.replay(ZONE, 10, new Told()).isComplete()).isTrue();
        }
    }

    /** ADR 0253. */
    @Test
    void filled_baseHasLaterChanges_theCopyIsWholeFromThoseOnlyAndCannotBeCutBelow() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(filling(ZONE, 1, 10)).join();
            assertThat(log.append(put(ZONE, 1, 11, NID | 4, "first"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.append(put(ZONE, 1, 12, NID | 3, "later"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.appendBase(put(ZONE, 1, 10, NID | 3, "later"))).isEqualTo(AppendResult.APPENDED);
            assertThat(log.filled(ZONE, 12).join().filled()).isTrue();
            assertThat(summary(log).baseSequence()).isEqualTo(12);
            assertThat(log.openZone(filling(ZONE, 1, 10)).join().filled())
                    .as("the opening comes again, late")
                    .isTrue();
        }
        try (BackupLog log = open(disk)) {
            assertThat(summary(log).baseSequence()).isEqualTo(12);
            assertThat(summary(log).lastSequence()).isEqualTo(12);
            assertThat(log.replay(ZONE, 11, new Told()).isComplete()).isFalse();
            assertThat(log.replay(ZONE, 12, new Told()).isComplete()).isTrue();
            assertThat(replay(log, ZONE).chunks).containsOnly(entry(NID | 3, "later"), entry(NID | 4, "first"));
        }
    }

    @Test
    void truncateAfter_tailInMemoryAndOnDisk_neverReturns() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 1)).join();
            log.append(put(ZONE, 1, 1, NID | 1, "one"));
            log.append(put(ZONE, 1, 2, NID | 1, "two"));
            log.sync().join();
            log.append(put(ZONE, 1, 3, NID | 1, "three"));
            assertThat(log.truncateAfter(ZONE, 1).join().lastSequence()).isEqualTo(1);
            log.openZone(header(ZONE, 2)).join();
            assertThat(log.append(put(ZONE, 2, 2, NID | 9, "TWO"))).isEqualTo(AppendResult.APPENDED);
        }
        try (BackupLog log = open(disk)) {
            assertThat(replay(log, ZONE).chunks).containsOnly(entry(NID | 1, "one"), entry(NID | 9, "TWO"));
            assertThat(summary(log).lastSequence()).isEqualTo(2);
        }
    }

    @Test
    void dropZone_thenRestart_leavesNothing() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 1)).join();
            log.append(put(ZONE, 1, 1, NID | 1, "one"));
            log.sync().join();
            assertThat(log.dropZone(ZONE).join().isDone()).isTrue();
            assertThat(log.append(put(ZONE, 1, 2, NID | 1, "one"))).isEqualTo(AppendResult.UNKNOWN_ZONE);
        }
        try (BackupLog log = open(disk)) {
            assertThat(log.zones()).isEmpty();
            assertThat(disk.list()).noneMatch(name -> name.endsWith(".seg"));
            assertThatThrownBy(() -> replay(log, ZONE)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void requests_aboveWhatTheClientAcknowledged_areTold() throws IOException {
        try (BackupLog log = open(disk)) {
            log.openZone(header(ZONE, 1)).join();
            BatchWriter writer = new BatchWriter();
            for (int i = 1; i <= 4; i++) {
                writer.start(ZONE, 1, i);
                writer.request(77, i, Math.max(0, i - 2), ("answer " + i).getBytes(UTF_8));
                writer.token(NID | 3, 100 + i);
                assertThat(log.append(writer.finish())).isEqualTo(AppendResult.APPENDED);
            }
            Told told = replay(log, ZONE);
            assertThat(told.requests.keySet()).containsExactly("77/3", "77/4");
            assertThat(told.requests).containsEntry("77/4", "answer 4");
            assertThat(told.tokens).containsEntry(NID | 3, 104L);
        }
    }

    @Test
    void sync_powerLossAnyTime_keepsWhatWasSyncedInOrder() throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            CrashDisk crashing = new CrashDisk();
            long synced = 0;
            BackupLog log = open(crashing);
            log.openZone(header(ZONE, 1)).join();
            crashing.losePowerBefore(random.nextInt(60));
            try {
                for (long i = 1; i < 400; i++) {
                    log.append(put(ZONE, 1, i, NID | i % 10, "v" + i));
                    if (random.nextInt(8) == 0) {
                        log.sync().join();
                        synced = i;
                    }
                }
            } catch (CrashDisk.PowerLoss | CompletionException e) {
                // The machine is off.
            }
            crashing.restart(random);
            try (BackupLog again = open(crashing)) {
                long last = summary(again).lastSequence();
                assertThat(last).as("seed %d", seed).isGreaterThanOrEqualTo(synced);
                Told told = replay(again, ZONE);
                for (long i = Math.max(1, last - 9); i <= last; i++) {
                    assertThat(told.chunks).as("seed %d", seed).containsEntry(NID | i % 10, "v" + i);
                }
                assertThat(summary(again).damage()).as("seed %d", seed).isEmpty();
                assertThat(again.append(put(ZONE, 1, last + 1, NID | 1, "next")))
                        .isEqualTo(AppendResult.APPENDED);
            }
        }
    }

    @Test
    void sync_withoutMemory_failsTheLogAndEverybodyWhoWaits() throws IOException {
        boolean[] exhausted = {false};
        Clock clock = new Logs.ManualClock() {
            @Override
            public long nanoTime() {
                if (exhausted[0]) {
                    throw new OutOfMemoryError("as if");
                }
                return super.nanoTime();
            }
        };
        try (BackupLog log = BackupLog.open(disk, BackupLogOptions.small(), clock, Runnable::run)) {
            log.openZone(header(ZONE, 1)).join();
            exhausted[0] = true;

            assertThat(log.sync()).isCompletedExceptionally();
            assertThat(log.hasFailed()).isTrue();
            assertThat(log.clean()).isCompletedWithValue(false);
            assertThat(log.append(put(ZONE, 1, 1, NID | 1, "late"))).isEqualTo(AppendResult.FAILED);
        }
    }
}
