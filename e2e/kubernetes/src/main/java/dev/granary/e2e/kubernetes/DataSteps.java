package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Real data, loaded and read back by the command line inside the cluster. */
final class DataSteps {

    /** The prefix of the Jobs' names. */
    static final String JOB_PREFIX = "e2e-";

    /** No Secret has this name. */
    private static final String NO_TLS = "none";

    private static final Duration TIMEOUT = Duration.ofMinutes(4);
    private static final String SEEDS = "social:7400";

    private static final Pattern CID_LINE = Pattern.compile("(?m)^(0x[0-9a-f]{16})$");

    private final Target target;
    private final ClusterSteps cluster;
    private String root = "";

    DataSteps(Target target, ClusterSteps cluster) {
        this.target = target;
        this.cluster = cluster;
    }

    Step loads() {
        return Step.essential("a Job loads the graph of the Debian packages", () -> {
            root = loadGraph("load");
            long chunks = cluster.chunks();
            Check.that(chunks > 50_000, "the cluster holds %d chunks only", chunks);
            return chunks + " chunks, from " + root;
        });
    }

    /** Loads the graph by a Job, and returns the CID of its root. */
    String loadGraph(String job) throws Exception {
        String log = runJob(job, List.of("load", "debian-packages", "--seeds", SEEDS));
        Matcher cid = CID_LINE.matcher(log);
        Check.that(cid.find(), "the load printed no CID of a root:%n%s", log);
        return cid.group(1);
    }

    /** Reads a graph back by a Job, and compares it with the input. */
    void verifyGraph(String job, String rootCid) throws Exception {
        runJob(job, List.of("verify", "debian-packages", rootCid, "--seeds", SEEDS));
    }

    /** Reads everything back and compares it with the input. */
    Step readsBack(String when, String job) {
        return readsBack(when, job, SEEDS);
    }

    /** Does the same with another cluster. */
    Step readsBack(String when, String job, String seeds) {
        return Step.of(
                "a Job reads the graph back, " + when,
                () -> runJob(job, List.of("verify", "debian-packages", root, "--seeds", seeds)));
    }

    Step reachesNewPeers() {
        return Step.of("chunks created now lie on the new peers, too", () -> {
            List<String> empty = cluster.emptyPeers();
            Check.that(empty.size() == 2, "2 peers should be empty before, these are: %s", empty);
            String log = runJob("create", List.of("create", "--size", "32", "--count", "50000", "--seeds", SEEDS));
            // The storage peers report their counts with the next heartbeats.
            Target.await("every peer holds chunks", Duration.ofSeconds(30), () -> cluster.emptyPeers()
                    .isEmpty());
            return log;
        });
    }

    /** Creates chunks, spread over all storage peers. */
    void create(String job, int count) throws Exception {
        runJob(job, List.of("create", "--size", "32", "--count", Integer.toString(count), "--seeds", SEEDS));
    }

    /** Runs the command line as a Job without TLS, and returns its output. Fails if it does. */
    String runJob(String name, List<String> arguments) throws Exception {
        return runJob(name, NO_TLS, arguments);
    }

    /** Does the same with the certificate of a Secret, which is in the folder {@code /tls}. */
    String runJob(String name, String tlsSecret, List<String> arguments) throws Exception {
        String job = JOB_PREFIX + name;
        String yaml = Resources.read(Resources.JOB)
                .replace("@NAME@", job)
                .replace("@TLS@", tlsSecret)
                .replace("@IMAGE@", target.options().image())
                .replace("@ARGUMENTS@", Formats.JSON.writeValueAsString(arguments));
        target.apply(yaml);
        // A failed Job never becomes complete, so this looks at both conditions.
        Target.await(job + " ends", TIMEOUT, () -> {
            var status = target.get(Target.NAMESPACE, "jobs", job).path("status");
            return status.path("succeeded").asInt() + status.path("failed").asInt() > 0;
        });
        String log = target.kubectl().run("logs", "job/" + job, "-n", Target.NAMESPACE);
        Check.that(
                target.get(Target.NAMESPACE, "jobs", job)
                                .at("/status/succeeded")
                                .asInt()
                        == 1,
                "%s failed:%n%s",
                job,
                log);
        return log;
    }
}
