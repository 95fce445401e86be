package dev.granary.tools.bench.network;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A client that can be measured. */
public enum ClientKind {
    /** The methods of the Java client that wait. */
    GRANARY("granary", true),
    /** The same client, waiting for its futures. */
    GRANARY_FUTURES("granary", true),
    JEDIS("redis", false),
    LETTUCE("redis", false);

    private final String store;
    private final boolean ours;

    ClientKind(String store, boolean ours) {
        this.store = store;
        this.ours = ours;
    }

    /** The names of all kinds. */
    public static List<String> names() {
        return Arrays.stream(values()).map(ClientKind::toString).toList();
    }

    /** The kind of a name. */
    public static Optional<ClientKind> of(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.toString().equals(name))
                .findFirst();
    }

    /** The name of the store that it talks to. */
    public String store() {
        return store;
    }

    /** Whether it is a client of Granary. */
    public boolean isOurs() {
        return ours;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
