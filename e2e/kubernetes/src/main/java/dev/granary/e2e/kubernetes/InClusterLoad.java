package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Formats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Recorded reads and writes from a pod of the tests inside the cluster. One load at a time. */
final class InClusterLoad {

    /** Its pod, and the value of the pod's label {@code app}. */
    static final String NAME = "e2e-load";

    private static final String PROGRAMS = "dev.granary.e2e.load.";
    private static final String LOAD = "LoadProgram";
    private static final String REDIS_LOAD = "redis.RedisLoad";
    private static final String CLIENTS = "8";

    /** Where the programs find the cluster. */
    static final String SEEDS = "social:7400";

    private static final String RESULT = "RESULT ";
    private static final String SECONDS = "SECONDS ";
    private static final String HISTORY = "HISTORY ";

    /** How long the load runs before something planned is done. */
    static final int BEFORE_SECONDS = 6;

    /**
     * How long the load runs before something is destroyed. Its processes were restarted just before, to set the length
     * of leases. The case measures the loss of one process among many that have worked for a while, not the work of
     * compilers on the cores that all nodes share.
     */
    static final int BEFORE_FAULT_SECONDS = 30;

    private static final int AFTER_SECONDS = 4;

    /** More than the lines of the seconds between two looks at the output. */
    private static final int LAST_LINES = 20;

    /** In the first seconds the Java virtual machine warms up. */
    private static final int WARM_UP_SECONDS = 2;

    private final Target target;

    /** Something that is done to the cluster; returns one line on what was seen. */
    @FunctionalInterface
    interface Deed {
        String run() throws Exception;
    }

    /** What clients saw, what the deed returned, and the output of the load. */
    record Outcome(CaseResult result, String seen, String log) {}

    InClusterLoad(Target target) {
        this.target = target;
    }

    /**
     * Runs the deed under load.
     *
     * @param beforeSeconds how long the load runs before the deed
     */
    Outcome during(String name, String node, int beforeSeconds, Deed deed) throws Exception {
        begin(node);
        return whileWorking(name, beforeSeconds, deed);
    }

    /** Does the same under a load of clients of Redis. */
    Outcome duringRedis(String name, String node, String door, int beforeSeconds, Deed deed) throws Exception {
        begin(node, REDIS_LOAD, List.of(door, CLIENTS, "/tmp"));
        return whileWorking(name, beforeSeconds, deed);
    }

    /** Runs the deed while a program works that has begun, and ends the program. */
    Outcome whileWorking(String name, int beforeSeconds, Deed deed) throws Exception {
        try {
            awaitSeconds(beforeSeconds);
            int begun = seconds();
            note(name);
            long startNanos = System.nanoTime();
            String seen = run(name, deed);
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            note("end of " + name);
            awaitSeconds(seconds() + AFTER_SECONDS);
            String log = stop(name);
            return new Outcome(result(name, begun, seconds, log), seen, log);
        } finally {
            end();
        }
    }

    /** Runs a deed; if it fails, the error also says what clients saw. */
    private String run(String name, Deed deed) throws Exception {
        try {
            return deed.run();
        } catch (AssertionError failure) {
            throw new AssertionError(failure.getMessage() + "\nwhat clients saw:\n" + stop(name), failure);
        }
    }

    /** Returns for how many seconds the clients have worked. */
    private int seconds() throws Exception {
        return target.apiServer()
                .log(Target.NAMESPACE, NAME, LAST_LINES)
                .lines()
                .filter(line -> line.startsWith(SECONDS))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(SECONDS.length()).strip()))
                .max()
                .orElse(0);
    }

    private void awaitSeconds(int wanted) throws Exception {
        Target.await("the load has run for " + wanted + " s", Duration.ofMinutes(5), () -> seconds() >= wanted);
    }

    /** Starts the recorded load of clients, and returns when it works. */
    void begin(String node) throws Exception {
        begin(node, LOAD, List.of(SEEDS, CLIENTS, "/tmp"));
    }

    /** Starts the same load with writes that wait for disks. */
    void beginSynced(String node) throws Exception {
        begin(node, LOAD, List.of(SEEDS, CLIENTS, "/tmp", "synced"));
    }

    /** Starts a program of e2e/load, and returns when it has said that it has started. */
    void begin(String node, String program, List<String> arguments) throws Exception {
        end();
        target.kubectl()
                .run(
                        "create",
                        "configmap",
                        NAME,
                        "-n",
                        Target.NAMESPACE,
                        "--from-file=load.jar=" + jar("granary-e2e-load-"),
                        "--from-file=testkit.jar=" + jar("granary-testkit-"),
                        "--from-file=logback.xml="
                                + target.options().project().resolve("e2e/kubernetes/src/main/resources/logback.xml"));
        String yaml = Resources.read(Resources.LOAD)
                .replace("@IMAGE@", target.options().image())
                .replace("@PROGRAM@", PROGRAMS + program)
                .replace("@ARGUMENTS@", Formats.JSON.writeValueAsString(arguments))
                .replace("@NODE@", node);
        target.apply(yaml);
        awaitOutput("STARTED", Duration.ofMinutes(2));
    }

    /** Waits until the program has printed something. */
    void awaitOutput(String text, Duration limit) throws Exception {
        try {
            Target.await("the load prints " + text, limit, () -> log().contains(text));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", but:\n" + log(), e);
        }
    }

    /** Returns what the program has printed so far; an error text when it does not run. */
    String log() {
        try {
            return target.apiServer().log(Target.NAMESPACE, NAME);
        } catch (AssertionError e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Asks the program to come to its end by itself. */
    void askToStop() throws Exception {
        exec("touch /tmp/stop");
    }

    private Path jar(String beginning) throws Exception {
        try (Stream<Path> files = Files.list(target.options().project().resolve("e2e/kubernetes/target/lib"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(beginning))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void note(String text) throws Exception {
        exec("echo '" + text + "' >> /tmp/notes");
    }

    /** Runs another program of e2e/load in the same pod, and returns its output. */
    String runBeside(List<String> programAndArguments) throws Exception {
        return runIn(NAME, programAndArguments);
    }

    /** Does the same in another pod that has the programs. */
    String runIn(String pod, List<String> programAndArguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "exec",
                pod,
                "-n",
                Target.NAMESPACE,
                "--",
                "/opt/jre/bin/java",
                "-XX:+UseSerialGC",
                "-Xmx32m",
                "-cp",
                "/opt/granary/lib/*:/load/load.jar:/load/testkit.jar",
                PROGRAMS + programAndArguments.getFirst()));
        command.addAll(programAndArguments.subList(1, programAndArguments.size()));
        return target.kubectl().run(command.toArray(String[]::new));
    }

    private void exec(String command) throws Exception {
        target.kubectl().run("exec", NAME, "-n", Target.NAMESPACE, "--", "sh", "-c", command);
    }

    /** Ends the load, leaves its history for e2e/judge, and returns the rest of its output. */
    private String stop(String name) throws Exception {
        askToStop();
        Target.await("the load ends", Duration.ofMinutes(2), () -> !target.get(Target.NAMESPACE, "pods", NAME)
                .at("/status/phase")
                .asText()
                .equals("Running"));
        List<String> lines = target.kubectl()
                .run("logs", NAME, "-n", Target.NAMESPACE)
                .lines()
                .toList();
        List<String> history = lines.stream()
                .filter(line -> line.startsWith(HISTORY))
                .map(line -> line.substring(HISTORY.length()))
                .toList();
        // Clients of Redis leave none.
        if (!history.isEmpty()) {
            Path file = target.options().project().resolve("e2e/kubernetes/target/histories/" + name + ".jsonl");
            Files.createDirectories(file.getParent());
            Files.write(file, history);
        }
        return lines.stream().filter(line -> !line.startsWith(HISTORY)).collect(Collectors.joining("\n")) + "\n";
    }

    /** Removes the program, whether it runs or not. */
    void end() throws Exception {
        target.kubectl()
                .call(
                        null,
                        "delete",
                        "pod/" + NAME,
                        "configmap/" + NAME,
                        "-n",
                        Target.NAMESPACE,
                        "--ignore-not-found",
                        "--grace-period=1",
                        "--timeout=60s");
    }

    private static CaseResult result(String name, int begun, double seconds, String log) throws Exception {
        String line = log.lines()
                .filter(text -> text.startsWith(RESULT))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the load ended without a result:\n" + log));
        JsonNode json = Formats.JSON.readTree(line.substring(RESULT.length()));
        List<Long> bySecond = new ArrayList<>();
        json.path("bySecond").forEach(count -> bySecond.add(count.asLong()));
        int from = Math.min(begun, bySecond.size());
        int to = Math.clamp(from + (long) Math.ceil(seconds), from, bySecond.size());
        List<Long> before = bySecond.subList(Math.min(WARM_UP_SECONDS, from), from).stream()
                .sorted()
                .toList();
        long usual = before.isEmpty() ? 0 : before.get(before.size() / 2);
        long worst = bySecond.subList(from, to).stream()
                .mapToLong(Long::longValue)
                .min()
                .orElse(0);
        return new CaseResult(
                name,
                Math.round(seconds * 10) / 10.0,
                json.path("failures").asLong(),
                json.path("unservedP99Millis").asLong(),
                json.path("wrong").asLong(),
                usual == 0 ? 0 : Math.round(100.0 * worst / usual) / 100.0,
                json.path("operations").asLong());
    }
}
