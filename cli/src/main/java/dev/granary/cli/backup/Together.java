package dev.granary.cli.backup;

import dev.granary.cli.graph.ParallelWork;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Waits for futures, and runs the same work for many things at once. */
final class Together {

    private Together() {}

    /** Waits for a future and returns its value, or throws what the future failed with. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /**
     * Runs the work for each thing, for at most {@code workers} things at once. After a failure it starts no more and
     * throws the failure.
     */
    static <T> void forEach(int workers, List<T> things, Consumer<T> work) {
        AtomicInteger next = new AtomicInteger();
        AtomicBoolean failed = new AtomicBoolean();
        ParallelWork.run(workers, worker -> {
            boolean done = false;
            try {
                for (int i = next.getAndIncrement(); i < things.size() && !failed.get(); i = next.getAndIncrement()) {
                    work.accept(things.get(i));
                }
                done = true;
            } finally {
                if (!done) {
                    failed.set(true);
                }
            }
        });
    }
}
