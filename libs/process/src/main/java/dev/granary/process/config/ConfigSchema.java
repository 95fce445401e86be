package dev.granary.process.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All keys that a process knows, in the order in which they are shown. Immutable. */
public final class ConfigSchema {

    private final Map<String, ConfigKey<?>> byName = new LinkedHashMap<>();

    /** @throws IllegalArgumentException when two keys have the same name */
    public ConfigSchema(List<ConfigKey<?>> keys) {
        for (ConfigKey<?> key : keys) {
            if (byName.put(key.name(), key) != null) {
                throw new IllegalArgumentException("configuration key '" + key.name() + "' is there twice");
            }
        }
    }

    Collection<ConfigKey<?>> keys() {
        return byName.values();
    }

    @Nullable
    ConfigKey<?> find(String name) {
        return byName.get(name);
    }

    /** The known key whose name is most like the given one. */
    ConfigKey<?> nearest(String name) {
        ConfigKey<?> best = byName.values().iterator().next();
        int bestDistance = Integer.MAX_VALUE;
        for (ConfigKey<?> key : byName.values()) {
            int distance = EditDistance.between(name, key.name());
            if (distance < bestDistance) {
                bestDistance = distance;
                best = key;
            }
        }
        return best;
    }

    /** All keys with default and meaning, for {@code --help}. */
    public String toHelp() {
        StringBuilder out = new StringBuilder(2048);
        for (ConfigKey<?> key : keys()) {
            out.append("  ").append(key.name()).append('\n');
            out.append("      ").append(key.description()).append('\n');
            out.append("      Allowed: ").append(key.type().allowed()).append(".\n");
            out.append("      Default: ").append(key.defaultForPeople()).append(".\n");
        }
        return out.toString();
    }

    /** All keys as a table for the configuration guide. */
    public String toMarkdown() {
        List<String> lines = new ArrayList<>();
        lines.add("| Key | Default | Allowed | Meaning |");
        lines.add("|---|---|---|---|");
        for (ConfigKey<?> key : keys()) {
            String defaultText = key.defaultText();
            String shown = defaultText == null ? key.defaultForPeople() : "`" + defaultText + "`";
            lines.add("| `%s` | %s | %s | %s |"
                    .formatted(key.name(), shown, key.type().allowed(), key.description()));
        }
        return String.join("\n", lines) + "\n";
    }
}
