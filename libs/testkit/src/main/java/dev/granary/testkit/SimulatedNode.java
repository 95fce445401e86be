package dev.granary.testkit;

import dev.granary.env.Clock;
import dev.granary.env.Confined;
import dev.granary.env.Environment;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import dev.granary.net.Transport;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A machine with one process: its disk and its clock stay, each life of the process has a scheduler and a transport of
 * its own. Its name is its host name.
 */
public final class SimulatedNode {

    /**
     * What a process gets at its start.
     *
     * @param diskThread runs tasks one after the other; while one waits for a slow disk the rest of the process goes on
     */
    public record World(SimulatedNode node, Environment environment, Transport transport, Executor diskThread) {}

    /** Makes and starts a process. Nobody closes what it returns: processes of the simulator are killed. */
    @FunctionalInterface
    public interface Program {
        void start(World world);
    }

    private static final long MILLIS_2026 = 1_767_225_600_000L;
    private static final long MILLION = 1_000_000;

    private final Simulation simulation;
    private final String name;
    private final RandomGenerator random;
    private final SimulatedDisk disk;
    private final long clockOriginNanos;
    private long driftPpm;
    private long clockAtDriftNanos;
    private long trueAtDriftNanos;
    private int lives;
    private @Nullable Life life;
    private boolean poweredOff;
    private int nextPort = 20_000;
    private long pausedUntilNanos;
    private long latestArrivalNanos;
    private int readsUntilStall;
    private long stallNanos;
    private long skewNanos;
    private int stalls;
    private int roundsToFail;
    private int failedRounds;
    private int stepsToPass;
    private int stepsToFail;
    private int failedSteps;
    private final HeapAllocator buffers = new HeapAllocator();
    private Consumer<Throwable> whenFatal = SimulatedNode::failRun;

    SimulatedNode(Simulation simulation, String name) {
        this.simulation = simulation;
        this.name = name;
        this.random = simulation.random("node " + name);
        this.disk = new SimulatedDisk(simulation.random("disk " + name), this::waitForDisk);
        this.clockOriginNanos = random.nextLong(-1L << 61, 1L << 61);
        this.clockAtDriftNanos = clockOriginNanos;
    }

    public String name() {
        return name;
    }

    /** The disk, which outlives the process. */
    public SimulatedDisk disk() {
        return disk;
    }

    public boolean isRunning() {
        return life != null;
    }

    /** What the node's monotonic clock shows. */
    public long nanoTime() {
        long passedNanos = simulation.nowNanos() - trueAtDriftNanos;
        return clockAtDriftNanos
                + passedNanos
                + passedNanos / MILLION * driftPpm
                + passedNanos % MILLION * driftPpm / MILLION;
    }

    /** Makes the clock run faster by {@code ppm} millionths from now on, or slower if negative. */
    public void setDrift(long ppm) {
        if (ppm <= -MILLION / 2 || ppm >= MILLION) {
            throw new IllegalArgumentException("a drift of " + ppm + " ppm is out of reason");
        }
        clockAtDriftNanos = nanoTime();
        trueAtDriftNanos = simulation.nowNanos();
        driftPpm = ppm;
    }

    /**
     * Starts a process on the machine.
     *
     * @throws IllegalStateException when one runs
     */
    public void start(Program program) {
        if (life != null) {
            throw new IllegalStateException("node " + name + " runs already");
        }
        lives++;
        poweredOff = false;
        Life started = new Life();
        life = started;
        pausedUntilNanos = 0;
        simulation.trace().add(simulation.nowNanos(), name, "start", lives);
        World world = new World(
                this,
                new Environment(started.clock, started.scheduler, simulation.random(name + " " + lives), started.disk),
                started.transport,
                started.diskThread);
        simulation.schedule(0, started, started.control(() -> program.start(world)));
    }

    /**
     * The machine loses its power: everything in RAM is gone, what was not synced is lost or torn, and nothing tells
     * the other side of its connections until it speaks to the machine again. Does nothing when no process runs.
     */
    public void powerOff() {
        end(true);
    }

    /** The process is killed: everything in RAM is gone and its connections are reset; the disk keeps what it has. */
    public void kill() {
        end(false);
    }

    /** Kills the process and starts another one at once. */
    public void restart(Program program) {
        kill();
        start(program);
    }

    /** Whether the process, or its machine, stands still at the moment. */
    public boolean standsStill() {
        return pausedUntilNanos > simulation.nowNanos();
    }

    /** The process stands still for a while; what comes in the meantime waits. Its clock goes on. */
    public void pause(long nanos) {
        pausedUntilNanos = Math.max(pausedUntilNanos, simulation.nowNanos() + nanos);
        simulation.trace().add(simulation.nowNanos(), name, "pause", nanos);
    }

    /**
     * The machine is suspended for a while. Its clock counts that time, as the clock of a server does (ADR 0195). Its
     * timers do not, so they fire later by that time.
     */
    public void suspend(long nanos) {
        Life suspended = life;
        if (suspended != null) {
            simulation.putOff(suspended, nanos);
        }
        pausedUntilNanos = Math.max(pausedUntilNanos, simulation.nowNanos() + nanos);
        simulation.trace().add(simulation.nowNanos(), name, "suspend", nanos);
    }

    /**
     * Lets the process stand still in the middle of a task, after {@code reads} more reads of the clock. What the task
     * does afterwards happens {@code nanos} later.
     */
    public void pauseAfterClockReads(int reads, long nanos) {
        readsUntilStall = reads;
        stallNanos = nanos;
    }

    /** Returns how often the process has stood still in the middle of a task so far. */
    public int stalls() {
        return stalls;
    }

    /**
     * The next {@code rounds} rounds of {@linkplain dev.granary.env.Loop loops} on this machine throw instead of doing
     * their work. These exceptions fail no run; any other exception of a loop does.
     */
    public void failRounds(int rounds) {
        roundsToFail = rounds;
        simulation.trace().add(simulation.nowNanos(), name, "fail rounds", rounds);
    }

    /**
     * Of the node's one-time work, {@code passed} steps pass and the next {@code steps} steps throw. These exceptions
     * fail no run either.
     */
    public void failSteps(int passed, int steps) {
        stepsToPass = passed;
        stepsToFail = steps;
    }

    /** How many steps will still throw. */
    public int stepsToFail() {
        return stepsToFail;
    }

    /** How many steps have thrown because of {@link #failSteps} so far. */
    public int failedSteps() {
        return failedSteps;
    }

    /**
     * Refuses from now on a part of the network buffers that processes here ask for, as when direct memory has run out.
     *
     * @param random decides which
     * @param share of what is refused, up to 1
     * @param largestGivenBytes what is not larger is always given
     */
    public void failBuffers(RandomGenerator random, double share, int largestGivenBytes) {
        buffers.refuse(random, share, largestGivenBytes);
        simulation.trace().add(simulation.nowNanos(), name, "fail buffers", largestGivenBytes);
    }

    /** Refuses no buffer from now on. */
    public void giveBuffers() {
        buffers.giveAll();
    }

    /** How many buffers were refused so far. */
    public int refusedBuffers() {
        return buffers.refusals();
    }

    /**
     * Sets who is told when a process here has met an {@link InjectedOutOfMemory} that nothing handled: the process
     * must end then (ADR 0169). Without this the run fails.
     */
    public void whenFatal(Consumer<Throwable> told) {
        whenFatal = told;
    }

    private static void failRun(Throwable thrown) {
        throw new IllegalStateException("a process was to end, and nobody ends it", thrown);
    }

    HeapAllocator buffers() {
        return buffers;
    }

    /** How many rounds have thrown because of {@link #failRounds} so far. */
    public int failedRounds() {
        return failedRounds;
    }

    /** What the present process would answer to a liveness check: the loops that stand still, if any. */
    public Optional<String> stalledLoops() {
        return life == null ? Optional.empty() : life.loops.stalled();
    }

    /** True time by which the task that runs now has been held up. */
    long skewNanos() {
        return skewNanos;
    }

    /** Whether the machine is off, not only without a process. */
    boolean isPoweredOff() {
        return poweredOff;
    }

    /** A frame is to arrive here at a time; returns the latest time of all those so far. */
    long latestArrival(long arrivalNanos) {
        latestArrivalNanos = Math.max(latestArrivalNanos, arrivalNanos);
        return latestArrivalNanos;
    }

    /** A port that no process of this machine had before. */
    int takePort() {
        return nextPort++;
    }

    @Nullable
    Life life() {
        return life;
    }

    private void end(boolean powerLost) {
        Life ended = life;
        if (ended == null) {
            return;
        }
        life = null;
        readsUntilStall = 0;
        simulation.trace().add(simulation.nowNanos(), name, powerLost ? "power off" : "kill", lives);
        poweredOff = powerLost;
        ended.transport.end(powerLost);
        ended.diskThread.end();
        if (powerLost) {
            disk.losePower();
        } else {
            disk.unmount();
        }
    }

    /** Returns the true time that passes until the node's clock has moved on by {@code localNanos}. */
    private long trueDelay(long localNanos) {
        if (localNanos <= 0) {
            return 0;
        }
        long rate = MILLION + driftPpm;
        return localNanos / rate * MILLION + localNanos % rate * MILLION / rate + 2;
    }

    /**
     * The task that runs now waits for the disk. On the disk's thread only the task waits; on any other thread the
     * whole process stands still.
     */
    private void waitForDisk(long nanos) {
        Strand strand = Strand.current();
        if (strand != null) {
            strand.await(nanos);
        } else {
            skewNanos += nanos;
        }
    }

    private long readClock() {
        long read = nanoTime() + skewNanos;
        if (readsUntilStall > 0 && --readsUntilStall == 0) {
            skewNanos += stallNanos;
            stalls++;
        }
        return read;
    }

    private void endProcess(Throwable thrown) {
        simulation.trace().add(simulation.nowNanos(), name, "out of memory", buffers.refusals());
        whenFatal.accept(thrown);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Fails the run with whatever a loop throws, unless the failure was injected. */
    private final class LoopFaults implements Loops.Watcher {

        @Override
        public void beforeRound(String loop) {
            if (roundsToFail > 0) {
                roundsToFail--;
                failedRounds++;
                simulation.trace().add(simulation.nowNanos(), name, "failed round of " + loop, roundsToFail);
                throw new InjectedFailure(loop);
            }
        }

        @Override
        public void beforeStep(String work) {
            if (stepsToFail > 0 && stepsToPass-- <= 0) {
                stepsToFail--;
                failedSteps++;
                simulation.trace().add(simulation.nowNanos(), name, "failed step of " + work, stepsToFail);
                throw new InjectedFailure(work);
            }
        }

        private static boolean isInjected(@Nullable Throwable thrown) {
            return thrown instanceof InjectedFailure
                    || thrown instanceof InjectedOutOfMemory
                    || (thrown != null && isInjected(thrown.getCause()));
        }

        @Override
        public void failed(String loop, Throwable thrown) {
            if (thrown instanceof InjectedOutOfMemory) {
                endProcess(thrown);
            } else if (!isInjected(thrown)) {
                // What throws here may do so in a stage of a future, which would keep it for itself.
                simulation.schedule(0, null, () -> Loops.rethrow(loop, thrown));
                Loops.rethrow(loop, thrown);
            }
        }
    }

    /** One life of the process. */
    final class Life implements Simulation.Owner {

        private final SimulatedTransport transport = new SimulatedTransport(simulation.network(), this);
        private final SimulatedDisk.Mount disk = SimulatedNode.this.disk.mount();
        private final DiskThread diskThread = new DiskThread(simulation, this, SimulatedNode.this.disk);

        private final Clock clock = new Clock() {
            @Override
            public long nanoTime() {
                return readClock();
            }

            @Override
            public long wallMillis() {
                return MILLIS_2026 + (SimulatedNode.this.nanoTime() - clockOriginNanos) / MILLION;
            }
        };

        /** Reads no clock of the process: watching must not change where a process stands still. */
        private final Clock watch = new Clock() {
            @Override
            public long nanoTime() {
                return SimulatedNode.this.nanoTime() + skewNanos;
            }

            @Override
            public long wallMillis() {
                return clock.wallMillis();
            }
        };

        private final Loops loops = new Loops(watch, new LoopFaults());

        private final Scheduler scheduler = new Scheduler() {
            @Override
            public void execute(Runnable task) {
                schedule(0, task);
            }

            @Override
            public Timer schedule(long delayNanos, Runnable task) {
                Simulation.Event event =
                        simulation.schedule(trueDelay(delayNanos) + skewNanos, Life.this, control(task));
                return event::cancel;
            }

            @Override
            public Loops loops() {
                return loops;
            }
        };

        /** What the process' threads own stays theirs, although one thread carries out the work of all. */
        private final Object controlThread = played("control");

        private final Object ioThread = played("I/O");

        private Object played(String thread) {
            String played = "the " + thread + " thread of life " + lives + " of " + name;
            return new Object() {
                @Override
                public String toString() {
                    return played;
                }
            };
        }

        private Runnable control(Runnable task) {
            return () -> Confined.playing(controlThread, task);
        }

        SimulatedNode node() {
            return SimulatedNode.this;
        }

        SimulatedTransport transport() {
            return transport;
        }

        @Override
        public boolean isGone() {
            return life != this;
        }

        @Override
        public long pausedUntilNanos() {
            return pausedUntilNanos;
        }

        @Override
        public String name() {
            return name;
        }

        /**
         * Ends the process if an error reaches the thread's handler, or if {@link InjectedOutOfMemory} ends the task.
         */
        private void runWithoutBuffers(Runnable action) {
            Thread thread = Thread.currentThread();
            Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
            thread.setUncaughtExceptionHandler((in, thrown) -> endProcess(thrown));
            try {
                Confined.playing(ioThread, action);
            } catch (InjectedOutOfMemory e) {
                endProcess(e);
            } finally {
                thread.setUncaughtExceptionHandler(before);
            }
        }

        @Override
        public void run(Runnable action) {
            skewNanos = 0;
            try {
                if (buffers.isRefusing()) {
                    runWithoutBuffers(action);
                } else {
                    Confined.playing(ioThread, action);
                }
            } finally {
                if (skewNanos > 0) {
                    pause(skewNanos);
                    skewNanos = 0;
                }
            }
        }
    }
}
