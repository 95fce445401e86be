package dev.granary.process.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file in Java properties form and refuses keys that stand in it twice, which Java would overwrite silently.
 */
final class PropertiesFile {

    private PropertiesFile() {}

    /** Returns the values by key, sorted; adds what is wrong with the file as a whole to the errors. */
    static Map<String, String> read(Path file, List<String> errors) {
        Map<String, String> pairs = new TreeMap<>();
        Properties collector = new Properties() {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized @Nullable Object put(Object key, Object value) {
                String previous = pairs.put((String) key, (String) value);
                if (previous != null) {
                    errors.add("%s: is set twice in %s, to '%s' and to '%s'".formatted(key, file, previous, value));
                }
                return previous;
            }
        };
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            collector.load(reader);
        } catch (NoSuchFileException e) {
            errors.add("the configuration file " + file + " does not exist");
        } catch (IOException e) {
            errors.add("the configuration file " + file + " cannot be read: " + e);
        } catch (IllegalArgumentException e) {
            errors.add("the configuration file " + file + " is malformed: " + e.getMessage());
        }
        return pairs;
    }
}
