package dev.granary.e2e.simulation;

/** Runs one seed in a JVM of its own and prints what came out, for comparison with other JVMs. */
final class TraceHash {

    private TraceHash() {}

    public static void main(String[] args) {
        System.out.println(ClusterRun.run(Long.parseLong(args[0])));
    }
}
