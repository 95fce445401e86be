package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DependencyDirectionTest {

    /** Far fewer classes than there are, and far more than a wrong import would see. */
    private static final int FEWEST_CLASSES = 1_000;

    private static final Set<String> PROCESSES = Set.of("storage", "superpeer", "operator");

    static Stream<String> modules() {
        return Modules.ALLOWED.keySet().stream();
    }

    @Test
    void classes_allModules_seen() {
        TreeMap<String, Long> counts = Modules.classes().stream()
                .collect(Collectors.groupingBy(Modules::moduleOf, TreeMap::new, Collectors.counting()));
        assertThat(counts.keySet()).as("modules with classes: %s", counts).isEqualTo(Modules.ALLOWED.keySet());
        assertThat(Modules.classes().size()).as("%s", counts).isGreaterThan(FEWEST_CLASSES);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void module_itsDependencies_areAllowed(String module) {
        List<JavaClass> classes = Modules.classesOf(module);
        assertThat(classes).as("classes of %s", module).isNotEmpty();
        assertThat(ownDependencies(classes)
                        .filter(dependency -> !isAllowed(module, dependency))
                        .map(Dependency::getDescription))
                .as("%s may use %s of our modules", module, Modules.ALLOWED.get(module))
                .isEmpty();
    }

    @Test
    void processes_importOneAnother_never() {
        for (String process : PROCESSES) {
            assertThat(ownDependencies(Modules.classesOf(process))
                            .filter(dependency -> {
                                String target = Modules.moduleOf(dependency.getTargetClass());
                                return PROCESSES.contains(target) && !target.equals(process);
                            })
                            .map(Dependency::getDescription))
                    .as("what %s uses of the other processes", process)
                    .isEmpty();
        }
    }

    @Test
    void microraft_itsInternals_areUsedByItselfOnly() {
        assertThat(Modules.classes().stream()
                        .filter(type -> !Modules.moduleOf(type).equals(Modules.MICRORAFT))
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .filter(DependencyDirectionTest::isInternalOfMicroRaft)
                        .map(Dependency::getDescription))
                .as("uses of the Raft library beside its public interface (ADR 0226)")
                .isEmpty();
        // The opposite: the library itself uses them, so the test sees such uses.
        assertThat(ownDependencies(Modules.classesOf(Modules.MICRORAFT)))
                .anyMatch(DependencyDirectionTest::isInternalOfMicroRaft);
    }

    private static boolean isInternalOfMicroRaft(Dependency dependency) {
        return dependency.getTargetClass().getPackageName().startsWith("io.microraft.impl");
    }

    @Test
    void net_seen_usesOverlay() {
        // The opposite of the rules above: shows that the test sees dependencies between modules at all.
        assertThat(ownDependencies(Modules.classesOf("net"))
                        .map(dependency -> Modules.moduleOf(dependency.getTargetClass())))
                .contains("overlay", "env");
    }

    private static Stream<Dependency> ownDependencies(List<JavaClass> classes) {
        return classes.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency ->
                        !Modules.moduleOf(dependency.getTargetClass()).isEmpty());
    }

    private static boolean isAllowed(String module, Dependency dependency) {
        String target = Modules.moduleOf(dependency.getTargetClass());
        return target.equals(module)
                || Modules.ALLOWED.getOrDefault(module, Set.of()).contains(target);
    }
}
