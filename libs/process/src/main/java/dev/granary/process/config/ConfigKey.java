package dev.granary.process.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A configuration key. Immutable.
 *
 * @param name lower-case words with dots between them, for example {@code memory.size}
 * @param type how its value is read and what is allowed
 * @param defaultText the default as one would write it; null when there is none
 * @param whenUnset what holds when nothing is set and there is no default, for people; null when it must be set
 * @param description one sentence for people
 * @param <T> the value
 */
public record ConfigKey<T>(
        String name,
        ConfigType<T> type,
        @Nullable String defaultText,
        @Nullable String whenUnset,
        String description) {

    /** The prefix of every environment variable that sets a key. */
    static final String ENVIRONMENT_PREFIX = "GRANARY_";

    public ConfigKey {
        if (!name.matches("[a-z]+(\\.[a-z]+)*")) {
            throw new IllegalArgumentException("configuration key '" + name + "' is not words with dots between them");
        }
        if (defaultText != null) {
            type.parse(defaultText);
        }
    }

    /** A key with a default. */
    public static <T> ConfigKey<T> withDefault(
            String name, ConfigType<T> type, String defaultText, String description) {
        return new ConfigKey<>(name, type, defaultText, null, description);
    }

    /** A key that must be set. */
    public static <T> ConfigKey<T> required(String name, ConfigType<T> type, String description) {
        return new ConfigKey<>(name, type, null, null, description);
    }

    /** A key that may be left out; the process then does what {@code whenUnset} says. */
    public static <T> ConfigKey<T> optional(String name, ConfigType<T> type, String whenUnset, String description) {
        return new ConfigKey<>(name, type, null, whenUnset, description);
    }

    /** The variable of the environment that sets this key: {@code GRANARY_MEMORY_SIZE} for {@code memory.size}. */
    public String environmentName() {
        return ENVIRONMENT_PREFIX + name.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    boolean isRequired() {
        return defaultText == null && whenUnset == null;
    }

    /** The default for people. */
    String defaultForPeople() {
        if (defaultText != null) {
            return defaultText;
        }
        return whenUnset == null ? "none, must be set" : whenUnset;
    }
}
