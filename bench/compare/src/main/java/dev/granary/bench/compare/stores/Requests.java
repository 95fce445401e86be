package dev.granary.bench.compare.stores;

/** What the threads of a measurement do, again and again. */
interface Requests {

    /** Prepares what one thread does with its session. */
    Step begin(ComparedClient.Session session);

    /** How many reads have found less than was acknowledged before they began, of those that are checked. */
    default long staleReads() {
        return 0;
    }

    /** One request. Throws when it fails. Not thread-safe. */
    @FunctionalInterface
    interface Step {

        /** Does the next request and returns how many operations it was. */
        int next();
    }
}
