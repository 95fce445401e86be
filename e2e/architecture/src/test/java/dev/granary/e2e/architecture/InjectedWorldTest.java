package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Clock, random numbers and waiting come from outside (ADR 0002), and nothing uses what Java is about to remove. */
class InjectedWorldTest {

    /** Modules that make the real world, or that deal only with people and other programs. */
    private static final Set<String> REAL_WORLD = Set.of("env", "cli", "tools", "operator", "bench");

    /** Classes in which a process or an embedding application gets its real environment. */
    private static final Set<String> ASSEMBLIES =
            Set.of("dev.granary.process.NodeRuntime", "dev.granary.client.internal.NettyClients");

    /** Forbidden methods and constructors by owner; an empty set stands for all of the owner's. */
    private static final Map<String, Set<String>> FORBIDDEN = Map.ofEntries(
            Map.entry("java.lang.System", Set.of("nanoTime", "currentTimeMillis")),
            Map.entry("java.lang.Thread", Set.of("sleep", "ofPlatform", "ofVirtual", "startVirtualThread")),
            Map.entry("java.util.concurrent.locks.LockSupport", Set.of("park", "parkNanos", "parkUntil")),
            Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep")),
            Map.entry("java.lang.Math", Set.of("random")),
            Map.entry("java.util.Random", Set.of("<init>")),
            Map.entry("java.security.SecureRandom", Set.of()),
            Map.entry("java.util.concurrent.ThreadLocalRandom", Set.of()),
            Map.entry("java.util.UUID", Set.of("randomUUID")),
            Map.entry("java.time.Instant", Set.of("now")),
            Map.entry("java.time.Clock", Set.of()),
            Map.entry("java.time.LocalDateTime", Set.of("now")),
            Map.entry("java.time.ZonedDateTime", Set.of("now")),
            Map.entry("java.time.OffsetDateTime", Set.of("now")),
            Map.entry("java.util.Timer", Set.of()),
            Map.entry("java.util.concurrent.Executors", Set.of()),
            Map.entry("java.util.concurrent.ForkJoinPool", Set.of("commonPool")));

    /** Permitted uses that concern only the process itself and no protocol, each with its reason. */
    private static final Map<String, String> EXCEPTIONS = Map.ofEntries(
            Map.entry(
                    "dev.granary.process.HttpPort java.util.concurrent.Executors",
                    "a virtual thread for each HTTP request of a person or a collector"),
            Map.entry("dev.granary.process.HttpPort java.lang.Thread", "the same"),
            Map.entry(
                    "dev.granary.process.ProcessMain java.lang.Thread",
                    "the orderly stop must end even when the scheduler hangs"),
            Map.entry(
                    "dev.granary.memory.lock.LockWaiter java.util.concurrent.locks.LockSupport",
                    "callers of chunk memory wait for each other's locks; the clock that ends a wait is injected"),
            Map.entry(
                    "dev.granary.net.rpc.JointGets java.util.concurrent.locks.LockSupport",
                    "threads of applications wait beside the one that reads their lane, which no simulated world has;"
                            + " the clock that ends a wait is injected"),
            Map.entry(
                    "dev.granary.memory.paged.PagedChunkMemory java.lang.System",
                    "chunk memory needs nothing but the JDK: it gives its parts the real clock, for waits and reports"),
            Map.entry(
                    "dev.granary.memory.os.PreTouch java.lang.Thread",
                    "touches memory when it is opened, and ends before that does"),
            Map.entry(
                    "dev.granary.memory.paged.Cleaner java.lang.Thread",
                    "a thread of its own, for those who ask for one; others call defragment themselves"),
            Map.entry("dev.granary.memory.paged.Cleaner java.util.concurrent.TimeUnit", "the same"),
            Map.entry(
                    "dev.granary.memory.dump.ParallelSections java.lang.Thread",
                    "reads a dump while a memory is loaded, and ends before that does"),
            Map.entry(
                    "dev.granary.storage.StorageNodeRun java.util.concurrent.Executors",
                    "threads for the disk of the backup logs, where the process is put together"),
            Map.entry(
                    "dev.granary.storage.StorageProcess java.lang.Thread",
                    "a peer that joins again stops its former run from outside of that run's own thread"),
            Map.entry(
                    "dev.granary.storage.ZoneFile java.lang.Thread",
                    "waits for a file before there is a run, on the thread that starts the process"),
            Map.entry(
                    "dev.granary.simulation.SeedRuns java.util.concurrent.Executors",
                    "runs seeds beside each other, each a world of its own with one thread"),
            Map.entry(
                    "dev.granary.simulation.SeedPlan java.util.Random",
                    "drawn from the plan's seed, before the world of that seed exists"),
            Map.entry(
                    "dev.granary.simulation.SeedRun java.lang.Thread",
                    "a thread for each seed: what threads keep to themselves ends with the seed"),
            Map.entry(
                    "dev.granary.simulation.Swarm java.util.Random",
                    "drawn from the plan's seed, before the world of that seed exists"),
            Map.entry(
                    "dev.granary.storage.StorageNodeRun java.util.concurrent.TimeUnit",
                    "the pauses of the cleaner's own thread, where the process is put together"),
            Map.entry(
                    "dev.granary.testkit.Strand java.lang.Thread",
                    "a task of the simulator that stops in its middle; one thread runs at a time"));

    private static Stream<JavaClass> protocolClasses() {
        return Modules.classes().stream()
                .filter(type -> !REAL_WORLD.contains(Modules.moduleOf(type)))
                .filter(type -> !ASSEMBLIES.contains(outermost(type)));
    }

    private static String outermost(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static boolean isForbidden(JavaAccess<?> access) {
        Set<String> names = FORBIDDEN.get(access.getTargetOwner().getName());
        return names != null
                && (names.isEmpty() || names.contains(access.getTarget().getName()));
    }

    private static boolean isExcepted(JavaAccess<?> access) {
        return EXCEPTIONS.containsKey(outermost(access.getOriginOwner()) + " "
                + access.getTargetOwner().getName());
    }

    @Test
    void protocolCode_clockChanceAndWaiting_comeFromOutside() {
        assertThat(protocolClasses()
                        .flatMap(type -> type.getAccessesFromSelf().stream())
                        .filter(InjectedWorldTest::isForbidden)
                        .filter(Predicate.not(InjectedWorldTest::isExcepted))
                        .map(JavaAccess::getDescription))
                .as("uses of the real clock, chance or waiting outside of the real world's assembly")
                .isEmpty();
    }

    @Test
    void realEnvironment_itsClock_isSeenByTheRule() {
        // The opposite of the rule above: libs/env contains these very uses, and they are found.
        assertThat(Modules.classesOf("env").stream()
                        .flatMap(type -> type.getAccessesFromSelf().stream())
                        .filter(InjectedWorldTest::isForbidden)
                        .map(access -> access.getTargetOwner().getName() + "."
                                + access.getTarget().getName()))
                .contains("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis");
    }

    @Test
    void everything_unsafe_isNotUsed() {
        assertThat(Modules.classes().stream()
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .filter(dependency -> {
                            String target = dependency.getTargetClass().getName();
                            return target.endsWith(".misc.Unsafe")
                                    || target.startsWith("jdk.internal.")
                                    || target.startsWith("sun.misc.");
                        })
                        .map(Dependency::getDescription))
                .as("uses of the JDK's internals")
                .isEmpty();
    }

    @Test
    void everything_testLibraries_areNotUsed() {
        assertThat(Modules.classes().stream()
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .filter(dependency -> {
                            String target = dependency.getTargetClass().getPackageName();
                            return target.startsWith("org.junit") || target.startsWith("org.assertj");
                        })
                        .map(Dependency::getDescription))
                .as("uses of test libraries outside of tests")
                .isEmpty();
    }
}
