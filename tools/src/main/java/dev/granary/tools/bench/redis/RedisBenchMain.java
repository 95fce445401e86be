package dev.granary.tools.bench.redis;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.UserException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The process that drives and measures the stores. Arguments: a plan as JSON, and an empty directory. Prints JSON
 * objects, and lines for people.
 */
public final class RedisBenchMain {

    private RedisBenchMain() {}

    /** Measures everything. */
    public static void main(String[] arguments) throws InterruptedException {
        CommandLogging.configure();
        RedisPlan plan = RedisPlan.ofJson(arguments[0]);
        Stores stores = new Stores(plan, Path.of(arguments[1]));
        Consumer<Line> results = line -> System.out.println(line.toJson());
        Consumer<String> notes = System.out::println;
        try {
            if (plan.cases().contains(RedisPlan.DRIVER_CHECK)) {
                new DriverCheck(plan, stores, results, notes).run();
            }
            if (plan.cases().contains(RedisPlan.MEMORY) || plan.cases().contains(RedisPlan.SPEED)) {
                new RedisExperiment(plan, stores, results, notes).run();
            }
            if (plan.cases().contains(RedisPlan.HIT_RATIO)) {
                new HitRatios(plan, stores, results, notes).run();
            }
        } catch (UserException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }
}
