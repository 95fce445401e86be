package dev.granary.bench.compare.stores;

/** What the threads of a measurement do, again and again. */
interface Requests {

    /** Prepares what one thread does with its session. */
    Step begin(ComparedClient.Session session);

    /** One request. Throws when it fails. Not thread-safe. */
    @FunctionalInterface
    interface Step {

        /** Does the next request and returns how many operations it was. */
        int next();
    }
}
