package dev.granary.tools.bench;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.Numbers;
import dev.granary.bench.memory.SizeDistribution;
import dev.granary.cli.base.Sizes;
import dev.granary.tools.bench.redis.RedisBenchMain;
import dev.granary.tools.bench.redis.RedisPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the door for Redis clients beside redis-server, valkey-server and memcached. */
@Command(
        name = "redis",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure the door for Redis clients beside redis-server, valkey-server and memcached of the distribution, side by"
                    + " side in one run: bytes a key, gets and sets a second, processor time of the servers, latencies,"
                    + " hit ratios.",
        },
        footer = {
            "",
            "  granary bench redis --json result.json                     five minutes",
            "  granary bench redis --keys 10M --seconds 20 --json result.json",
            "",
            "Granary runs as 'granary up' starts it: one super-peer, and as many storage peers as there are copies. All"
                    + " stores are loaded, stay, and take turns. driver-check: the driver beside redis-benchmark, both with"
                    + " the same keys of a redis-server. load and churn: bytes a key beside key and value by the growth of"
                    + " the servers' memory (RSS) since they had 1,000 keys and were warm, and by their own count, which is"
                    + " used_memory of INFO, or the slabs and the hash table of memcached; the growth means little below a"
                    + " million keys. Churn overwrites half of the keys with values of other sizes and replaces a fifth of"
                    + " them, twice. speed: random gets, then random sets. Processor time is that of the servers alone."
                    + " Latencies are those of a closed loop: a connection sends its next batch when all of the last one"
                    + " is answered, so a stall is noted once; p99CorrectedMicros fills in what a stall kept from being"
                    + " sent. hit-ratio: stores started anew with a quarter of the memory that keys and values need, 21 and"
                    + " 68 B, popularity by Zipf's law, a fifth of them replaced meanwhile; null when a store takes no"
                    + " limit.",
            "",
            "Each line of the file has the same fields, null where one does not belong to its case, and those of its case"
                    + " behind them. A store that the distribution does not have is a line of the case missing.",
        })
public final class BenchRedisCommand implements Callable<Integer> {

    private static final long HEAP_BYTES = 512L << 20;

    /** Bytes of a key beside itself and its value in the stores of others, and twice Granary's processes. */
    private static final long BOOKKEEPING_BYTES = 110;

    private static final long PROCESS_BYTES = 400L << 20;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "500K",
            description = "How many keys in each store: 1000000, 1_000_000 or 1M. Default: ${DEFAULT-VALUE}")
    private String keys = "500K";

    @Option(
            names = "--key-bytes",
            paramLabel = "N",
            defaultValue = "16",
            description = "The size of each key, 4 to 250. Default: ${DEFAULT-VALUE}")
    private int keyBytes = 16;

    @Option(
            names = "--value-bytes",
            paramLabel = "N[-N]",
            defaultValue = "16-128",
            description =
                    "One size of values, 8 to 16384, or a range of equally likely sizes. Default: ${DEFAULT-VALUE}")
    private String valueBytes = "16-128";

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "50",
            description = "Connections to each store. Default: ${DEFAULT-VALUE}")
    private int connections = 50;

    @Option(
            names = "--pipeline",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,16,64",
            description = "Requests that a connection sends at a time, measured one after the other."
                    + " Default: ${DEFAULT-VALUE}")
    private List<Integer> pipeline = List.of();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How long gets, and sets, of each store are measured with each pipeline."
                    + " Default: ${DEFAULT-VALUE}")
    private double seconds = 5;

    @Option(
            names = "--expire-seconds",
            paramLabel = "N",
            defaultValue = "0",
            description = "Keys expire after this time, or up to twice as long; 600 or more, which is longer than the"
                    + " measurement. Default: they do not")
    private int expireSeconds;

    @Option(
            names = "--settle-seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long stores may give back or put together memory before it is measured."
                    + " Default: ${DEFAULT-VALUE}")
    private int settleSeconds = 10;

    @Option(
            names = "--cases",
            paramLabel = "CASE",
            split = ",",
            description = "Measure only these: driver-check, memory, speed, hit-ratio. Default: all")
    private List<String> cases = RedisPlan.CASES;

    @Option(
            names = "--stores",
            paramLabel = "STORE",
            split = ",",
            defaultValue = "granary,redis,valkey,memcached",
            description = "Measure only these. Default: ${DEFAULT-VALUE}")
    private List<String> stores = List.of();

    @Option(
            names = "--copies",
            paramLabel = "N",
            split = ",",
            defaultValue = "1",
            description =
                    "Copies of each key in Granary, 1 to 4, one cluster for each number. Default: ${DEFAULT-VALUE}")
    private List<Integer> copies = List.of();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where the servers keep their files. Default: a temporary directory")
    private @Nullable Path directory;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there, one JSON object a line.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        RedisPlan plan = plan();
        requireRoom(plan);
        try (RedisTable table = new RedisTable(json);
                WorkDirectory work = WorkDirectory.make(directory)) {
            table.note(Machine.description());
            new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, List.of())
                    .run(
                            RedisBenchMain.class.getName(),
                            List.of(plan.toJson(), work.path().toString()),
                            Map.of(),
                            MeasuringProcess.resultsApart(table::add, table::progress));
            return table.hasFailures() ? 1 : 0;
        }
    }

    private RedisPlan plan() {
        try {
            SizeDistribution values = SizeDistribution.parse(valueBytes);
            RedisPlan plan = new RedisPlan(
                    Numbers.count("--keys", keys),
                    keyBytes,
                    values.leastBytes(),
                    values.maxBytes(),
                    connections,
                    pipeline,
                    seconds,
                    expireSeconds,
                    settleSeconds,
                    stores,
                    copies,
                    cases);
            plan.check();
            return plan;
        } catch (BadOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** All stores are in memory at the same time. */
    private static void requireRoom(RedisPlan plan) {
        long each = plan.dataBytes() + plan.keys() * BOOKKEEPING_BYTES;
        long peers = plan.copies().stream().mapToLong(Integer::longValue).sum();
        long count = (long) plan.stores().size() + plan.copies().size();
        Ram.require(
                each * count + PROCESS_BYTES * (peers + 1) + HEAP_BYTES,
                plan.stores().size() + " stores of " + Sizes.count(plan.keys()) + " keys");
    }
}
