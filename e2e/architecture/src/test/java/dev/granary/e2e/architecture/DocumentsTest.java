package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the documents name exists: files of walks, links, decisions. */
class DocumentsTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Path DOCS = ROOT.resolve("docs");

    private static final Pattern STEP = Pattern.compile("(?m)^(\\d+)\\. `([^`]+\\.java)`");
    private static final Pattern PATH = Pattern.compile("`([\\w./-]+/src/[\\w./-]+\\.java)`");
    private static final Pattern LINK = Pattern.compile("(?:\\]\\(|^\\[[^]]+\\]: +)([^)\\s]+)", Pattern.MULTILINE);

    @ParameterizedTest
    @CsvSource({
        "Get, 20",
        "Put with three copies, 30",
        "Recovery of a lost owner's zone, 30",
        "Reconcile of a Granary resource, 25"
    })
    void walk_itsFiles_areThereAndFew(String walk, int mostFiles) throws IOException {
        String section = section(Files.readString(DOCS.resolve("architecture.md")), walk);
        List<MatchResult> steps = STEP.matcher(section).results().toList();
        assertThat(steps).as("steps of '%s'", walk).hasSizeBetween(10, mostFiles);
        assertThat(section).as("the number at the head of '%s'", walk).contains(steps.size() + " files");
        for (int i = 0; i < steps.size(); i++) {
            assertThat(steps.get(i).group(1)).isEqualTo(String.valueOf(i + 1));
        }
        assertThat(steps.stream().map(step -> step.group(2)).distinct()).hasSize(steps.size());
    }

    @Test
    void documents_sourcesThatTheyName_areThere() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path document : documents()) {
            Matcher path = PATH.matcher(Files.readString(document));
            while (path.find()) {
                if (!Files.isRegularFile(ROOT.resolve(path.group(1)))) {
                    missing.add(ROOT.relativize(document) + ": " + path.group(1));
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void documents_theirLinks_leadSomewhere() throws IOException {
        List<String> dead = new ArrayList<>();
        int seen = 0;
        for (Path document : documents()) {
            Matcher link = LINK.matcher(Files.readString(document));
            while (link.find()) {
                String target = link.group(1).replaceAll("#.*", "");
                if (target.isEmpty() || target.contains(":")) {
                    continue;
                }
                seen++;
                if (!Files.exists(document.resolveSibling(target))) {
                    dead.add(ROOT.relativize(document) + ": " + target);
                }
            }
        }
        assertThat(seen).as("links that were looked at").isGreaterThan(300);
        assertThat(dead).isEmpty();
    }

    @Test
    void decisions_theirIndex_namesEachOnce() throws IOException {
        String index = Files.readString(DOCS.resolve("adr/README.md"));
        Map<String, Long> named = Pattern.compile("\\]\\((\\d{4}-[^)]+\\.md)\\)")
                .matcher(index)
                .results()
                .collect(Collectors.groupingBy(link -> link.group(1), TreeMap::new, Collectors.counting()));
        try (Stream<Path> files = Files.list(DOCS.resolve("adr"))) {
            Map<String, Long> there = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("\\d{4}-.*\\.md"))
                    .collect(Collectors.toMap(name -> name, name -> 1L, Long::sum, TreeMap::new));
            assertThat(named).isEqualTo(there);
        }
    }

    private static String section(String page, String title) {
        Matcher head = Pattern.compile("(?m)^### " + Pattern.quote(title) + "$").matcher(page);
        assertThat(head.find()).as("a section '%s'", title).isTrue();
        String rest = page.substring(head.end());
        Matcher next = Pattern.compile("(?m)^#{2,3} ").matcher(rest);
        return next.find() ? rest.substring(0, next.start()) : rest;
    }

    private static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>(
                List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md"), ROOT.resolve("SECURITY.md")));
        try (Stream<Path> files = Files.walk(DOCS)) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(found::add);
        }
        return found;
    }
}
