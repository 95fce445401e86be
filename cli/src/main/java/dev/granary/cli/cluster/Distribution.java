package dev.granary.cli.cluster;

import dev.granary.cli.base.UserException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The folder of the jars of a distribution. Each program has a jar there whose manifest names the jars that it needs.
 * That jar alone is the class path of the program: lists of processes cut a command line after 4,096 bytes, so a long
 * class path would hide the arguments behind it.
 *
 * @param lib the folder
 */
record Distribution(Path lib) {

    /**
     * The distribution to which the first jar of a class path belongs. Empty when the first element is a folder, or
     * when the servers' jars do not lie beside it.
     */
    static Optional<Distribution> of(String classPath) {
        int end = classPath.indexOf(File.pathSeparatorChar);
        String first = end < 0 ? classPath : classPath.substring(0, end);
        Path lib = Path.of(first).toAbsolutePath().getParent();
        return first.endsWith(".jar") && lib != null && Files.isDirectory(lib)
                ? Optional.of(new Distribution(lib)).filter(Distribution::isWhole)
                : Optional.empty();
    }

    private boolean isWhole() {
        return Stream.of(LocalCluster.STORAGE_NODE, LocalCluster.SUPER_PEER)
                .allMatch(role -> !classPathJars(role).isEmpty());
    }

    /** The class path of the processes of a role: one jar. */
    Path classPath(String role) {
        List<Path> found = classPathJars(role);
        if (found.size() != 1) {
            throw new UserException("not one jar with the class path of " + role + " in " + lib + ", but " + found);
        }
        return found.getFirst();
    }

    private List<Path> classPathJars(String role) {
        return jars(name -> name.startsWith("granary-" + role + "-") && name.endsWith("-classpath.jar"));
    }

    /** Its jars, sorted by their names. */
    List<Path> jars() {
        return jars(name -> name.endsWith(".jar"));
    }

    private List<Path> jars(Predicate<String> wanted) {
        try (Stream<Path> files = Files.list(lib)) {
            return files.filter(file -> wanted.test(file.getFileName().toString()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UserException(lib + " cannot be read: " + e.getMessage(), e);
        }
    }
}
