package dev.granary.bench.compare.stores;

import java.util.SplittableRandom;
import site.ycsb.generator.ZipfianGenerator;

/**
 * A cache with churn: 95 of 100 requests read an object, 4 replace one by one of another size, and one writes a new
 * object and deletes the oldest one. Popularity is zipfian and moves on with the new objects.
 */
final class ChurnRequests implements Requests {

    private static final int PERCENT = 100;
    private static final int READS = 95;
    private static final int UPDATES = 4;

    /** So much of all objects, the oldest ones, is not asked for any more, since it may be deleted meanwhile. */
    private static final double COLD = 0.1;

    /** Spreads neighbours in popularity over the objects. It is prime, and no number of objects is its multiple. */
    private static final long SPREAD = 1_000_000_007L;

    private final ObjectSet objects;
    private final ProductionSizes sizes;
    private final long asked;

    /** All threads share it, as in YCSB: its random numbers are the thread's own. */
    private final ZipfianGenerator popularity;

    private volatile long oldest;

    /** @param objects which are loaded */
    ChurnRequests(ObjectSet objects, ProductionSizes sizes) {
        this.objects = objects;
        this.sizes = sizes;
        this.asked = Math.max(1, Math.round(objects.count() * (1 - COLD)));
        this.popularity = new ZipfianGenerator(asked);
    }

    @Override
    public Step begin(ComparedClient.Session session) {
        SplittableRandom random = new SplittableRandom(System.nanoTime());
        return () -> {
            long number = objects.count() - 1 - popularity.nextValue() * SPREAD % asked;
            try {
                request(session, number, random);
            } catch (RuntimeException e) {
                // A thread that stood still for long may ask for what has been deleted meanwhile.
                if (number >= oldest) {
                    throw e;
                }
            }
            return 1;
        };
    }

    private void request(ComparedClient.Session session, long number, SplittableRandom random) {
        int kind = random.nextInt(PERCENT);
        if (kind < READS) {
            if (session.read(objects.key(number)) == null) {
                throw new IllegalStateException("object " + number + " is missing");
            }
        } else if (kind < READS + UPDATES) {
            session.update(objects.key(number), new byte[sizes.draw(random)]);
        } else {
            replaceOldest(session);
        }
    }

    /** One at a time, so that all objects from the oldest to the newest one are there. */
    private synchronized void replaceOldest(ComparedClient.Session session) {
        long number = objects.count();
        session.insert(objects.key(number), new byte[objects.sizeOf(number)]);
        objects.added(number);
        long deleted = oldest;
        oldest = deleted + 1;
        session.delete(objects.key(deleted));
    }
}
