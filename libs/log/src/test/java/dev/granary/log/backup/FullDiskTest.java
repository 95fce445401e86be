package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static dev.granary.log.backup.Logs.header;
import static dev.granary.log.backup.Logs.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.backup.Logs.ManualClock;
import dev.granary.log.backup.Logs.Told;
import dev.granary.testkit.SimulatedDisk;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Disks that are full now and then, and processes that die at such a moment: what a log called durable is there. */
class FullDiskTest {

    private static final int SEEDS = 150;
    private static final int STEPS = 600;
    private static final int CHUNKS = 60;

    /** One log, what was appended to its zones, and how much of that the log has called durable. */
    private static final class Run {
        private final SplittableRandom random;
        private final SimulatedDisk disk;
        private final ManualClock clock = new ManualClock();
        private final long[] last = new long[2];
        private final long[] durable = new long[2];
        private BackupLog log;

        Run(long seed) throws IOException {
            random = new SplittableRandom(seed);
            disk = new SimulatedDisk(random.split());
            log = open();
            log.openZone(header(ZONE, 1)).join();
            log.openZone(header(ZONE + 1, 1)).join();
        }

        private BackupLog open() throws IOException {
            return BackupLog.open(disk.mount(), BackupLogOptions.small(), clock, Runnable::run);
        }

        void step() throws IOException {
            int choice = random.nextInt(100);
            if (choice < 70) {
                append(random.nextInt(2));
            } else if (choice < 80) {
                noteIfDurable(log.sync());
            } else if (choice < 84) {
                noteIfDurable(log.seal(ZONE + random.nextInt(2), 1));
            } else if (choice < 89) {
                disk.setCapacity(disk.usedBytes() + random.nextInt(12_000));
            } else if (choice < 94) {
                disk.setCapacity(Long.MAX_VALUE);
            } else if (choice < 97) {
                Logs.acknowledge(log);
                var _ = log.clean();
            } else if (choice < 98) {
                crash();
            }
            clock.nanos += random.nextLong(40_000_000);
            log.tick();
        }

        private void append(int zone) {
            long sequence = last[zone] + 1;
            String value = sequence + " " + "v".repeat(random.nextInt(1_200));
            if (log.append(put(ZONE + zone, 1, sequence, NID | 1 + sequence % CHUNKS, value))
                    .isHeld()) {
                last[zone] = sequence;
            }
        }

        private void noteIfDurable(CompletableFuture<?> asked) {
            if (!asked.isCompletedExceptionally()) {
                System.arraycopy(last, 0, durable, 0, last.length);
            }
        }

        private void crash() throws IOException {
            if (random.nextBoolean()) {
                disk.losePower();
            }
            disk.setCapacity(random.nextBoolean() ? Long.MAX_VALUE : disk.usedBytes() + random.nextInt(12_000));
            log = open();
            check();
        }

        void check() {
            for (int zone = 0; zone < last.length; zone++) {
                ZoneSummary found = Objects.requireNonNull(log.zone(ZONE + zone));
                assertThat(found.damage()).isEmpty();
                assertThat(found.lastSequence()).isBetween(durable[zone], last[zone]);
                last[zone] = found.lastSequence();
                Map<Long, Long> expected = new TreeMap<>();
                for (long sequence = 1; sequence <= last[zone]; sequence++) {
                    expected.put(NID | 1 + sequence % CHUNKS, sequence);
                }
                Told told = new Told();
                log.replay(ZONE + zone, Long.MAX_VALUE, told);
                assertThat(told.versions).isEqualTo(expected);
            }
        }
    }

    @Test
    void append_diskFullNowAndThen_keepsWhatItSaidToBeDurable() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                Run run = new Run(seed);
                for (int step = 0; step < STEPS; step++) {
                    run.step();
                }
                run.disk.setCapacity(Long.MAX_VALUE);
                run.clock.nanos += 1_000_000_000;
                run.log.tick();
                assertThat(run.log.statistics().full()).isFalse();
                run.log.sync().join();
                run.check();
                run.log.close();
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }
}
