package dev.granary.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link Driver} with a {@link SmallStore} over real connections, and {@link Churn} with it. */
class DriverTest {

    private static final int KEYS = 500;
    private static final KeyNames NAMES = KeyNames.mixed(16);
    private static final Values VALUES = new Values(16, 128);

    private final SmallStore store = new SmallStore();

    DriverTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private Driver driver(int connections, int expirySeconds) throws IOException {
        return Driver.connect(store.addresses(), connections, new RespWire(expirySeconds), NAMES, VALUES, true);
    }

    private static Requests load() {
        return new ListedRequests(KEYS, key -> Operation.set(key, 0));
    }

    private static String name(long key) {
        byte[] name = NAMES.template();
        NAMES.write(key, name);
        return new String(name, StandardCharsets.US_ASCII);
    }

    private static byte[] value(long key, int version) {
        ByteBuffer value = ByteBuffer.allocate(VALUES.size(key, version));
        VALUES.write(key, version, value);
        return value.array();
    }

    @ParameterizedTest
    @CsvSource({"1,1,0", "3,16,0", "7,64,0", "2,5,600"})
    void run_listOfSets_allAreSetOnce(int connections, int pipeline, int expirySeconds) throws IOException {
        try (Driver driver = driver(connections, expirySeconds)) {
            DriverResult result = driver.run(load(), pipeline, Long.MAX_VALUE);
            assertThat(result.requests()).isEqualTo(KEYS);
            assertThat(result.latencies().getTotalCount()).isEqualTo(KEYS);
            assertThat(result.errors()).isZero();
        }
        assertThat(store.connections).hasValue(connections);
        assertThat(store.keys).hasSize(KEYS);
        for (long key = 0; key < KEYS; key++) {
            assertThat(store.keys.get(name(key))).isEqualTo(value(key, 0));
        }
    }

    @Test
    void run_getsOfKeysOfWhichHalfAreThere_countsMissesUntilTheTimeIsOver() throws IOException {
        try (Driver driver = driver(3, 0)) {
            driver.run(load(), 16, Long.MAX_VALUE);
            DriverResult result = driver.run(RandomRequests.gets(2 * KEYS, 1), 16, TimeUnit.MILLISECONDS.toNanos(300));
            assertThat(result.nanos()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(300));
            assertThat(result.misses()).isBetween(result.requests() * 2 / 5, result.requests() * 3 / 5);
            assertThat(result.perSecond()).isPositive();
            assertThat(result.micros(99)).isGreaterThanOrEqualTo(result.micros(50));
            assertThat(result.correctedMicros(99, 48)).isPositive();
        }
    }

    @Test
    void run_someRequestsAreAnsweredByErrors_areSentAgain() throws IOException {
        store.errors.set(37);
        try (Driver driver = driver(2, 0)) {
            DriverResult result = driver.run(load(), 8, Long.MAX_VALUE);
            assertThat(result.errors()).isEqualTo(37);
            assertThat(result.firstError()).isEqualTo("TRYAGAIN not now");
            assertThat(result.requests()).isEqualTo(KEYS + 37);
        }
        assertThat(store.keys).hasSize(KEYS);
    }

    @Test
    void run_valueThatWasNeverSet_isAWrongAnswer() throws IOException {
        try (Driver driver = driver(1, 0)) {
            driver.run(load(), 8, Long.MAX_VALUE);
            store.keys.put(name(7), value(8, 0));
            assertThatThrownBy(() -> driver.run(new ListedRequests(KEYS, Operation::get), 8, Long.MAX_VALUE))
                    .isInstanceOf(WrongAnswerException.class)
                    .hasMessageContaining(name(7));
        }
    }

    @Test
    void run_storeClosesItsConnections_fails() throws IOException {
        try (Driver driver = driver(1, 0)) {
            driver.run(load(), 1, Long.MAX_VALUE);
            store.closes = true;
            assertThatThrownBy(() -> driver.run(load(), 1, Long.MAX_VALUE))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("closed a connection");
        }
    }

    @Test
    void valueBytes_afterChurn_areThoseThatTheStoreHas() throws IOException {
        Churn churn = new Churn(KEYS);
        try (Driver driver = driver(4, 0)) {
            driver.run(load(), 16, Long.MAX_VALUE);
            for (int round = 1; round <= Churn.ROUNDS; round++) {
                DriverResult result = driver.run(churn.round(round), 16, Long.MAX_VALUE);
                assertThat(result.misses()).as("deletes of keys that are there").isZero();
            }
        }
        assertThat(store.keys).hasSize(KEYS);
        assertThat(churn.valueBytes(VALUES))
                .isEqualTo(store.keys.values().stream()
                        .mapToLong(value -> value.length)
                        .sum());
        Set<String> replaced = LongStream.range(KEYS, 2 * KEYS)
                .mapToObj(DriverTest::name)
                .filter(store.keys::containsKey)
                .collect(Collectors.toSet());
        assertThat(replaced).as("two fifths").hasSize(KEYS * 2 / 5);
        long same = LongStream.range(0, KEYS)
                .filter(key -> Arrays.equals(store.keys.get(name(key)), value(key, 0)))
                .count();
        assertThat(same).as("a quarter of three fifths").isBetween(KEYS / 10L, KEYS / 5L);
    }

    @Test
    void run_cacheRequests_setsWhatWasMissingAndCountsHitsOfTheSecondHalf() throws IOException {
        CacheRequests requests = new CacheRequests(200, 0.99, 4_000, 1);
        try (Driver driver = driver(2, 0)) {
            driver.run(requests, 4, Long.MAX_VALUE);
        }
        // Nothing is evicted, so only objects that are new are missing: 20 of 2,000 gets, or a few more when they are
        // asked for at the same time.
        assertThat(requests.hitRatio()).isBetween(0.93, 0.999);
    }
}
