package dev.granary.process.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The values of a process's configuration keys. Immutable. A value comes from the environment, else from the file, else
 * it is the key's default.
 */
public final class Config {

    /** Variables that are meant for the start scripts. */
    private static final List<String> NOT_KEYS =
            List.of("GRANARY_JVM_OPTIONS", "GRANARY_NODE_JVM_OPTIONS", "GRANARY_HOME", "GRANARY_TOOLS");

    /**
     * Variables that Kubernetes sets for each Service of the namespace. A Service whose name begins with "granary" must
     * not keep a process from starting.
     */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "GRANARY(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

    private final Map<String, Object> values;

    private Config(Map<String, Object> values) {
        this.values = values;
    }

    /**
     * Reads and checks everything.
     *
     * @param file in Java properties form, UTF-8; null when there is none
     * @param environment variables that begin with {@code GRANARY_} override the file
     * @throws ConfigException with every error that was found
     */
    public static Config load(ConfigSchema schema, @Nullable Path file, Map<String, String> environment) {
        List<String> errors = new ArrayList<>();
        Map<String, String> texts = new LinkedHashMap<>();
        if (file != null) {
            PropertiesFile.read(file, errors).forEach((name, text) -> takeFromFile(schema, name, text, texts, errors));
        }
        environment.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(ConfigKey.ENVIRONMENT_PREFIX))
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> takeFromEnvironment(schema, entry.getKey(), entry.getValue(), texts, errors));
        Map<String, Object> values = new LinkedHashMap<>();
        schema.keys().forEach(key -> parse(key, texts.get(key.name()), values, errors));
        if (!errors.isEmpty()) {
            throw new ConfigException(errors);
        }
        return new Config(values);
    }

    private static void takeFromFile(
            ConfigSchema schema, String name, String text, Map<String, String> texts, List<String> errors) {
        if (schema.find(name) == null) {
            errors.add("%s: unknown key (its value is '%s'); the nearest known key is %s"
                    .formatted(name, text, schema.nearest(name).name()));
        } else {
            texts.put(name, text);
        }
    }

    private static void takeFromEnvironment(
            ConfigSchema schema, String variable, String text, Map<String, String> texts, List<String> errors) {
        for (ConfigKey<?> key : schema.keys()) {
            if (key.environmentName().equals(variable)) {
                texts.put(key.name(), text);
                return;
            }
        }
        if (NOT_KEYS.contains(variable) || SERVICE_LINK.matcher(variable).matches()) {
            return;
        }
        String asKey = variable.substring(ConfigKey.ENVIRONMENT_PREFIX.length())
                .toLowerCase(Locale.ROOT)
                .replace('_', '.');
        errors.add("%s: unknown key in the environment (its value is '%s'); the nearest known one is %s"
                .formatted(variable, text, schema.nearest(asKey).environmentName()));
    }

    private static void parse(
            ConfigKey<?> key, @Nullable String text, Map<String, Object> values, List<String> errors) {
        String chosen = text == null || text.isBlank() ? key.defaultText() : text.strip();
        if (chosen == null) {
            if (key.isRequired()) {
                errors.add("%s: must be set; allowed: %s"
                        .formatted(key.name(), key.type().allowed()));
            }
            return;
        }
        try {
            Object value = key.type().parse(chosen);
            values.put(key.name(), value);
        } catch (IllegalArgumentException e) {
            errors.add(ConfigException.describe(
                    key, chosen, String.valueOf(e.getMessage()), key.type().allowed()));
        }
    }

    /** The value of a key that has a default or must be set. */
    public <T> T get(ConfigKey<T> key) {
        return find(key)
                .orElseThrow(() -> new IllegalArgumentException("configuration key " + key.name() + " is not set"));
    }

    /** The value of a key, if it is set or has a default. */
    @SuppressWarnings("unchecked") // parse() stored what this key's own type made.
    public <T> Optional<T> find(ConfigKey<T> key) {
        return Optional.ofNullable((T) values.get(key.name()));
    }
}
