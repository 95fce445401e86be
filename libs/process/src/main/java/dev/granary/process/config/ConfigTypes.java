package dev.granary.process.config;

import dev.granary.overlay.HostAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The types of configuration values. */
public final class ConfigTypes {

    private static final int MAX_PORT = 65_535;

    private ConfigTypes() {}

    /** Any text that is not empty. */
    public static ConfigType<String> text() {
        return type("a text that is not empty", text -> text);
    }

    /** A text of letters, digits, dots, hyphens and underscores: names that appear in labels and file names. */
    public static ConfigType<String> name() {
        return type("1 to 253 letters, digits, dots, hyphens or underscores", text -> {
            if (!text.matches("[A-Za-z0-9._-]{1,253}")) {
                throw new IllegalArgumentException("has other characters or is too long");
            }
            return text;
        });
    }

    /** A whole number within bounds, both inclusive. */
    public static ConfigType<Integer> integer(int min, int max) {
        return type("a whole number from " + min + " to " + max, text -> {
            int number;
            try {
                number = Integer.parseInt(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("is no whole number of this range", e);
            }
            requireWithin(number >= min, number <= max);
            return number;
        });
    }

    /** A TCP port; 0 takes any free one. */
    public static ConfigType<Integer> port() {
        ConfigType<Integer> number = integer(0, MAX_PORT);
        return type("a port from 1 to " + MAX_PORT + ", or 0 for any free port", number::parse);
    }

    /** {@code true} or {@code false}. */
    public static ConfigType<Boolean> bool() {
        return type("true or false", text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("is neither");
        });
    }

    /** One of an enum's constants, written in lower case with hyphens. */
    public static <E extends Enum<E>> ConfigType<E> choice(Class<E> values) {
        List<E> constants = Arrays.asList(values.getEnumConstants());
        String allowed = constants.stream().map(ConfigTypes::nameOf).collect(Collectors.joining(", ", "one of ", ""));
        return type(allowed, text -> constants.stream()
                .filter(constant -> nameOf(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("is none of them")));
    }

    private static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A number of bytes such as {@code 512Mi}, {@code 1Gi} or {@code 1048576}, within bounds, both inclusive. */
    public static ConfigType<Long> size(long minBytes, long maxBytes) {
        String allowed = "a size from " + Units.formatSize(minBytes) + " to " + Units.formatSize(maxBytes)
                + " (bytes, or with Ki, Mi, Gi or Ti)";
        return type(allowed, text -> {
            long sizeBytes = Units.parseSize(text);
            requireWithin(sizeBytes >= minBytes, sizeBytes <= maxBytes);
            return sizeBytes;
        });
    }

    /** A time such as {@code 200ms}, {@code 10s} or {@code 5m} in nanoseconds, within bounds, both inclusive. */
    public static ConfigType<Long> durationNanos(long minNanos, long maxNanos) {
        String allowed = "a time from " + Units.formatDuration(minNanos) + " to " + Units.formatDuration(maxNanos)
                + " (with ms, s, m or h)";
        return type(allowed, text -> {
            long nanos = Units.parseDurationNanos(text);
            requireWithin(nanos >= minNanos, nanos <= maxNanos);
            return nanos;
        });
    }

    /** A comma-separated list of {@code host:port}, at least one. */
    public static ConfigType<List<HostAddress>> addresses() {
        return type("host:port, or several with commas between them", text -> {
            List<HostAddress> addresses = new ArrayList<>();
            for (String part : text.split(",", -1)) {
                addresses.add(HostAddress.parse(part.strip()));
            }
            return List.copyOf(addresses);
        });
    }

    /** A host name or an IP address, without a port. */
    public static ConfigType<String> host() {
        return type("a host name or an IP address", text -> new HostAddress(text, 0).host());
    }

    /** A path in the file system. */
    public static ConfigType<Path> path() {
        return type("a path", text -> {
            try {
                return Path.of(text);
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException("is no path: " + e.getReason(), e);
            }
        });
    }

    private static void requireWithin(boolean largeEnough, boolean smallEnough) {
        if (!largeEnough) {
            throw new IllegalArgumentException("is too small");
        }
        if (!smallEnough) {
            throw new IllegalArgumentException("is too large");
        }
    }

    private static <T> ConfigType<T> type(String allowed, Function<String, T> parser) {
        return new ConfigType<>() {
            @Override
            public T parse(String text) {
                return parser.apply(text);
            }

            @Override
            public String allowed() {
                return allowed;
            }
        };
    }
}
