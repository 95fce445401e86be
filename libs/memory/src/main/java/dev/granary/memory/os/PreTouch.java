package dev.granary.memory.os;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.PreTouchProgress;
import dev.granary.memory.ReservationException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Takes memory from the operating system at once, with as many threads as there are processors. */
final class PreTouch {

    /** A piece for one call: large enough for huge pages, small enough for progress. */
    private static final long PIECE_BYTES = 64L << 20;

    private static final long PAGE_BYTES = 4096;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final long base;
    private final long sizeBytes;
    private final PreTouchProgress progress;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    @GuardedBy("this")
    private long nextPiece;

    @GuardedBy("this")
    private long touchedBytes;

    PreTouch(long base, long sizeBytes, PreTouchProgress progress) {
        this.base = base;
        this.sizeBytes = sizeBytes;
        this.progress = progress;
    }

    /**
     * Returns when all is there.
     *
     * @throws ReservationException if there is not enough memory, or the thread is interrupted
     */
    void run() {
        List<Thread> threads = new ArrayList<>();
        long pieces = (sizeBytes - 1) / PIECE_BYTES + 1;
        for (int i = 1; i < Math.min(Runtime.getRuntime().availableProcessors(), pieces); i++) {
            threads.add(
                    Thread.ofPlatform().daemon().name("granary-pre-touch-" + i).start(this::touchPieces));
        }
        touchPieces();
        threads.forEach(this::await);
        RuntimeException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }

    /** All must have ended before the caller may give the memory back. */
    private void await(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
                failure.set(new ReservationException("interrupted while memory was touched"));
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void touchPieces() {
        try {
            for (long from = takePiece(); from < sizeBytes && failure.get() == null; from = takePiece()) {
                long length = Math.min(PIECE_BYTES, sizeBytes - from);
                touch(base + from, length);
                tell(length);
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private synchronized long takePiece() {
        long from = nextPiece;
        nextPiece += PIECE_BYTES;
        return from;
    }

    private synchronized void tell(long length) {
        touchedBytes += length;
        progress.touched(touchedBytes, sizeBytes);
    }

    private static void touch(long address, long length) {
        if (!PosixMemory.populate(address, length)) {
            // An old kernel: adding nothing is a write that changes nothing, whatever is there.
            MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(length);
            for (long offset = 0; offset + Long.BYTES <= length; offset += PAGE_BYTES) {
                WORD.getAndAdd(memory, offset, 0L);
            }
        }
    }
}
