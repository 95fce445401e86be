package dev.granary.tools.bench.redis;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A store that can be measured. */
public enum StoreKind {
    /** A local cluster of ours. */
    GRANARY("", ""),
    REDIS("REDIS_SERVER", "redis-server"),
    VALKEY("VALKEY_SERVER", "valkey-server"),
    MEMCACHED("MEMCACHED_SERVER", "memcached");

    private final String variable;
    private final String program;

    StoreKind(String variable, String program) {
        this.variable = variable;
        this.program = program;
    }

    /** The names of all kinds. */
    public static List<String> names() {
        return Arrays.stream(values()).map(StoreKind::toString).toList();
    }

    /** The kind of a name. */
    public static Optional<StoreKind> of(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.toString().equals(name))
                .findFirst();
    }

    /** The executable of its server, empty when this machine has none. */
    public Optional<Path> executable() {
        return executable(variable, program);
    }

    /** What is missing, and what to do. */
    public String missing() {
        return "there is no " + program + ": the packages of the distribution have none that can be downloaded; "
                + variable + " can name one";
    }

    /** The program that an environment variable names, or else the one that is on the path. */
    static Optional<Path> executable(String variable, String program) {
        String named = System.getenv(variable);
        if (named != null && !named.isBlank()) {
            return Optional.of(Path.of(named)).filter(Files::isExecutable);
        }
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(path.split(File.pathSeparator, -1))
                .filter(folder -> !folder.isBlank())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
