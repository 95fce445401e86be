package dev.granary.env;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * Linux's clock since the start of the machine, {@code CLOCK_BOOTTIME}: unlike {@link SystemClock} it counts the time
 * in which the machine was suspended. A storage peer that wakes up after such a time sees at once that its lease is
 * over (ADR 0195). Thread-safe; only the first call of a thread allocates.
 */
public final class BootClock implements Clock {

    private static final int CLOCK_BOOTTIME = 7;
    private static final long NANOS_A_SECOND = 1_000_000_000;

    /**
     * What the kernel writes:
     * <pre>
     *  0        8           16
     *  | seconds | nanoseconds |
     * </pre>
     */
    private static final StructLayout TIMESPEC =
            MemoryLayout.structLayout(JAVA_LONG.withName("seconds"), JAVA_LONG.withName("nanoseconds"));

    private static final int NANOSECONDS_AT = 8;

    private static final MethodHandle CLOCK_GETTIME = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS),
                    // It waits for nothing: the thread need not tell the garbage collector that it is in native code.
                    Linker.Option.critical(false));

    private final ThreadLocal<MemorySegment> results =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(TIMESPEC));

    private BootClock() {}

    /** Returns this machine's clock for leases: this one on Linux, {@link SystemClock} where there is no such clock. */
    public static Clock orSystemClock() {
        return System.getProperty("os.name").equals("Linux") ? new BootClock() : new SystemClock();
    }

    @Override
    public long nanoTime() {
        MemorySegment result = results.get();
        int failed;
        try {
            failed = (int) CLOCK_GETTIME.invokeExact(CLOCK_BOOTTIME, result);
        } catch (Throwable e) {
            throw new IllegalStateException("clock_gettime cannot be called", e);
        }
        if (failed != 0) {
            throw new IllegalStateException("the machine has no clock that counts since its start (CLOCK_BOOTTIME)");
        }
        return result.get(JAVA_LONG, 0) * NANOS_A_SECOND + result.get(JAVA_LONG, NANOSECONDS_AT);
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }
}
