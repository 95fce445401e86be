package dev.granary.memory.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.granary.memory.ReservationException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Locale;

/** The calls of the operating system that the VMB needs. The numbers are Linux's, the same on x86-64 and aarch64. */
final class PosixMemory {

    private static final int PROT_NONE = 0;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int MADV_DONTNEED = 4;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_POPULATE_WRITE = 23;
    private static final int MADV_DONTNEED_LOCKED = 24;
    private static final long MPOL_PREFERRED = 1;
    private static final long MLOCK_ONFAULT = 1;
    private static final int EINVAL = 22;
    private static final int ENOSYS = 38;
    private static final long MAP_FAILED = -1;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle MMAP = handle(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MADVISE =
            handle("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private static final MethodHandle MPROTECT =
            handle("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MUNLOCK =
            handle("munlock", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    /** For calls that the C library does not have, or not everywhere: their number and six arguments. */
    private static final MethodHandle SYSCALL = handle(
            "syscall",
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    private static final boolean ARM = "aarch64".equals(System.getProperty("os.arch"));
    private static final long SYS_MBIND = ARM ? 235 : 237;
    private static final long SYS_MLOCK2 = ARM ? 284 : 325;

    private PosixMemory() {}

    /**
     * Reserves zeroed address space. It takes memory page by page when it is first touched, once it has been made
     * accessible.
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
                    state, 0L, sizeBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
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

    /** Allows reading and writing. */
    static void makeAccessible(long address, long sizeBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = (int) MPROTECT.invokeExact(state, address, sizeBytes, PROT_READ | PROT_WRITE);
            if (result != 0) {
                throw new ReservationException("the operating system does not commit " + sizeBytes + " B (errno "
                        + errno(state) + "): ask for less, or allow overcommitment (sysctl vm.overcommit_memory)");
            }
        } catch (Throwable e) {
            throw rethrow(e);
        }
    }

    /** Asks for huge pages. Without them everything works, only slower, so a refusal is no error. */
    static boolean adviseHugePages(long address, long sizeBytes) {
        return madvise(address, sizeBytes, MADV_HUGEPAGE) == 0;
    }

    /**
     * Takes the memory of a part at once, as if it were written to.
     *
     * @return false if the kernel is too old for that
     * @throws ReservationException if there is not enough memory
     */
    static boolean populate(long address, long sizeBytes) {
        int error = madvise(address, sizeBytes, MADV_POPULATE_WRITE);
        if (error != 0 && error != EINVAL) {
            throw new ReservationException(
                    "the operating system has no memory for " + sizeBytes + " B (errno " + error + "): ask for less");
        }
        return error == 0;
    }

    /** Gives memory back; the address space stays, and is zero when it is used again. */
    static void giveBack(long address, long sizeBytes, boolean locked) {
        int error = madvise(address, sizeBytes, locked ? MADV_DONTNEED_LOCKED : MADV_DONTNEED);
        if (error == EINVAL && locked) {
            // A kernel before 5.18.
            unlock(address, sizeBytes);
            error = madvise(address, sizeBytes, MADV_DONTNEED);
            lock(address, sizeBytes);
        }
        if (error != 0) {
            throw new ReservationException("madvise failed with errno " + error);
        }
    }

    /**
     * Locks a part into RAM: what has memory now, and the rest as it is touched.
     *
     * @throws ReservationException if the operating system refuses
     */
    static void lock(long address, long sizeBytes) {
        int error = syscall(SYS_MLOCK2, address, sizeBytes, MLOCK_ONFAULT, 0, 0, 0);
        if (error != 0) {
            throw new ReservationException("the operating system refuses to lock " + sizeBytes
                    + " B into RAM (errno " + error + "): raise the limit, which is " + ProcessLimits.lockedMemory()
                    + " (ulimit -l, LimitMEMLOCK in systemd, or the capability IPC_LOCK), or do without");
        }
    }

    /**
     * Asks for memory of a NUMA node; when it has none left, others serve.
     *
     * @throws ReservationException if the operating system refuses
     */
    static void preferNode(long address, long sizeBytes, int node) {
        try (Arena arena = Arena.ofConfined()) {
            int words = node / Long.SIZE + 1;
            MemorySegment mask = arena.allocate(JAVA_LONG, words);
            mask.setAtIndex(JAVA_LONG, words - 1, 1L << (node % Long.SIZE));
            // The kernel takes one bit less than it is told.
            long bits = (long) words * Long.SIZE + 1;
            int error = syscall(SYS_MBIND, address, sizeBytes, MPOL_PREFERRED, mask.address(), bits, 0);
            if (error != 0 && error != ENOSYS) {
                throw new ReservationException("the operating system refuses memory of NUMA node " + node + " (errno "
                        + error + "): leave the node open, or allow it (cpuset.mems)");
            }
        }
    }

    private static void unlock(long address, long sizeBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = (int) MUNLOCK.invokeExact(state, address, sizeBytes);
            if (result != 0) {
                throw new ReservationException("munlock failed with errno " + errno(state));
            }
        } catch (Throwable e) {
            throw rethrow(e);
        }
    }

    /** Returns 0 or the error. */
    private static int madvise(long address, long sizeBytes, int advice) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return (int) MADVISE.invokeExact(state, address, sizeBytes, advice) == 0 ? 0 : errno(state);
        } catch (Throwable e) {
            throw rethrow(e);
        }
    }

    /** Returns 0 or the error. */
    private static int syscall(long number, long a, long b, long c, long d, long e, long f) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return (long) SYSCALL.invokeExact(state, number, a, b, c, d, e, f) == 0 ? 0 : errno(state);
        } catch (Throwable failure) {
            throw rethrow(failure);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = Linker.Option.captureCallState("errno");
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, all);
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
