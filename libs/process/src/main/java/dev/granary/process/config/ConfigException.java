package dev.granary.process.config;

import java.util.List;

/** The configuration is wrong. Carries every error found, not only the first. */
public final class ConfigException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> errors;

    public ConfigException(List<String> errors) {
        super(String.join("\n", errors));
        this.errors = List.copyOf(errors);
    }

    /** An error that only shows when keys are seen together. */
    public static ConfigException of(ConfigKey<?> key, Object value, String complaint, String allowed) {
        return new ConfigException(List.of(describe(key, value, complaint, allowed)));
    }

    static String describe(ConfigKey<?> key, Object value, String complaint, String allowed) {
        return "%s: the value '%s' %s; allowed: %s".formatted(key.name(), value, complaint, allowed);
    }

    /** One sentence for each error. */
    public List<String> errors() {
        return errors;
    }
}
