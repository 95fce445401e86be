package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A NetworkPolicy closes a running cluster to a pod that is none of its clients, and clients feel nothing of it. Where
 * the tests have built the cluster, its network enforces policies as long as this runs.
 */
final class PolicySteps {
    private static final String STRANGER = "e2e-stranger";

    /** The GranaryBackup of {@link Resources#BACKUP}. */
    private static final String BACKUP = "before-the-move";

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Target target;
    private final InClusterLoad load;
    private final Machines machines;
    private final String cluster;

    /**
     * The pods of a cluster by what they answer on.
     *
     * @param data for clients
     * @param others for nodes, administrators and Prometheus
     */
    private record Ports(List<String> data, List<String> others) {
        List<String> all() {
            List<String> all = new ArrayList<>(data);
            all.addAll(others);
            return all;
        }
    }

    PolicySteps(Target target, InClusterLoad load, String cluster) {
        this.target = target;
        this.load = load;
        this.machines = new Machines(target.options().nodeScripts());
        this.cluster = cluster;
    }

    /** Closes the cluster, replaces a storage peer behind closed doors, and opens it again, while a load works. */
    String closesAndOpens() throws Exception {
        List<String> nodes = nodes();
        try {
            machines.enforcePolicies(nodes, true);
            target.apply(Resources.read(Resources.STRANGER)
                    .replace("@IMAGE@", target.options().image()));
            target.kubectl()
                    .run("wait", "--for=condition=Ready", "pod/" + STRANGER, "-n", Target.NAMESPACE, "--timeout=120s");
            awaitPorts("the stranger reaches everything", STRANGER, ports().all(), "OPEN");
            return closed();
        } finally {
            policy("null");
            target.kubectl()
                    .call(
                            null,
                            "delete",
                            "pod",
                            STRANGER,
                            "-n",
                            Target.NAMESPACE,
                            "--ignore-not-found",
                            "--grace-period=1");
            machines.enforcePolicies(nodes, false);
        }
    }

    /** The operator behind the chart's policy backs up a cluster behind its own, puts it to sleep and wakes it. */
    String worksBehindClosedDoors() throws Exception {
        List<String> nodes = nodes();
        String backup = Resources.read(Resources.BACKUP).replace("name: social", "name: " + cluster);
        try {
            machines.enforcePolicies(nodes, true);
            target.upgradeRelease("networkPolicy.enabled=true");
            policy("{\"enabled\":true}");
            awaitStable();
            target.apply(backup);
            Target.await("the backup is complete", LIMIT, () -> BackupSteps.isOver(target, BackupSteps.BACKUP, BACKUP));
            long startNanos = System.nanoTime();
            target.patch(cluster, "{\"spec\":{\"hibernate\":true}}");
            Target.await("it sleeps", LIMIT, () -> phase().equals("Asleep"));
            double asleepSeconds = (System.nanoTime() - startNanos) / 1e9;
            target.patch(cluster, "{\"spec\":{\"hibernate\":false}}");
            Target.await("it is awake", LIMIT, () -> phase().isEmpty());
            awaitStable();
            return "it was backed up, slept after %.1f s and woke up, with both policies enforced"
                    .formatted(asleepSeconds);
        } finally {
            target.patch(cluster, "{\"spec\":{\"hibernate\":false,\"networkPolicy\":null}}");
            target.kubectl().call(backup, "delete", "-n", Target.NAMESPACE, "--ignore-not-found", "-f", "-");
            machines.enforcePolicies(nodes, false);
            target.upgradeRelease("networkPolicy.enabled=false");
        }
    }

    private void awaitStable() throws Exception {
        Target.await("nothing is left to do", LIMIT.multipliedBy(2), () -> {
            JsonNode granary = target.get(Target.NAMESPACE, "granaries", cluster);
            return SocialCluster.isStable(granary)
                    && granary.at("/status/storagePeers/live").asInt() == 3;
        });
    }

    private String phase() throws Exception {
        return target.get(Target.NAMESPACE, "granaries", cluster)
                .at("/status/hibernation/phase")
                .asText("");
    }

    private String closed() throws Exception {
        // A storage peer that is deleted while the step before still rolls the cluster would be one too many.
        awaitStable();
        long startNanos = System.nanoTime();
        policy("{\"enabled\":true,\"clients\":[{\"podSelector\":{\"matchLabels\":{\"app\":\"" + InClusterLoad.NAME
                + "\"}}}]}");
        Ports ports = ports();
        awaitPorts("the stranger reaches nothing", STRANGER, ports.all(), "CLOSED");
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        Check.that(
                probe(InClusterLoad.NAME, ports.data()).allMatch(line -> line.startsWith("OPEN")),
                "a client does not reach the data: %s",
                probe(InClusterLoad.NAME, ports.data()).toList());
        Check.that(
                probe(InClusterLoad.NAME, ports.others()).allMatch(line -> line.startsWith("CLOSED")),
                "a client reaches what is for nodes, administrators, Prometheus and the operator");
        String replaced = cluster + "-storage-0";
        String uid = uid(replaced);
        target.kubectl().run("delete", "pod", replaced, "-n", Target.NAMESPACE, "--wait=false");
        Target.await("the pod of a storage peer was replaced", LIMIT, () -> !uid(replaced)
                .equals(uid));
        awaitStable();
        awaitPorts("the stranger reaches nothing of the new pod either", STRANGER, ports().all(), "CLOSED");
        policy("null");
        awaitPorts("the stranger reaches everything again", STRANGER, ports().all(), "OPEN");
        return "%d ports were closed to a stranger within %.1f s, and %d of them open to a client; a storage peer was"
                        .formatted(ports.all().size(), seconds, ports.data().size())
                + " replaced meanwhile";
    }

    private void policy(String spec) throws Exception {
        target.patch(cluster, "{\"spec\":{\"networkPolicy\":" + spec + "}}");
    }

    private void awaitPorts(String what, String pod, List<String> places, String state) throws Exception {
        Predicate<String> good = line -> line.startsWith(state + " ");
        try {
            Target.await(what, LIMIT, () -> probe(pod, places).allMatch(good));
        } catch (AssertionError e) {
            throw new AssertionError(
                    e.getMessage() + ", but: "
                            + probe(pod, places).filter(good.negate()).toList(),
                    e);
        }
    }

    private Stream<String> probe(String pod, List<String> places) throws Exception {
        List<String> program = new ArrayList<>(List.of("PortProbe"));
        program.addAll(places);
        return load.runIn(pod, program).strip().lines();
    }

    private Ports ports() throws Exception {
        List<String> data = new ArrayList<>(List.of(cluster + ":7400", cluster + "-redis:6379"));
        List<String> others = new ArrayList<>();
        for (JsonNode pod : target.podsOf(cluster)) {
            String address = pod.at("/status/podIP").asText();
            others.addAll(List.of(address + ":7600", address + ":7700"));
            if (SocialCluster.name(pod).startsWith(cluster + "-super-peer")) {
                data.add(address + ":7400");
                others.add(address + ":7401");
            } else {
                data.addAll(List.of(address + ":7500", address + ":6379"));
                others.add(address + ":7501");
            }
        }
        return new Ports(data, others);
    }

    private String uid(String pod) throws Exception {
        return target.kubectl()
                .call(null, "get", "pod", pod, "-n", Target.NAMESPACE, "-o", "jsonpath={.metadata.uid}")
                .output();
    }

    private List<String> nodes() throws Exception {
        return target.kubectl()
                .run("get", "nodes", "-o", "name")
                .lines()
                .map(line -> line.substring(line.indexOf('/') + 1))
                .toList();
    }
}
