package dev.granary.bench.compare.stores;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Reads many distinct objects in each request: consecutive ones, or others at random. */
final class MultiGetRequests implements Requests {

    private final ObjectSet objects;
    private final int batch;

    /** All numbers in the order in which they are read. */
    private final int[] order;

    /** @param objects which are loaded, at least as many as a batch has */
    MultiGetRequests(ObjectSet objects, int batch, boolean random) {
        this.objects = objects;
        this.batch = batch;
        order = new int[Math.toIntExact(objects.count())];
        if (batch > order.length) {
            throw new IllegalArgumentException("a request for " + batch + " of " + order.length + " objects");
        }
        Arrays.setAll(order, i -> i);
        if (random) {
            shuffle(new SplittableRandom(1));
        }
    }

    private void shuffle(SplittableRandom random) {
        for (int i = order.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
    }

    @Override
    public Step begin(ComparedClient.Session session) {
        SplittableRandom random = new SplittableRandom(System.nanoTime());
        int valueBytes = objects.sizeOf(0);
        long[] keys = new long[batch];
        int[] found = new int[1];
        return () -> {
            int from = random.nextInt(order.length);
            for (int i = 0; i < batch; i++) {
                keys[i] = objects.key(order[(from + i) % order.length]);
            }
            found[0] = 0;
            session.readAll(keys, value -> {
                if (value.length != valueBytes) {
                    throw new IllegalStateException("an object has " + value.length + " bytes");
                }
                found[0]++;
            });
            if (found[0] != batch) {
                throw new IllegalStateException(found[0] + " of " + batch + " objects were found");
            }
            return batch;
        };
    }
}
