package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The class path of a program as the manifest of one jar lists it.
 *
 * @param begin the jar that is the class path in the program's command line
 * @param jars the jars that the manifest lists and that exist; also the first jar if it contains classes
 * @param missing the jars that the manifest lists and that do not exist
 */
record ClassPath(Path begin, List<Path> jars, List<Path> missing) {

    private static final String CLASS = ".class";
    private static final Pattern TYPE_IN_DESCRIPTOR = Pattern.compile("L([\\w/$]+)[;<]");

    /** Returns the class path of a program whose jar is in a folder. */
    static ClassPath of(Path lib, String program) throws IOException {
        List<Path> begins;
        try (Stream<Path> files = Files.list(lib)) {
            Pattern name = Pattern.compile("granary-" + program + "-[0-9].*-(dist|classpath)\\.jar");
            begins = files.filter(
                            file -> name.matcher(file.getFileName().toString()).matches())
                    .toList();
        }
        assertThat(begins).as("the jar of %s in %s", program, lib).hasSize(1);
        Path begin = begins.getFirst();
        List<Path> jars = new ArrayList<>();
        List<Path> missing = new ArrayList<>();
        try (JarFile jar = new JarFile(begin.toFile())) {
            if (jar.stream().anyMatch(entry -> entry.getName().endsWith(CLASS))) {
                jars.add(begin);
            }
            String names = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            for (String name : names.split(" ", -1)) {
                Path named = lib.resolve(name);
                (Files.exists(named) ? jars : missing).add(named);
            }
        }
        return new ClassPath(begin, jars, missing);
    }

    /**
     * The classes that can be reached from a class by the names in constant pools.
     *
     * @param classesByJar the number of classes by the name of their jar
     * @param absent our own classes that are named as classes and are in no jar
     */
    record Reached(Map<String, Integer> classesByJar, Set<String> absent) {}

    /** Returns the classes that can be reached from a class. */
    Reached reachableFrom(String mainClass) throws IOException {
        Map<String, Path> homes = homes();
        Reached reached = new Reached(new TreeMap<>(), new TreeSet<>());
        Map<Path, JarFile> open = new HashMap<>();
        try {
            Set<String> seen = new HashSet<>();
            Deque<String> next = new ArrayDeque<>(Set.of(mainClass.replace('.', '/')));
            while (!next.isEmpty()) {
                String type = next.remove();
                Path home = homes.get(type);
                if (home == null || !seen.add(type)) {
                    continue;
                }
                reached.classesByJar().merge(home.getFileName().toString(), 1, Integer::sum);
                JarFile jar = open.get(home);
                if (jar == null) {
                    jar = new JarFile(home.toFile());
                    open.put(home, jar);
                }
                byte[] bytes = jar.getInputStream(jar.getJarEntry(type + CLASS)).readAllBytes();
                next.addAll(namedIn(bytes));
                oursNamedIn(bytes).filter(name -> !homes.containsKey(name)).forEach(reached.absent()::add);
            }
        } finally {
            for (JarFile jar : open.values()) {
                jar.close();
            }
        }
        return reached;
    }

    private Map<String, Path> homes() throws IOException {
        Map<String, Path> homes = new HashMap<>();
        for (Path path : jars) {
            try (JarFile jar = new JarFile(path.toFile())) {
                jar.stream()
                        .map(JarEntry::getName)
                        .filter(name -> name.endsWith(CLASS))
                        .forEach(name -> homes.putIfAbsent(name.substring(0, name.length() - CLASS.length()), path));
            }
        }
        return homes;
    }

    private static Stream<String> oursNamedIn(byte[] bytes) {
        List<String> names = new ArrayList<>();
        for (PoolEntry entry : ClassFile.of().parse(bytes).constantPool()) {
            if (entry instanceof ClassEntry type && type.asInternalName().startsWith("dev/granary/")) {
                names.add(type.asInternalName());
            }
        }
        return names.stream();
    }

    /** Returns the names of classes in class entries, in descriptors, and in texts by which code loads classes. */
    private static List<String> namedIn(byte[] bytes) {
        List<String> names = new ArrayList<>();
        for (PoolEntry entry : ClassFile.of().parse(bytes).constantPool()) {
            switch (entry) {
                case ClassEntry type -> names.add(type.asInternalName());
                case Utf8Entry text -> {
                    String value = text.stringValue();
                    names.add(value.replace('.', '/'));
                    Matcher matcher = TYPE_IN_DESCRIPTOR.matcher(value);
                    while (matcher.find()) {
                        names.add(matcher.group(1));
                    }
                }
                default -> {}
            }
        }
        return names;
    }
}
