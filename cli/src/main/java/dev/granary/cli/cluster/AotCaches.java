package dev.granary.cli.cluster;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The AOT caches of a distribution, one for each role: loaded and linked classes, and the profiles of their methods
 * that the JVM recorded in training (ADR 0148). They lie in the folder {@code aot} beside the folder of the jars.
 *
 * <p>A process that takes its classes from a cache does not read the jars, and JDK 25 before 25.0.4 does not notice
 * that the jars have changed since training (JDK-8377932). So {@code aot/jars} lists the jars of the training by name,
 * size and time, and the caches are used only while the list matches. {@code bin/aot.sh} does the same for processes
 * that the scripts start.
 */
public final class AotCaches implements JvmOptions {

    /** The roles that have a cache. */
    private static final List<String> ROLES = List.of(LocalCluster.STORAGE_NODE, LocalCluster.SUPER_PEER);

    private static final String JARS = "jars";

    /** Hides messages about a cache that does not fit; a later {@code -Xlog:aot} shows them. */
    private static final String QUIET = "-Xlog:aot*=off";

    /** JVM options with which the JVM exits when it is given a cache. */
    private static final List<String> RIVALS =
            List.of("-Xshare", "-XX:AOT", "Shared", "ArchiveClassesAtExit", "DumpLoadedClassList");

    private static final List<String> VARIABLES =
            List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", NodeCommand.JVM_OPTIONS);

    private final @Nullable Distribution distribution;
    private final boolean wanted;

    private AotCaches(@Nullable Distribution distribution, boolean wanted) {
        this.distribution = distribution;
        this.wanted = wanted;
    }

    /** The caches of this program; without caches when the program is not part of a distribution. */
    public static AotCaches ofThisProgram() {
        return of(System.getProperty("java.class.path"), System.getenv());
    }

    static AotCaches of(String classPath, Map<String, String> environment) {
        boolean rivals = VARIABLES.stream()
                .map(variable -> environment.getOrDefault(variable, ""))
                .anyMatch(options -> RIVALS.stream().anyMatch(options::contains));
        return new AotCaches(Distribution.of(classPath).orElse(null), !rivals);
    }

    /** The options with which a process uses the cache of its role; empty when no cache fits. */
    @Override
    public List<String> of(String name, String role) {
        if (distribution == null || !wanted) {
            return List.of();
        }
        Path cache = file(role);
        return Files.isRegularFile(cache) && listing(distribution).equals(noted())
                ? List.of("-XX:AOTCache=" + cache, QUIET)
                : List.of();
    }

    /** Whether caches are possible: the classes are in jars, and no option rules caches out. */
    public boolean canBe() {
        return distribution != null && wanted;
    }

    /** Whether a process of this role starts with a cache. */
    public boolean has(String role) {
        return !of("", role).isEmpty();
    }

    /** Whether processes of all roles start with a cache. */
    public boolean areThere() {
        return ROLES.stream().allMatch(this::has);
    }

    /** Deletes the list of the jars: from here on no process uses the caches, and they may be replaced. */
    public void open() throws IOException {
        Path folder = folder();
        Files.createDirectories(folder);
        Files.deleteIfExists(folder.resolve(JARS));
    }

    /** Writes the list of the jars: from here on processes use the caches. */
    public void seal() throws IOException {
        Files.writeString(folder().resolve(JARS), listing(required()));
    }

    private Path folder() {
        return required().lib().resolveSibling("aot");
    }

    private Distribution required() {
        if (distribution == null) {
            throw new UserException("AOT caches belong to a distribution, whose classes are in jars");
        }
        return distribution;
    }

    /** The path of a role's cache, whether it exists or not. */
    public Path file(String role) {
        return folder().resolve(role + ".aot");
    }

    private String noted() {
        try {
            return Files.readString(folder().resolve(JARS));
        } catch (IOException e) {
            return ""; // The caches are being made.
        }
    }

    /** The class path of the processes of a role. */
    public String classPath(String role) {
        return required().classPath(role).toString();
    }

    /**
     * The jars of a distribution, one per line and sorted by name: name, size in bytes, time of change in seconds.
     */
    private static String listing(Distribution distribution) {
        return distribution.jars().stream().map(AotCaches::line).collect(Collectors.joining());
    }

    private static String line(Path jar) {
        try {
            long seconds = Files.getLastModifiedTime(jar).to(TimeUnit.SECONDS);
            return jar.getFileName() + " " + Files.size(jar) + " " + seconds + "\n";
        } catch (IOException e) {
            throw new UserException(jar + " cannot be read: " + e.getMessage(), e);
        }
    }
}
