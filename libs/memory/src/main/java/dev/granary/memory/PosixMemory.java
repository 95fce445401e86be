package dev.granary.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Locale;

/** The calls of the operating system that the VMB needs. The numbers are Linux's, the same on x86-64 and aarch64. */
final class PosixMemory {

    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int MADV_HUGEPAGE = 14;
    private static final long MAP_FAILED = -1;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle MMAP = handle(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MADVISE =
            handle("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private PosixMemory() {}

    /**
     * Reserves zeroed address space that takes memory page by page when it is first touched.
     *
     * @return its first address
     * @throws ReservationException if the operating system refuses, or is not Linux
     */
    static long reserve(long sizeBytes) {
        String system = System.getProperty("os.name", "");
        if (!system.toLowerCase(Locale.ROOT).contains("linux")) {
            throw new ReservationException("chunk memory needs Linux, this is " + system);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long address = (long) MMAP.invokeExact(
                    state, 0L, sizeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
            if (address == MAP_FAILED) {
                throw new ReservationException(
                        "the operating system refuses " + sizeBytes + " B of address space (errno " + errno(state)
                                + "): ask for less or raise the limit (ulimit -v)");
            }
            return address;
        } catch (Throwable e) {
            throw rethrow(e);
        }
    }

    /** Gives address space and its memory back. */
    static void release(long address, long sizeBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = (int) MUNMAP.invokeExact(state, address, sizeBytes);
            if (result != 0) {
                throw new ReservationException("munmap failed with errno " + errno(state));
            }
        } catch (Throwable e) {
            throw rethrow(e);
        }
    }

    /** Asks for huge pages. Without them everything works, only slower, so a refusal is no error. */
    static boolean adviseHugePages(long address, long sizeBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return (int) MADVISE.invokeExact(state, address, sizeBytes, MADV_HUGEPAGE) == 0;
        } catch (Throwable e) {
            throw rethrow(e);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), descriptor, Linker.Option.captureCallState("errno"));
    }

    private static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    private static RuntimeException rethrow(Throwable e) {
        if (e instanceof RuntimeException runtime) {
            return runtime;
        }
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(e);
    }
}
