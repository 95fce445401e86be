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
 * The AOT caches of a distribution, one for each role: classes as they are once they are loaded and linked, and what
 * the JVM has learned of their methods in training (ADR 0148).
 * They lie in the folder {@code aot} beside that of the jars.
 *
 * <p>A process that takes its classes from a cache does not look into the jars, and JDK 25 before 25.0.4 does not even
 * notice that these are others than in training (JDK-8377932). So {@code aot/jars} says which they were, by name, size
 * and time, and the caches are used only while that is what there is.
 * {@code bin/aot.sh} does the same for processes that are started by the scripts.
 */
public final class AotCaches implements JvmOptions {

    /** Those that have one. */
    private static final List<String> ROLES = List.of(LocalCluster.STORAGE_NODE, LocalCluster.SUPER_PEER);

    private static final String JARS = "jars";

    /** A cache that does not fit is no reason to say anything: a later {@code -Xlog:aot} does. */
    private static final String QUIET = "-Xlog:aot*=off";

    /** Options of the JVM beside which it takes no cache, but ends. */
    private static final List<String> RIVALS =
            List.of("-Xshare", "-XX:AOT", "Shared", "ArchiveClassesAtExit", "DumpLoadedClassList");

    private static final List<String> VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private final @Nullable Distribution distribution;
    private final boolean wanted;

    private AotCaches(@Nullable Distribution distribution, boolean wanted) {
        this.distribution = distribution;
        this.wanted = wanted;
    }

    /** Those of this program; there are none when it is not that of a distribution. */
    public static AotCaches ofThisProgram() {
        return of(System.getProperty("java.class.path"), System.getenv());
    }

    static AotCaches of(String classPath, Map<String, String> environment) {
        boolean rivals = VARIABLES.stream()
                .map(variable -> environment.getOrDefault(variable, ""))
                .anyMatch(options -> RIVALS.stream().anyMatch(options::contains));
        return new AotCaches(Distribution.of(classPath).orElse(null), !rivals);
    }

    /** The options by which a process uses the cache of its role: none while there is none that fits. */
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

    /** Whether there can be caches: the classes are in jars, and no option stands against it. */
    public boolean canBe() {
        return distribution != null && wanted;
    }

    /** Whether a process of this role starts on a cache. */
    public boolean has(String role) {
        return !of("", role).isEmpty();
    }

    /** Whether processes of every role that has one start on a cache. */
    public boolean areThere() {
        return ROLES.stream().allMatch(this::has);
    }

    /** Forgets the jars: from here on the caches that there are may be replaced, and nobody uses them. */
    public void open() throws IOException {
        Path folder = folder();
        Files.createDirectories(folder);
        Files.deleteIfExists(folder.resolve(JARS));
    }

    /** Notes the jars: from here on the caches are used. */
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

    /** Where the cache of a role is, or is to be. */
    public Path file(String role) {
        return folder().resolve(role + ".aot");
    }

    private String noted() {
        try {
            return Files.readString(folder().resolve(JARS));
        } catch (IOException e) {
            return ""; // They are just being made.
        }
    }

    /** The class path of the processes of a role. */
    public String classPath(String role) {
        return required().classPath(role).toString();
    }

    /**
     * The jars of a distribution, a line each, sorted by their names: name, size in bytes, time of change in seconds.
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
