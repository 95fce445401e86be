package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults other than crashes, each under load; {@code -Dgranary.faults.rounds=15} repeats them in turn. */
@Tag(Tags.ALONE)
class FaultsUnderLoadTest {

    private static final int ROUNDS = Integer.getInteger("granary.faults.rounds", 1);
    private static final int DISK_MEBIBYTES = 128;

    /** With 1 write a second a sync took 9 to 13 s under load, longer than clients wait. */
    private static final int WRITES_PER_SECOND = 6;

    private static final long SLOW_MILLIS = 300;
    private static final int STEP_MILLIS = 250;
    private static final int STEPS = FaultRun.FAULT_SECONDS * 1000 / STEP_MILLIS;
    private static final String PEER = "storage-1";

    @Test
    @Tag(Tags.LONG)
    void diskOfAStoragePeer_syncsSlowly_clientsSeeNothingWrongAndWriteOn() throws Exception {
        try (ThrottledDisk disk = ThrottledDisk.make(DISK_MEBIBYTES);
                FaultRun run = FaultRun.start(PEER, disk.directory())) {
            for (int i = 0; i < ROUNDS; i++) {
                String fault = "slow disk of " + PEER;
                run.note(fault);
                disk.limitWrites(WRITES_PER_SECOND);
                try {
                    run.workFor(FaultRun.FAULT_SECONDS);
                    assertThat(disk.syncMillis()).as("a sync").isGreaterThan(SLOW_MILLIS);
                } finally {
                    disk.unlimit();
                }
                run.assertWritesGoOn(fault);
            }
            run.assertAllRight();
        }
    }

    @Test
    @Tag(Tags.LONG)
    void diskOfAStoragePeer_isFullAndHasRoomAgain_clientsSeeNothingWrongAndWriteOn() throws Exception {
        try (LoopDisk disk = LoopDisk.make(DISK_MEBIBYTES);
                FaultRun run = FaultRun.start(PEER, disk.directory())) {
            for (int i = 0; i < ROUNDS; i++) {
                String fault = "full disk of " + PEER;
                run.note(fault);
                boolean noticed = false;
                try {
                    // Fills the disk repeatedly, to take also the space that the storage peer frees.
                    for (int step = 0; step < STEPS; step++) {
                        disk.fill();
                        TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
                        noticed |= run.cluster().get(PEER, "/metrics").body().contains("granary_backup_full 1");
                    }
                } finally {
                    disk.free();
                }
                assertThat(noticed).as("whether %s found its disk full", PEER).isTrue();
                run.assertWritesGoOn(fault);
            }
            run.assertAllRight();
        }
    }

    @Test
    @Tag(Tags.LONG)
    void nodes_standStillLongerThanALease_serveNothingOldAndClientsWriteOn() throws Exception {
        try (FaultRun run = FaultRun.start();
                IdleReader reader = IdleReader.connect(run.cluster(), PEER)) {
            for (int i = 0; i < ROUNDS; i++) {
                standStill(run, reader);
                standStill(run, "super-peer-" + i % FaultRun.SUPER_PEERS);
            }
            run.assertAllRight();
        }
    }

    private static void standStill(FaultRun run, IdleReader reader) throws InterruptedException {
        String fault = PEER + " stands still";
        run.note(fault);
        reader.prepare();
        run.cluster().pause(PEER);
        try {
            run.workFor(FaultRun.FAULT_SECONDS);
            reader.change();
            reader.ask();
        } finally {
            run.cluster().resume(PEER);
        }
        reader.assertAnswersAreNew();
        run.assertWritesGoOn(fault);
    }

    private static void standStill(FaultRun run, String superPeer) {
        String fault = superPeer + " stands still";
        run.note(fault);
        run.cluster().pause(superPeer);
        try {
            run.workFor(FaultRun.FAULT_SECONDS);
        } finally {
            run.cluster().resume(superPeer);
        }
        run.assertWritesGoOn(fault);
    }

    @Test
    @Tag(Tags.LONG)
    void connections_areResetAgainAndAgain_clientsSeeNothingWrongAndWriteOn() throws Exception {
        try (FaultRun run = FaultRun.start()) {
            Set<Long> client = Set.of(ProcessHandle.current().pid());
            Set<Long> nodes =
                    run.cluster().processes().stream().map(ProcessHandle::pid).collect(Collectors.toSet());
            for (int i = 0; i < ROUNDS; i++) {
                resetAgainAndAgain(run, "resets between client and nodes", client);
                resetAgainAndAgain(run, "resets among nodes", nodes);
            }
            run.assertAllRight();
        }
    }

    private static void resetAgainAndAgain(FaultRun run, String fault, Set<Long> pids)
            throws IOException, InterruptedException {
        run.note(fault);
        int reset = 0;
        for (int step = 0; step < STEPS / 2; step++) {
            List<Connection> connections = Connection.opened(pids, run.cluster().ports());
            Connection.reset(connections);
            reset += connections.size();
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        }
        System.out.printf("%s: %d connections%n", fault, reset);
        assertThat(reset).isGreaterThan(STEPS);
        run.assertWritesGoOn(fault);
    }
}
