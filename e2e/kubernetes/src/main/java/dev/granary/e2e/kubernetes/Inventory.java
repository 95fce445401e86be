package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Program;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The names of all objects of every kind that the API server can list. Two inventories show what appeared in between
 * and stayed, including leftovers of a kind that nobody thought of.
 */
final class Inventory {

    /** Kinds that Kubernetes itself writes at any time, and that go by themselves. */
    private static final Set<String> TRANSIENT = Set.of(
            "events",
            "events.events.k8s.io",
            "nodes",
            "componentstatuses",
            "pods.metrics.k8s.io",
            "nodes.metrics.k8s.io");

    private final Program kubectl;

    Inventory(Program kubectl) {
        this.kubectl = kubectl;
    }

    /** Returns all objects in a namespace, as {@code kind/name}. */
    Set<String> ofNamespace(String namespace) throws IOException, InterruptedException {
        return list(true, "-n", namespace);
    }

    /** Returns all objects outside namespaces, as {@code kind/name}. */
    Set<String> outsideNamespaces() throws IOException, InterruptedException {
        return list(false);
    }

    /** Returns the objects that are only in the second set and whose kinds pass the filter. */
    static Set<String> appeared(Set<String> before, Set<String> after, Predicate<String> filter) {
        Set<String> appeared = new TreeSet<>(after);
        appeared.removeAll(before);
        appeared.removeIf(filter.negate());
        return appeared;
    }

    private Set<String> list(boolean namespaced, String... scope) throws IOException, InterruptedException {
        List<String> kinds = new ArrayList<>();
        kubectl.run("api-resources", "--verbs=list", "--namespaced=" + namespaced, "-o", "name")
                .lines()
                .map(String::strip)
                .filter(kind -> !TRANSIENT.contains(kind))
                .forEach(kinds::add);
        List<String> arguments = new ArrayList<>(List.of("get", String.join(",", kinds), "-o", "name"));
        arguments.add("--ignore-not-found");
        arguments.addAll(List.of(scope));
        Set<String> names = new TreeSet<>();
        kubectl.run(arguments.toArray(String[]::new)).lines().map(String::strip).forEach(names::add);
        return names;
    }
}
