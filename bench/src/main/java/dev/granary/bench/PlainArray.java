package dev.granary.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The bound: objects side by side in huge pages, found by multiplication, with no bookkeeping and no concurrency
 * control at all. Linux only.
 */
final class PlainArray implements Store {

    private static final MemorySegment ALL = MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE);
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
    private final long base;
    private final int sizeBytes;

    PlainArray(int count, int sizeBytes) throws Throwable {
        this.sizeBytes = sizeBytes;
        this.reservedBytes = (long) count * sizeBytes + 2 * ALIGNMENT;
        this.reservation = (long) MMAP.invokeExact(0L, reservedBytes, READ_WRITE, PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
        if (reservation == -1) {
            throw new IllegalStateException("mmap of " + reservedBytes + " B failed");
        }
        this.base = (reservation + ALIGNMENT - 1) & -ALIGNMENT;
        int advised = (int) MADVISE.invokeExact(base, reservedBytes - ALIGNMENT, HUGE_PAGES);
        if (advised != 0) {
            System.out.println("no huge pages for the plain array");
        }
        for (long i = 0; i < (long) count * sizeBytes; i += Long.BYTES) {
            ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, base + i, i);
        }
    }

    @Override
    public void get(int index, MemorySegment buffer) {
        long from = base + (long) index * sizeBytes;
        for (int i = 0; i < sizeBytes; i += Long.BYTES) {
            buffer.set(ValueLayout.JAVA_LONG_UNALIGNED, i, ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, from + i));
        }
    }

    @Override
    public void put(int index, MemorySegment buffer) {
        long to = base + (long) index * sizeBytes;
        for (int i = 0; i < sizeBytes; i += Long.BYTES) {
            ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, to + i, buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, i));
        }
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
