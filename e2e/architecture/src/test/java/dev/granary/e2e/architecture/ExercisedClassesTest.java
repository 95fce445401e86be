package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * A test names each class of its own module that has more than {@value #LARGE_LINES} lines, so that the class can be
 * made and checked by itself (ADR 0225). The exceptions are in {@code not-named-in-tests.txt}, which only gets shorter.
 */
class ExercisedClassesTest {

    private static final int LARGE_LINES = 120;

    private static final Path LIST =
            Path.of("src/test/resources/not-named-in-tests.txt").toAbsolutePath();

    private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w*\\b");

    @Test
    void largeClasses_notNamedInTests_areThoseOfTheList() {
        Set<String> unnamed = unnamedClasses();
        Set<String> listed = Sources.read(LIST)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .collect(Collectors.toCollection(TreeSet::new));

        Set<String> missing = new TreeSet<>(unnamed);
        missing.removeAll(listed);
        assertThat(missing)
                .as("classes of more than %d lines that no test of their module names; write a test", LARGE_LINES)
                .isEmpty();
        Set<String> done = new TreeSet<>(listed);
        done.removeAll(unnamed);
        assertThat(done)
                .as("lines of %s that are not needed any more; remove them", Sources.name(LIST))
                .isEmpty();
    }

    @Test
    void largeClasses_thatTestsName_areSeen() {
        // The opposite of the rule above: these classes are large and tested, so they must not count as unnamed.
        assertThat(unnamedClasses())
                .doesNotContain(
                        "libs/log/src/main/java/dev/granary/log/backup/BackupLog.java",
                        "storage-node/src/main/java/dev/granary/storage/replicate/OwnedZone.java")
                .hasSizeLessThan(1000);
    }

    private static Set<String> unnamedClasses() {
        Map<String, Set<String>> named = new TreeMap<>();
        Map<String, Path> large = new TreeMap<>();
        for (Path file : Sources.java()) {
            String name = Sources.name(file);
            List<String> parts = List.of(name.split("/src/(main|test)/java/", 2));
            if (parts.size() < 2) {
                continue;
            }
            if (name.contains("/src/test/java/")) {
                Set<String> words = named.computeIfAbsent(parts.getFirst(), module -> new HashSet<>());
                NAME.matcher(Sources.read(file))
                        .results()
                        .map(MatchResult::group)
                        .forEach(words::add);
            } else if (Sources.read(file).lines().count() > LARGE_LINES) {
                large.put(name, file);
            }
        }
        assertThat(large).as("large classes that were found").hasSizeGreaterThan(100);
        Set<String> unnamed = new TreeSet<>();
        large.forEach((name, file) -> {
            String module = name.substring(0, name.indexOf("/src/main/java/"));
            String type = file.getFileName().toString().replace(".java", "");
            if (!named.getOrDefault(module, Set.of()).contains(type)) {
                unnamed.add(name);
            }
        });
        return unnamed;
    }
}
