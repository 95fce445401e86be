package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * The process that measures the C library's malloc or a preloaded one: how much memory its blocks take beyond the
 * requested sizes. Its arguments are a {@link MemoryPlan} as JSON, the allocator's name and its library, which is empty
 * for the C library's own malloc.
 *
 * <p>The process does not keep pointers, so it never frees blocks. Pointers would be 8 B more per object, which belong
 * to an index.
 */
public final class AllocatorWorker {

    private static final MemorySegment ALL = NativeMemory.ALL;

    private final MethodHandle malloc;
    private final MethodHandle usable;

    private AllocatorWorker(SymbolLookup library) {
        malloc = handle(library, "malloc");
        usable = handle(library, "malloc_usable_size");
    }

    /** Measures. */
    public static void main(String[] arguments) throws Throwable {
        MemoryPlan plan = MemoryPlan.ofJson(arguments[0]);
        Output out = new Output(System.out);
        SizePattern sizes = new SizePattern(plan.sizeDistribution(), 1);
        AllocatorWorker allocator = new AllocatorWorker(
                arguments[2].isEmpty()
                        ? Linker.nativeLinker().defaultLookup()
                        : SymbolLookup.libraryLookup(Path.of(arguments[2]), Arena.global()));
        allocator.allocate(sizes, 1_000);
        long before = Machine.residentBytes();
        long from = System.nanoTime();
        long usableBytes = allocator.allocate(sizes, plan.chunks());
        double seconds = (System.nanoTime() - from) / 1e9;
        long payload = sizes.bytesBefore(plan.chunks());
        double overhead = (double) (Machine.residentBytes() - before - payload) / plan.chunks();
        out.note("%s: %.3f B a block more than asked for by malloc_usable_size (headers not counted)"
                .formatted(arguments[1], (double) (usableBytes - payload) / plan.chunks()));
        out.line(new ResultLine()
                .with(ResultLine.NAME, "load")
                .with(ResultLine.CHUNKS, plan.chunks())
                .with(ResultLine.SIZE_BYTES, Math.round(1000.0 * payload / plan.chunks()) / 1000.0)
                .with(ResultLine.THREADS, 1)
                .with(ResultLine.WORKLOAD, plan.workload())
                .with(ResultLine.OVERHEAD, Math.round(overhead * 1000) / 1000.0)
                .with(ResultLine.RSS_OVERHEAD, Math.round(overhead * 1000) / 1000.0)
                .with(ResultLine.LOAD_RATE, Math.round(plan.chunks() / seconds))
                .with(ResultLine.RATE, Math.round(plan.chunks() / seconds))
                .with(ResultLine.STORE, arguments[1])
                .with(ResultLine.BATCH_SIZE, 1));
    }

    /** Allocates and touches blocks. Returns the sum of their usable bytes, as malloc reports them. */
    private long allocate(SizePattern sizes, long count) throws Throwable {
        long sum = 0;
        for (long i = 0; i < count; i++) {
            int sizeBytes = sizes.sizeOf(i);
            long address = (long) malloc.invokeExact((long) sizeBytes);
            if (address == 0) {
                throw new OutOfMemoryError("malloc of " + sizeBytes + " B");
            }
            sum += (long) usable.invokeExact(address);
            ALL.set(JAVA_BYTE, address, (byte) 1);
            ALL.set(JAVA_BYTE, address + sizeBytes - 1, (byte) 1);
        }
        return sum;
    }

    private static MethodHandle handle(SymbolLookup library, String name) {
        return Linker.nativeLinker()
                .downcallHandle(
                        library.findOrThrow(name),
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG),
                        Linker.Option.critical(false));
    }
}
