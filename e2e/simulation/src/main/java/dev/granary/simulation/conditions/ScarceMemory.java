package dev.granary.simulation.conditions;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.testkit.InjectedFailure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The chunk memory of one machine's processes. For a while some of its allocations find no room, or are told that there
 * will be some in a moment. A batch that may end in the middle ends there.
 */
public final class ScarceMemory {

    private static final Set<String> ALLOCATING =
            Set.of("create", "createConsecutive", "insert", "insertOrReplace", "replace", "resize");

    private static final double SOME = 0.3;

    /**
     * In one window of this many the shortage passes, as while memory is defragmented; in the others no memory is free.
     */
    private static final int PASSING_ONE_OF = 2;

    private @Nullable RandomGenerator refusing;
    private double share;
    private boolean passing;
    private int refusals;

    /** Wraps a memory: its allocations fail when this object says so. */
    public ChunkMemory over(ChunkMemory memory) {
        return (ChunkMemory) Proxy.newProxyInstance(
                ChunkMemory.class.getClassLoader(),
                new Class<?>[] {ChunkMemory.class},
                (proxy, method, arguments) -> call(memory, method, arguments));
    }

    /** Lets some allocations fail from now on, or all. */
    public void refuse(long seed) {
        refusing = new SplittableRandom(seed);
        share = seed % 2 == 0 ? 1 : SOME;
        passing = seed / 2 % PASSING_ONE_OF == 0;
    }

    /** Lets all allocations succeed from now on. */
    public void disarm() {
        refusing = null;
    }

    /** Returns how many allocations were refused so far. */
    public int refusals() {
        return refusals;
    }

    private @Nullable Object call(ChunkMemory memory, Method method, @Nullable Object[] arguments) throws Throwable {
        RandomGenerator random = refusing;
        if (random == null || !ALLOCATING.contains(method.getName()) || random.nextDouble() >= share) {
            return invoke(memory, method, arguments);
        }
        refusals++;
        if (arguments[0] instanceof long[]) {
            doHalf(memory, method, arguments);
        }
        OutOfChunkMemoryException full =
                new OutOfChunkMemoryException(0, memory.statistics().capacityBytes(), passing);
        full.initCause(new InjectedFailure("memory"));
        throw full;
    }

    /**
     * Does the first half of a batch. The arguments begin with the CIDs, the first index, and the index behind the
     * last.
     */
    private static void doHalf(ChunkMemory memory, Method method, @Nullable Object[] arguments) throws Throwable {
        int from = (Integer) arguments[1];
        int to = (Integer) arguments[2];
        int middle = from + (to - from) / 2;
        @Nullable Object[] half = arguments.clone();
        half[2] = middle;
        invoke(memory, method, half);
        if (arguments[arguments.length - 1] instanceof boolean[] done) {
            Arrays.fill(done, middle, to, false);
        }
    }

    private static @Nullable Object invoke(ChunkMemory memory, Method method, @Nullable Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(memory, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
