package dev.granary.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a process sees of a disk that is slow. */
class DiskThreadTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final Simulation simulation = new Simulation(1);
    private final SimulatedNode node = simulation.node("a");
    private final List<String> seen = new ArrayList<>();

    @Test
    void sync_onTheDiskThread_takesTimeInWhichTheRestGoesOn() {
        node.disk().setSyncTime(100 * MILLI, 100 * MILLI + 1);
        node.start(world -> {
            world.diskThread().execute(() -> write(world, "first"));
            world.diskThread().execute(() -> write(world, "second"));
            world.environment().scheduler().schedule(50 * MILLI, () -> see("other"));
            world.environment().scheduler().schedule(150 * MILLI, () -> see("other"));
        });
        simulation.runFor(SECOND);
        assertThat(seen).containsExactly("other 50", "first 100", "other 150", "second 200");
        assertThat(node.disk().slowSyncs()).isEqualTo(2);
    }

    @Test
    void sync_onAnotherThread_holdsUpTheProcess() {
        node.disk().setSyncTime(100 * MILLI, 100 * MILLI + 1);
        node.start(world -> {
            world.environment().scheduler().schedule(50 * MILLI, () -> see("other"));
            long before = world.environment().clock().nanoTime();
            write(world, "first");
            assertThat(world.environment().clock().nanoTime() - before).isEqualTo(100 * MILLI);
        });
        simulation.runFor(SECOND);
        assertThat(seen).containsExactly("first 0", "other 100");
    }

    @Test
    void sync_diskIsGoodAgain_takesNoTime() {
        node.disk().setSyncTime(100 * MILLI, 200 * MILLI);
        node.disk().disarm();
        node.start(world -> world.diskThread().execute(() -> write(world, "first")));
        simulation.runFor(SECOND);
        assertThat(seen).containsExactly("first 0");
    }

    @Test
    void powerOff_inTheMiddleOfASync_losesWhatItWouldHaveMadeSafe() {
        node.disk().setSyncTime(SECOND, SECOND + 1);
        node.start(world -> {
            world.diskThread().execute(() -> write(world, "first"));
            world.diskThread().execute(() -> see("never"));
        });
        simulation.runFor(SECOND / 2);
        node.powerOff();
        assertThat(node.disk().forgettings()).isEqualTo(1);
        simulation.runFor(2 * SECOND);
        assertThat(seen).isEmpty();
    }

    @Test
    void append_whileTheFileIsSynced_isNotSafe() {
        node.disk().setSyncTime(SECOND, SECOND + 1);
        node.start(world -> {
            world.diskThread().execute(() -> write(world, "first"));
            world.environment().scheduler().schedule(MILLI, () -> append(world));
        });
        simulation.runFor(2 * SECOND);
        assertThat(seen).containsExactly("first 1000");
        node.powerOff();
        assertThat(node.disk().forgettings()).isEqualTo(1);
    }

    @Test
    void task_throwsAfterItHasWaited_failsTheRun() {
        node.disk().setSyncTime(MILLI, 2 * MILLI);
        node.start(world -> world.diskThread().execute(() -> {
            write(world, "first");
            throw new IllegalStateException("on purpose");
        }));
        assertThatThrownBy(() -> simulation.runFor(SECOND))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining("on purpose");
    }

    @Test
    void traceHash_slowDisk_isTheSameInEachRun() {
        assertThat(run(3)).isEqualTo(run(3)).isNotEqualTo(run(4));
    }

    private long run(long seed) {
        Simulation world = new Simulation(seed);
        world.node("a").disk().setSyncTime(MILLI, SECOND);
        world.node("a").start(life -> {
            for (int i = 0; i < 20; i++) {
                life.diskThread().execute(() -> {
                    write(life, "x");
                    world.note("written", life.environment().clock().nanoTime());
                });
            }
        });
        world.runFor(60 * SECOND);
        return world.traceHash();
    }

    private void write(SimulatedNode.World world, String what) {
        try {
            append(world).sync();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        see(what);
    }

    private static Disk.AppendFile append(SimulatedNode.World world) {
        try {
            Disk.AppendFile file = world.environment().disk().openForAppend("log");
            file.append(ByteBuffer.wrap("bytes".getBytes(UTF_8)));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void see(String what) {
        seen.add(what + " " + simulation.nowNanos() / MILLI);
    }
}
