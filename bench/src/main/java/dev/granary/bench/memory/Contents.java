package dev.granary.bench.memory;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Checks that objects exist with their expected sizes and bytes: all objects, or a sample. */
final class Contents {

    private final MemoryPlan plan;
    private final SizePattern sizes;
    private final long every;

    Contents(MemoryPlan plan, SizePattern sizes, long every) {
        this.plan = plan;
        this.sizes = sizes;
        this.every = every;
    }

    /**
     * Checks all stores.
     *
     * @throws IllegalStateException when an object is wrong; the message names the first one
     */
    void check(List<Contender> contenders, int threads, Output out, String when) throws Exception {
        for (Contender contender : contenders) {
            AtomicLong checked = new AtomicLong();
            Threads.Time time = Threads.time(threads, thread -> {
                long from = contender.start(thread, threads);
                long to = contender.start(thread + 1, threads);
                checked.addAndGet(check(contender, from, to));
            });
            if (contender.isGranary()) {
                out.note("verified %s: the bytes of %,d of %,d chunks are right (%.1f s)"
                        .formatted(when, checked.get(), plan.chunks(), time.seconds()));
            }
        }
    }

    private long check(Contender contender, long from, long to) {
        Scratch scratch = new Scratch(sizes.maxBytes());
        long count = 0;
        for (long i = from; i < to; i += every) {
            int sizeBytes = sizes.sizeOf(i);
            int found = contender.store().get(contender.store().keyOf(i), scratch);
            if (found != sizeBytes || !(scratch.holds(i, 0, sizeBytes) || scratch.holds(i, 1, sizeBytes))) {
                throw new IllegalStateException(contender.storeName() + ": object " + i + " should have " + sizeBytes
                        + " B of its own; it has " + found + " B" + (found == sizeBytes ? " of others" : ""));
            }
            count++;
        }
        return count;
    }
}
