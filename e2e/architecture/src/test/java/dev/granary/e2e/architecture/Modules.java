package dev.granary.e2e.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The modules, by the name behind {@code dev.granary.}, and the other modules that each may use. The fork of MicroRaft,
 * which keeps its packages, is one of them.
 */
final class Modules {

    static final String ROOT = "dev.granary";

    static final String MICRORAFT = "microraft";

    private static final String MICRORAFT_ROOT = "io.microraft";

    /**
     * What each module may use beside itself. "Dependencies point one way: memory, log, overlay know nothing of net or
     * of each other; net before client; the three processes never import one another" (docs/architecture.md,
     * "Modules"). The images contain the command line but not tools, so the command line must not need tools (ADR
     * 0222).
     */
    static final Map<String, Set<String>> ALLOWED = new TreeMap<>(Map.ofEntries(
            Map.entry("env", Set.of()),
            Map.entry("serialization", Set.of()),
            Map.entry("memory", Set.of("serialization")),
            Map.entry("schema", Set.of()),
            Map.entry("overlay", Set.of("schema")),
            Map.entry("log", Set.of("env")),
            Map.entry(MICRORAFT, Set.of()),
            Map.entry("raft", Set.of("env", "log", MICRORAFT)),
            Map.entry("net", Set.of("env", "overlay", "schema")),
            Map.entry("resp", Set.of()),
            Map.entry("keyed", Set.of("resp")),
            Map.entry("access", Set.of("env", "overlay", "schema", "net", "resp")),
            Map.entry("process", Set.of("env", "overlay", "schema", "net")),
            Map.entry("testkit", Set.of("env", "overlay", "schema", "net")),
            Map.entry("client", Set.of("env", "overlay", "schema", "net", "resp", "serialization")),
            Map.entry(
                    "storage",
                    Set.of(
                            "env",
                            "overlay",
                            "schema",
                            "net",
                            "memory",
                            "serialization",
                            "log",
                            "process",
                            "resp",
                            "keyed",
                            "access",
                            "client")),
            Map.entry("superpeer", Set.of("env", "overlay", "schema", "net", "access", "log", "raft", "process")),
            Map.entry(
                    "simulation",
                    Set.of(
                            "env",
                            "overlay",
                            "schema",
                            "net",
                            "memory",
                            "log",
                            "raft",
                            "process",
                            "testkit",
                            "client",
                            "resp",
                            "keyed",
                            "storage",
                            "superpeer")),
            Map.entry("operator", Set.of("env", "overlay", "schema", "net", "resp", "client", "process")),
            Map.entry("bench", Set.of("env", "overlay", "schema", "net", "memory", "log", "client")),
            Map.entry(
                    "cli",
                    Set.of(
                            "env",
                            "overlay",
                            "schema",
                            "log",
                            "net",
                            "resp",
                            "memory",
                            "serialization",
                            "process",
                            "client")),
            Map.entry(
                    "tools",
                    Set.of(
                            "env",
                            "overlay",
                            "schema",
                            "log",
                            "net",
                            "resp",
                            "memory",
                            "serialization",
                            "process",
                            "testkit",
                            "client",
                            "storage",
                            "superpeer",
                            "bench",
                            "simulation",
                            "cli"))));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("/dev/granary/e2e/"))
            .importPackages(ROOT, MICRORAFT_ROOT);

    private Modules() {}

    /** Returns the classes of all modules, without tests and without this module. */
    static JavaClasses classes() {
        return CLASSES;
    }

    /** Returns the classes of one module. */
    static List<JavaClass> classesOf(String module) {
        return CLASSES.stream().filter(type -> moduleOf(type).equals(module)).toList();
    }

    /** Returns the module of a class; empty if the class is none of ours. */
    static String moduleOf(JavaClass type) {
        String name = type.getBaseComponentType().getPackageName();
        if (name.equals(MICRORAFT_ROOT) || name.startsWith(MICRORAFT_ROOT + ".")) {
            return MICRORAFT;
        }
        if (!name.equals(ROOT) && !name.startsWith(ROOT + ".")) {
            return "";
        }
        String[] parts = name.split("\\.", -1);
        return parts.length < 3 ? ROOT : parts[2];
    }
}
