package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.GranaryCommand;
import dev.granary.cli.base.Json;
import dev.granary.tools.bench.redis.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * {@link BenchRedisCommand} with a cluster of ours, which {@code RedisExperiment} drives from a process of its own. The
 * case of hit ratios ({@code HitRatios}) takes minutes, and that of the driver ({@code DriverCheck}) needs a
 * redis-server: {@code ./granary bench redis} runs all of them.
 */
class BenchRedisCommandTest {

    private static final int USAGE = 2;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void redis_fewKeysInGranary_measuresMemoryAndSpeed() throws IOException {
        Path file = directory.resolve("redis.json");
        int code = GranaryCommand.execute(
                "bench",
                "redis",
                "--keys",
                "2_000",
                "--value-bytes",
                "32",
                "--connections",
                "4",
                "--pipeline",
                "8",
                "--seconds",
                "0.2",
                "--settle-seconds",
                "0",
                "--cases",
                "memory,speed",
                "--stores",
                "granary",
                "--directory",
                directory.resolve("work").toString(),
                "--json",
                file.toString());
        List<JsonNode> lines = Files.readAllLines(file).stream()
                .map(line -> Json.parse("a line", line))
                .toList();
        assertThat(lines).extracting(line -> line.get("case").asText()).containsExactly("load", "speed", "churn");
        assertThat(code).isZero();
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.fieldNames()).toIterable().startsWith(Line.FIELDS.toArray(String[]::new));
            assertThat(line.get("store").asText()).isEqualTo("granary");
            assertThat(line.get("copies").asInt()).isEqualTo(1);
            assertThat(line.get("keys").asInt()).isEqualTo(2_000);
            assertThat(line.get("valueBytes").asDouble()).isEqualTo(32);
            boolean speed = line.get("case").asText().equals("speed");
            for (String field : List.of(
                    "getsPerSecond",
                    "setsPerSecond",
                    "serverCpuNanosPerGet",
                    "serverCpuNanosPerSet",
                    "p50Micros",
                    "p99Micros")) {
                assertThat(line.get(field).isNumber()).as(field).isEqualTo(speed);
            }
            assertThat(line.get("bytesPerKeyBesideData").isNumber()).isEqualTo(!speed);
            if (speed) {
                assertThat(line.get("getsPerSecond").asDouble()).isPositive();
                assertThat(line.get("serverCpuNanosPerGet").asDouble()).isPositive();
                assertThat(line.get("misses").asInt()).isZero();
                assertThat(line.get("errors").asInt()).isZero();
            } else {
                assertThat(line.get("dataBytes").asInt()).isEqualTo(2_000 * (16 + 32));
                assertThat(line.get("ownBytes").asLong()).isGreaterThan(2_000 * (16 + 32));
            }
        });
        assertThat(directory.resolve("work")).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({
        "--keys,many,--keys",
        "--keys,100,--keys is from 2,000",
        "--keys,3G,--keys",
        "--key-bytes,3,--key-bytes",
        "--key-bytes,251,--key-bytes",
        "--key-bytes,4,too few",
        "--value-bytes,7,--value-bytes",
        "--value-bytes,128-16,128-16",
        "--value-bytes,16-99999,--value-bytes",
        "--connections,0,--connections",
        "--pipeline,'1,0',--pipeline",
        "--pipeline,'16,16',--pipeline",
        "--seconds,0,--seconds",
        "--expire-seconds,5,--expire-seconds",
        "--settle-seconds,601,--settle-seconds",
        "--stores,etcd,'granary, redis, valkey, memcached'",
        "--cases,latency,'driver-check, memory, speed, hit-ratio'",
        "--copies,'1,5',--copies"
    })
    void redis_optionThatMakesNoSense_isRefusedBeforeAnythingIsMeasured(String option, String value, String why) {
        StringBuilder said = new StringBuilder();
        CommandLine line = new CommandLine(new BenchRedisCommand());
        line.setParameterExceptionHandler((e, arguments) -> {
            said.append(e.getMessage());
            return USAGE;
        });
        assertThat(line.execute(option, value)).isEqualTo(USAGE);
        assertThat(said.toString()).contains(why);
    }

    @Test
    void redis_moreThanTheMachineHolds_isRefused() {
        assertThat(GranaryCommand.execute("bench", "redis", "--keys", "1900M")).isEqualTo(1);
    }

    @Test
    void add_lines_storesThatAreMissingAreNoFailures() throws IOException {
        Path file = directory.resolve("result.json");
        try (RedisTable table = new RedisTable(file)) {
            table.add("{\"case\":\"missing\",\"store\":\"valkey\",\"remark\":\"there is none\"}");
            assertThat(table.hasFailures()).isFalse();
            table.add("{\"case\":\"failed\",\"store\":\"redis\",\"remark\":\"it ended\"}");
            assertThat(table.hasFailures()).isTrue();
        }
        assertThat(Files.readAllLines(file)).hasSize(2);
    }
}
