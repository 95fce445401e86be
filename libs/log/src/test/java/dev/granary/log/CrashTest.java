package dev.granary.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Power is lost at every operation, and at random ones. */
class CrashTest {

    private static final int ROUNDS = 1_500;

    @Test
    void powerLoss_atEveryOperationOfACompaction_losesNothing() throws IOException {
        int operations = workload(new CrashDisk(), Integer.MAX_VALUE, new ArrayList<>());
        assertThat(operations).isGreaterThan(12);
        for (int stop = 0; stop < operations; stop++) {
            for (int tear = 0; tear < 8; tear++) {
                CrashDisk disk = new CrashDisk();
                List<String> acknowledged = new ArrayList<>();
                int done = workload(disk, stop, acknowledged);
                assertThat(done).isEqualTo(stop);
                disk.restart(new SplittableRandom(31L * stop + tear));
                // The one command that was under way may or may not be there.
                assertThat(Replayed.from(disk))
                        .as("power lost before operation %d, tear %d", stop, tear)
                        .startsWith(acknowledged.toArray(String[]::new))
                        .hasSizeBetween(acknowledged.size(), acknowledged.size() + 1);
                assertThat(disk.list()).hasSizeLessThanOrEqualTo(2);
            }
        }
    }

    /** Appends, compacts, appends, compacts; returns the number of operations until the power was lost. */
    private static int workload(CrashDisk disk, int stopBefore, List<String> acknowledged) throws IOException {
        disk.losePowerBefore(stopBefore);
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            Replayed.of(log);
            for (int i = 0; i < 6; i++) {
                String command = "command-" + i;
                log.appendAndSync(command.getBytes(UTF_8));
                acknowledged.add(command);
                if (i % 3 == 1) {
                    log.snapshot(Replayed.state(acknowledged));
                }
            }
        } catch (CrashDisk.PowerLoss e) {
            return disk.operations();
        }
        return disk.operations();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomCrashes_anyHistory_keepAllSyncedAndInventNothing(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        CrashDisk disk = new CrashDisk();
        List<String> appended = new ArrayList<>();
        int synced = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String at = "seed %d round %d".formatted(seed, round);
            try (RecordLog log = RecordLog.open(disk, "arc")) {
                List<String> survived = Replayed.of(log).commands();
                assertThat(survived).as(at).hasSizeGreaterThanOrEqualTo(synced);
                assertThat(survived).as(at).isEqualTo(appended.subList(0, survived.size()));
                assertThat(log.lastSequence()).as(at).isEqualTo(survived.size());
                appended = survived;
                synced = survived.size();
                disk.losePowerBefore(random.nextInt(25));
                while (true) {
                    switch (random.nextInt(10)) {
                        case 0 -> {
                            log.snapshot(Replayed.state(appended));
                            synced = appended.size();
                        }
                        case 1, 2 -> {
                            log.sync();
                            synced = appended.size();
                        }
                        default -> {
                            String command =
                                    "%d.%d:%s".formatted(round, appended.size(), "x".repeat(random.nextInt(60)));
                            appended.add(command);
                            log.append(command.getBytes(UTF_8));
                        }
                    }
                }
            } catch (CrashDisk.PowerLoss e) {
                disk.restart(random);
            }
            if (appended.size() > 200) {
                disk = new CrashDisk();
                appended = new ArrayList<>();
                synced = 0;
            }
        }
    }
}
