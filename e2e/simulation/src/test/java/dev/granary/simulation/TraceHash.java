package dev.granary.simulation;

import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Runs seeds in a JVM of its own and prints the results, for comparison with other JVMs. */
final class TraceHash {

    private static final int OPERATIONS = 600;

    private TraceHash() {}

    public static void main(String[] args) {
        plans(Arrays.stream(args).mapToLong(Long::parseLong)).map(SeedRun::run).forEach(System.out::println);
    }

    /**
     * Returns the runs of each seed: with all faults and without copies, and as CI runs it, with other sizes and faults
     * for each seed.
     */
    static Stream<SeedPlan> plans(LongStream seeds) {
        return seeds.mapToObj(SeedPlan::of)
                .flatMap(plan -> Stream.of(
                        plan.withOperations(OPERATIONS),
                        plan.withSwarm(true).withShape(plan.shape().withReplicated(true))));
    }
}
