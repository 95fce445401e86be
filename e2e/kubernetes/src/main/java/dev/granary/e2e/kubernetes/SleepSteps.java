package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import java.time.Duration;

/** A cluster that hibernates with its memory on its volumes, and resumes with it. */
final class SleepSteps {
    /** The name of this case on the command line. */
    static final String NAME = "hibernate";

    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final Target target;
    private final ClusterSteps cluster;

    SleepSteps(Target target, ClusterSteps cluster) {
        this.target = target;
        this.cluster = cluster;
    }

    Step sleepsAndWakes() {
        return Step.of("a cluster sleeps without a pod, and wakes with every chunk", () -> {
            long before = cluster.chunks();
            long startNanos = System.nanoTime();
            hibernate(true);
            Target.await("it sleeps", LIMIT, () -> phase().equals("Asleep"));
            long asleepNanos = System.nanoTime();
            int pods = target.client()
                    .pods()
                    .inNamespace(Target.NAMESPACE)
                    .withLabel("granary.dev/cluster", "social")
                    .list()
                    .getItems()
                    .size();
            Check.that(pods == 0, "%d pods are left while it sleeps", pods);
            hibernate(false);
            Target.await(
                    "it is awake",
                    LIMIT,
                    () -> phase().isEmpty()
                            && granary().at("/status/storagePeers/live").asInt()
                                    == granary()
                                            .at("/status/storagePeers/target")
                                            .asInt());
            long after = cluster.chunks();
            Check.that(after == before, "%d chunks before, %d after", before, after);
            return "%d chunks; asleep after %.1f s, awake again after %.1f s"
                    .formatted(after, (asleepNanos - startNanos) / 1e9, (System.nanoTime() - asleepNanos) / 1e9);
        });
    }

    private void hibernate(boolean sleep) throws Exception {
        target.kubectl()
                .run(
                        "patch",
                        "gran/social",
                        "-n",
                        Target.NAMESPACE,
                        "--type=merge",
                        "-p",
                        "{\"spec\":{\"hibernate\":" + sleep + "}}");
    }

    private JsonNode granary() throws Exception {
        return target.get(Target.NAMESPACE, "granaries", "social");
    }

    private String phase() throws Exception {
        return granary().at("/status/hibernation/phase").asText("");
    }
}
