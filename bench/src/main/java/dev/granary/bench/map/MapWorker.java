package dev.granary.bench.map;

/** The process that measures one map. Its arguments are those of a {@link MapPlan}. */
public final class MapWorker {

    private MapWorker() {}

    /** Measures. Prints notes, and the result as the last line. */
    public static void main(String[] arguments) throws Exception {
        MapPlan plan = MapPlan.ofArguments(arguments);
        MapResult result;
        try {
            result = new MapRun(plan, System.out).run();
        } catch (OutOfMemoryError e) {
            result = MapResult.failed(plan, Runtime.getRuntime().maxMemory(), "out of memory: " + e.getMessage());
        }
        System.out.println(result.toJson());
    }
}
