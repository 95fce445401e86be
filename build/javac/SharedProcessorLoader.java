package dev.granary.build;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The class loader of annotation processors and compiler plugins. All compilations of a build share it. With a loader
 * of its own, each of 60 compilations would load Error Prone again, and the JVM would compile its code again (ADR
 * 0342). It stays open: javac closes only loaders that are closeable.
 */
public final class SharedProcessorLoader extends ClassLoader {
    private static final Map<List<String>, ClassLoader> LOADERS = new ConcurrentHashMap<>();

    /** Called by javac with the processor path of a compilation. */
    public SharedProcessorLoader(URL[] path, ClassLoader parent) {
        super(LOADERS.computeIfAbsent(
                Arrays.stream(path).map(URL::toString).toList(), any -> new URLClassLoader(path, parent)));
    }
}
