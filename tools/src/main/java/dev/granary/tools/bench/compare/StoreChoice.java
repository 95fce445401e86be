package dev.granary.tools.bench.compare;

import dev.granary.tools.bench.redis.StoreKind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A store that can be compared. */
public enum StoreChoice {
    /** A local cluster of ours with the Java client. */
    GRANARY("Java client", ""),
    REDIS("Jedis", ""),
    VALKEY("Jedis", ""),
    MEMCACHED("Xmemcached", ""),
    HAZELCAST("Hazelcast client", """
                    --add-modules=java.se
                    --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
                    --add-opens=java.base/java.lang=ALL-UNNAMED
                    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
                    --add-opens=java.management/sun.management=ALL-UNNAMED
                    --add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED
                    -Dhazelcast.logging.type=none
                    -Dhazelcast.phone.home.enabled=false"""),
    INFINISPAN("Hot Rod client", ""),
    IGNITE("thin client", """
                    --add-opens=java.base/java.io=ALL-UNNAMED
                    --add-opens=java.base/java.lang=ALL-UNNAMED
                    --add-opens=java.base/java.lang.invoke=ALL-UNNAMED
                    --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
                    --add-opens=java.base/java.math=ALL-UNNAMED
                    --add-opens=java.base/java.net=ALL-UNNAMED
                    --add-opens=java.base/java.nio=ALL-UNNAMED
                    --add-opens=java.base/java.text=ALL-UNNAMED
                    --add-opens=java.base/java.time=ALL-UNNAMED
                    --add-opens=java.base/java.util=ALL-UNNAMED
                    --add-opens=java.base/java.util.concurrent=ALL-UNNAMED
                    --add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED
                    --add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED
                    --add-opens=java.base/jdk.internal.access=ALL-UNNAMED
                    --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED
                    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
                    --add-opens=java.base/sun.util.calendar=ALL-UNNAMED
                    --add-opens=java.logging/java.util.logging=ALL-UNNAMED
                    --add-opens=java.management/com.sun.jmx.mbeanserver=ALL-UNNAMED
                    --add-opens=java.sql/java.sql=ALL-UNNAMED
                    --add-opens=jdk.internal.jvmstat/sun.jvmstat.monitor=ALL-UNNAMED
                    --add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED
                    -DIGNITE_UPDATE_NOTIFIER=false
                    -DIGNITE_QUIET=true
                    -Djava.net.preferIPv4Stack=true""");

    private final String client;

    /** The JVM options, separated by white space, because an enum constant should hold no list. */
    private final String options;

    StoreChoice(String client, String options) {
        this.client = client;
        this.options = options;
    }

    /** The names of all stores. */
    public static List<String> names() {
        return Arrays.stream(values()).map(StoreChoice::toString).toList();
    }

    /** The store of a name. */
    public static Optional<StoreChoice> of(String name) {
        return Arrays.stream(values())
                .filter(store -> store.toString().equals(name))
                .findFirst();
    }

    /** The client that is measured. */
    public String client() {
        return client;
    }

    /** JVM options that its libraries ask for, in servers and clients. */
    public List<String> options() {
        return options.isBlank() ? List.of() : List.of(options.split("\\s+", -1));
    }

    /** The program that serves it; empty when it is none of the distribution. */
    Optional<StoreKind> program() {
        return switch (this) {
            case REDIS -> Optional.of(StoreKind.REDIS);
            case VALKEY -> Optional.of(StoreKind.VALKEY);
            case MEMCACHED -> Optional.of(StoreKind.MEMCACHED);
            default -> Optional.empty();
        };
    }

    /** Whether this machine has what serves it. */
    public boolean isAvailable() {
        return program().map(kind -> kind.executable().isPresent()).orElse(true);
    }

    /** What is missing when it is not available, and what to do. */
    public String missing() {
        return program().orElseThrow().missing();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
