package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Anonymous memory in huge pages. Linux only; the system call numbers are the same on x86-64 and aarch64. */
final class NativeMemory implements AutoCloseable {

    /** The whole address space. */
    static final MemorySegment ALL = MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE);

    private static final long ALIGNMENT = 2L << 20;
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS_NORESERVE = 0x4022;
    private static final int HUGE_PAGES = 14;

    private static final MethodHandle MMAP = handle(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MADVISE =
            handle("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MUNMAP = handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private final long reservation;
    private final long reservedBytes;

    NativeMemory(long sizeBytes) {
        reservedBytes = sizeBytes + 2 * ALIGNMENT;
        try {
            reservation = (long) MMAP.invokeExact(0L, reservedBytes, READ_WRITE, PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
            if (reservation == -1) {
                throw new IllegalStateException("mmap of " + reservedBytes + " B failed");
            }
            // Without huge pages everything works, but slower; the printed share of huge pages shows that.
            int ignored = (int) MADVISE.invokeExact(address(), reservedBytes - ALIGNMENT, HUGE_PAGES);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** The address of the memory, at a boundary of huge pages. */
    long address() {
        return (reservation + ALIGNMENT - 1) & -ALIGNMENT;
    }

    @Override
    public void close() {
        try {
            int result = (int) MUNMAP.invokeExact(reservation, reservedBytes);
            if (result != 0) {
                throw new IllegalStateException("munmap failed");
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }
}
