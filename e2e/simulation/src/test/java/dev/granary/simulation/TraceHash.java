package dev.granary.simulation;

/** Runs one seed in a JVM of its own and prints what came out, for comparison with other JVMs. */
final class TraceHash {

    private TraceHash() {}

    public static void main(String[] args) {
        System.out.println(SeedRun.run(SeedPlan.of(Long.parseLong(args[0]))));
    }
}
