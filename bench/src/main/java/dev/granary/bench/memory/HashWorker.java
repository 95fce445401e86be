package dev.granary.bench.memory;

/** The process that measures hash tables. Its one argument is a {@link MemoryPlan} as JSON. */
public final class HashWorker {

    private HashWorker() {}

    /** Measures. Exits with 1 and a stack trace on standard error when something is wrong. */
    public static void main(String[] arguments) {
        try {
            MemoryPlan plan = MemoryPlan.ofJson(arguments[0]);
            for (HashStore.Kind kind : HashStore.Kind.values()) {
                if (kind.toString().equals(plan.store())) {
                    new MemoryRun(plan, HashStore.factory(kind), new Output(System.out)).run();
                    return;
                }
            }
            throw new BadOptionException("there is no hash table " + plan.store());
        } catch (Exception | OutOfMemoryError e) {
            e.printStackTrace();
            System.exit(1);
        }
    }
}
