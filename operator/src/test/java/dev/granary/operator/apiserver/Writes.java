package dev.granary.operator.apiserver;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/** Writes of tests to objects that the operator also writes. */
final class Writes {
    private static final int CONFLICT = 409;

    private Writes() {}

    /**
     * Reads and writes until no write of the operator comes between the two.
     *
     * @return the result of the last attempt
     */
    static <T> T untilTaken(Supplier<T> readAndWrite) {
        return await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(100))
                .pollDelay(Duration.ZERO)
                .ignoreExceptionsMatching(
                        e -> e instanceof KubernetesClientException refused && refused.getCode() == CONFLICT)
                .until(readAndWrite::get, Objects::nonNull);
    }
}
