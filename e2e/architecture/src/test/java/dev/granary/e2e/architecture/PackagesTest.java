package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.EvaluationResult;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Packages are small, and the packages of a module depend on each other in one direction only. */
class PackagesTest {

    private static final int MOST_FILES = 40;

    @Test
    void packages_theirFiles_areFew() {
        Map<String, Long> files = Modules.classes().stream()
                .filter(type ->
                        !type.getName().contains("$") && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
        assertThat(files).containsKey("dev.granary.memory.page");
        files.values().removeIf(count -> count <= MOST_FILES);
        assertThat(files)
                .as("packages with more than %d files; find rooms for them", MOST_FILES)
                .isEmpty();
    }

    /** Returns all modules but the fork of MicroRaft, whose packages are unchanged. */
    static Stream<String> modulesOfOurs() {
        return Modules.ALLOWED.keySet().stream().filter(module -> !module.equals(Modules.MICRORAFT));
    }

    @ParameterizedTest
    @MethodSource("modulesOfOurs")
    void packages_ofAModule_haveNoCycle(String module) {
        EvaluationResult result = cycles(classesOf(module), JavaClass::getPackageName);
        assertThat(result.getFailureReport().getDetails()).isEmpty();
    }

    @Test
    void cycles_betweenClasses_areSeen() {
        // The opposite of the rule above: replication and its parts use each other, and the test sees this cycle.
        JavaClasses replication = Modules.classes()
                .that(DescribedPredicate.describe(
                        "replication", type -> type.getPackageName().equals("dev.granary.storage.replicate")));
        assertThat(cycles(replication, PackagesTest::topLevel).hasViolation()).isTrue();
    }

    private static JavaClasses classesOf(String module) {
        return Modules.classes().that(DescribedPredicate.describe("classes of " + module, type -> Modules.moduleOf(type)
                .equals(module)));
    }

    private static String topLevel(JavaClass type) {
        return type.getName().replaceAll("\\$.*", "");
    }

    private static EvaluationResult cycles(JavaClasses classes, Function<JavaClass, String> slice) {
        SliceAssignment assignment = new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return SliceIdentifier.of(slice.apply(type));
            }

            @Override
            public String getDescription() {
                return "slices";
            }
        };
        return SlicesRuleDefinition.slices()
                .assignedFrom(assignment)
                .should()
                .beFreeOfCycles()
                .evaluate(classes);
    }
}
