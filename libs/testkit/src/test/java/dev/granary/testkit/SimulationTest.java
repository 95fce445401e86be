package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Loop;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulationTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final Simulation simulation = new Simulation(1);
    private final List<String> seen = new ArrayList<>();

    @Test
    void execute_tasksOfOneNode_runInTheOrderHandedIn() {
        simulation.node("a").start(world -> {
            Scheduler scheduler = world.environment().scheduler();
            scheduler.schedule(2 * MILLI, () -> seen.add("later"));
            scheduler.execute(() -> seen.add("first"));
            scheduler.execute(() -> seen.add("second"));
            scheduler.schedule(MILLI, () -> seen.add("never")).cancel();
        });
        simulation.runFor(SECOND);
        assertThat(seen).containsExactly("first", "second", "later");
        assertThat(simulation.nowNanos()).isEqualTo(SECOND);
    }

    @Test
    void schedule_onADriftingClock_isNeverEarlyOnThatClock() {
        for (long ppm : new long[] {-400_000, -300, 0, 300, 900_000}) {
            SimulatedNode node = simulation.node("drift" + ppm);
            node.setDrift(ppm);
            node.start(world -> {
                long start = world.environment().clock().nanoTime();
                long delay = 777 * MILLI + 13;
                world.environment().scheduler().schedule(delay, () -> {
                    long passed = world.environment().clock().nanoTime() - start;
                    assertThat(passed).isBetween(delay, delay + 10);
                    seen.add("ran");
                });
            });
        }
        simulation.runFor(3 * SECOND);
        assertThat(seen).hasSize(5);
    }

    @Test
    void kill_tasksThatWait_neverRunAndTheDiskIsClosed() {
        SimulatedNode node = simulation.node("a");
        node.start(world -> world.environment().scheduler().schedule(MILLI, () -> seen.add("old life")));
        simulation.runFor(MILLI / 2);
        node.restart(world -> world.environment().scheduler().schedule(MILLI, () -> seen.add("new life")));
        simulation.runFor(SECOND);
        assertThat(seen).containsExactly("new life");
        assertThatThrownBy(() -> {
                    node.start(world -> {});
                })
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void failRounds_loopsOfTheNode_countThemAndGoOnAndTheRunIsNotFailed() {
        SimulatedNode node = simulation.node("a");
        Loops[] loops = new Loops[1];
        node.failRounds(2);
        node.start(world -> {
            loops[0] = world.environment().scheduler().loops();
            Loop.every(world.environment().scheduler(), "planted", SECOND, () -> seen.add("round"))
                    .vital(SECOND)
                    .begin();
        });
        simulation.runFor(SECOND + SECOND / 2);
        assertThat(node.stalledLoops())
                .hasValueSatisfying(text -> assertThat(text).contains("'planted'"));
        simulation.runFor(2 * SECOND);

        assertThat(seen).hasSize(2);
        assertThat(node.failedRounds()).isEqualTo(2);
        assertThat(loops[0].failures()).containsEntry("planted", 2L);
        assertThat(node.stalledLoops()).isEmpty();
    }

    @Test
    void loop_throwsByItself_failsTheRun() {
        simulation.node("a").start(world -> Loop.every(world.environment().scheduler(), "planted", SECOND, () -> {
                    throw new IllegalStateException("a bug");
                })
                .beginAfter(SECOND));

        assertThatThrownBy(() -> simulation.runFor(2 * SECOND))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining("a bug");
    }

    @Test
    void pause_tasksThatFallDue_waitInOrderWhileTheClockGoesOn() {
        SimulatedNode node = simulation.node("a");
        node.start(world -> {
            long start = world.environment().clock().nanoTime();
            for (int i = 1; i <= 3; i++) {
                int number = i;
                world.environment().scheduler().schedule(10 * MILLI * number, () -> {
                    long passed = world.environment().clock().nanoTime() - start;
                    seen.add(number + (passed >= 100 * MILLI ? " late" : " in time"));
                });
            }
        });
        simulation.runFor(15 * MILLI);
        node.pause(100 * MILLI);
        simulation.runFor(SECOND);
        assertThat(seen).containsExactly("1 in time", "2 late", "3 late");
    }

    @Test
    void suspend_machine_clockCountsTheTimeAndTimersDoNot() {
        for (long ppm : new long[] {-400, 0, 400}) {
            SimulatedNode node = simulation.node("suspended" + ppm);
            node.setDrift(ppm);
            node.start(world -> {
                long start = world.environment().clock().nanoTime();
                world.environment().scheduler().schedule(20 * MILLI, () -> {
                    long passed = world.environment().clock().nanoTime() - start;
                    long expected = 3_020 * MILLI + 3_020 * ppm;
                    assertThat(passed).isBetween(expected - MILLI / 100, expected + MILLI / 100);
                    seen.add("at " + simulation.nowNanos() / MILLI);
                });
            });
            simulation.after(10 * MILLI, "stop", () -> node.suspend(3 * SECOND));
        }
        simulation.runFor(2 * SECOND);
        assertThat(seen).isEmpty();
        simulation.runFor(2 * SECOND);
        assertThat(seen).containsExactlyInAnyOrder("at 3020", "at 3020", "at 3019");
    }

    @Test
    void pauseAfterClockReads_taskBetweenTwoReads_seesTheTimeJump() {
        SimulatedNode node = simulation.node("a");
        node.pauseAfterClockReads(1, SECOND);
        node.start(world -> {
            long check = world.environment().clock().nanoTime();
            long act = world.environment().clock().nanoTime();
            assertThat(act - check).isEqualTo(SECOND);
            world.environment().scheduler().execute(() -> seen.add("at " + simulation.nowNanos()));
        });
        simulation.runFor(3 * SECOND);
        assertThat(seen).containsExactly("at " + SECOND);
    }

    @Test
    void step_taskThrows_failsTheRunWithTheSeed() {
        simulation.node("a").start(world -> {
            throw new IllegalStateException("on purpose");
        });
        assertThatThrownBy(() -> simulation.runFor(SECOND))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining("seed 1")
                .hasMessageContaining("node a")
                .hasMessageContaining("on purpose");
    }

    @Test
    void runUntil_neverSo_stopsAtTheLimit() {
        simulation.after(10 * SECOND, "far away", () -> seen.add("too late"));
        assertThat(simulation.runUntil(() -> !seen.isEmpty(), SECOND)).isFalse();
        assertThat(simulation.nowNanos()).isEqualTo(SECOND);
        assertThat(simulation.runUntil(() -> !seen.isEmpty(), 20 * SECOND)).isTrue();
        assertThat(simulation.nowNanos()).isEqualTo(10 * SECOND);
    }

    @Test
    void traceHash_equalSeeds_areEqualAndOthersAreNot() {
        assertThat(ticks(5)).isEqualTo(ticks(5)).isNotEqualTo(ticks(6));
    }

    private static long ticks(long seed) {
        Simulation world = new Simulation(seed);
        for (String name : List.of("a", "b")) {
            world.node(name).start(life -> tick(life, 50));
        }
        world.runFor(10 * SECOND);
        return world.traceHash();
    }

    private static void tick(SimulatedNode.World life, int left) {
        if (left > 0) {
            long delay = life.environment().random().nextLong(MILLI);
            life.environment().scheduler().schedule(delay, () -> tick(life, left - 1));
        }
    }
}
