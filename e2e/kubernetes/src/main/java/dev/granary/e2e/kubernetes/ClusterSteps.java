package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The life of one Granary: from ten lines of YAML until nothing is left of it. */
final class ClusterSteps {

    private static final int SUPER_PEER_HTTP_PORT = 7401;

    /** Where the kubelet writes the zone that the operator found, and what it writes for none. */
    private static final String ZONE_FILE = "/etc/granary-zone/zone";

    private static final String NO_ZONE = "none";

    private final Target target;
    private final Inventory inventory;
    private Set<String> before = Set.of();
    private Set<String> volumesBefore = Set.of();

    ClusterSteps(Target target) {
        this.target = target;
        this.inventory = new Inventory(target.kubectl());
    }

    Step becomesReady() {
        return Step.essential("ten lines of YAML become a Ready cluster", () -> {
            before = inventory.ofNamespace(Target.NAMESPACE);
            volumesBefore = inventory.outsideNamespaces();
            String yaml = Resources.read(Resources.SOCIAL);
            Check.that(
                    yaml.lines().count() == 10,
                    "social.yaml has %d lines",
                    yaml.lines().count());
            Program.Result applied = target.kubectl().call(yaml, "apply", "-n", Target.NAMESPACE, "-f", "-");
            Check.that(applied.exitCode() == 0, "%s", applied.output());
            target.kubectl()
                    .run("wait", "--for=condition=Ready", "gran/social", "-n", Target.NAMESPACE, "--timeout=240s");
            JsonNode granary = granary();
            Check.that(
                    granary.at("/status/observedGeneration").asLong()
                            == granary.at("/metadata/generation").asLong(),
                    "the status is about another generation: %s",
                    granary.path("status"));
            awaitLivePeers(3);
            return target.kubectl().run("get", "pods", "-n", Target.NAMESPACE, "-o", "wide");
        });
    }

    /**
     * Kubernetes gives pods the zone labels of their node from version 1.35 on. Before, it does so where that is
     * switched on, as on the tests' own cluster. The file with the zone, for Kubernetes without such labels, must say
     * the same (ADR 0242).
     */
    Step peersKnowTheirZones() {
        return Step.of("storage peers know machine and failure zone", () -> {
            SocialCluster social = new SocialCluster(target);
            List<String> seen = new ArrayList<>();
            for (JsonNode pod : social.running("storage")) {
                JsonNode peer = social.peer(SocialCluster.name(pod));
                String zone = pod.path("metadata")
                        .path("labels")
                        .path("topology.kubernetes.io/zone")
                        .asText();
                Check.that(
                        peer.path("machine").asText().equals(SocialCluster.node(pod))
                                && peer.path("failureZone").asText().equals(zone),
                        "%s on %s, zone '%s': %s",
                        SocialCluster.name(pod),
                        SocialCluster.node(pod),
                        zone,
                        peer);
                String file = target.kubectl()
                        .run("exec", SocialCluster.name(pod), "-n", Target.NAMESPACE, "--", "cat", ZONE_FILE)
                        .strip();
                Check.that(
                        file.equals(zone.isEmpty() ? NO_ZONE : zone),
                        "%s has the zone '%s', and in its file is '%s'",
                        SocialCluster.name(pod),
                        zone,
                        file);
                seen.add("%s: %s, zone '%s'".formatted(SocialCluster.name(pod), SocialCluster.node(pod), zone));
            }
            Check.that(
                    target.options().nodeScripts() == null || seen.stream().noneMatch(line -> line.endsWith("''")),
                    "pods do not have the zones of their nodes: %s",
                    seen);
            return String.join("\n", seen);
        });
    }

    Step podsAreRestricted() {
        return Step.of("every process runs as 65532 on a read-only root file system", () -> {
            for (Pod pod : pods()) {
                for (Container container : pod.getSpec().getContainers()) {
                    Check.that(
                            Boolean.TRUE.equals(container.getSecurityContext().getReadOnlyRootFilesystem()),
                            "the root file system of %s is not read-only",
                            pod.getMetadata().getName());
                }
                String name = pod.getMetadata().getName();
                String user = target.kubectl().run("exec", name, "-n", Target.NAMESPACE, "--", "id", "-u");
                Check.that("65532".equals(user.strip()), "%s runs as %s", name, user);
                Program.Result write = target.kubectl()
                        .call(null, "exec", name, "-n", Target.NAMESPACE, "--", "touch", "/opt/granary/x");
                Check.contains(write.output(), "Read-only file system");
            }
            return pods().size() + " pods";
        });
    }

    Step showsItself() {
        return Step.of("kubectl get and kubectl describe show what an operator of the cluster needs", () -> {
            String get = target.kubectl().run("get", "gran", "-n", Target.NAMESPACE);
            Check.contains(
                    get,
                    "NAME",
                    "READY",
                    "REPLICATED",
                    "DEGRADED",
                    "PEERS",
                    "SUPER-PEERS",
                    "CHUNKS",
                    "AGE",
                    "social",
                    "True",
                    "3/3",
                    "1/1");
            String wide = target.kubectl().run("get", "gran", "-n", Target.NAMESPACE, "-o", "wide");
            Check.contains(
                    wide,
                    "REASON",
                    "MESSAGE",
                    "VERSION",
                    "CLUSTER ID",
                    granary().at("/status/clusterId").asText());
            String describe = target.kubectl().run("describe", "gran", "social", "-n", Target.NAMESPACE);
            Check.contains(describe, "Conditions:", "Type:", "Ready", "Progressing", "Degraded", "Events:");
            Check.that(
                    !describe.contains("Events:  <none>") && describe.contains("Normal"),
                    "no events in:%n%s",
                    describe);
            return get + wide + describe;
        });
    }

    Step scales() {
        return Step.essential("kubectl scale to 5: the new peers hold leases", () -> {
            target.kubectl().run("scale", "gran/social", "-n", Target.NAMESPACE, "--replicas=5");
            awaitLivePeers(5);
            target.kubectl()
                    .run("wait", "--for=condition=Ready", "gran/social", "-n", Target.NAMESPACE, "--timeout=120s");
            Target.await(
                    "status.storagePeers.replicas is 5",
                    Duration.ofMinutes(1),
                    () -> granary().at("/status/storagePeers/live").asInt() == 5
                            && granary().at("/status/storagePeers/replicas").asInt() == 5);
            JsonNode status = status();
            List<String> leases = new ArrayList<>();
            for (JsonNode peer : status.path("storagePeers")) {
                Check.that(peer.path("leaseRemainingMillis").asLong() > 0, "no lease: %s", peer);
                leases.add("%s %s lease %d ms"
                        .formatted(
                                peer.path("nid").asText(),
                                peer.path("name").asText(),
                                peer.path("leaseRemainingMillis").asLong()));
            }
            return String.join("\n", leases);
        });
    }

    Step scalesIn() {
        return Step.of("kubectl scale to 3: everything leaves two peers, then their pods go", () -> {
            long chunks = chunks();
            target.kubectl().run("scale", "gran/social", "-n", Target.NAMESPACE, "--replicas=3");
            Target.await(
                    "a plan is in the status",
                    Duration.ofMinutes(1),
                    () -> granary().at("/status/stops/0/reason").asText().equals("ScaleIn")
                            || granary().at("/status/storagePeers/target").asInt() == 3);
            String plan = granary().at("/status/stops").toString();
            Target.await("three storage peers are left", Duration.ofMinutes(3), () -> {
                JsonNode granary = granary();
                return granary.at("/status/storagePeers/replicas").asInt() == 3
                        && granary.at("/status/storagePeers/target").asInt() == 3
                        && granary.at("/status/storagePeers/live").asInt() == 3;
            });
            Target.await("no chunk is missing", Duration.ofSeconds(30), () -> chunks() == chunks);
            return plan + "\n" + target.kubectl().run("get", "gran", "-n", Target.NAMESPACE);
        });
    }

    Step leavesNothing() {
        return Step.of("kubectl delete leaves nothing behind", () -> {
            target.kubectl().run("delete", "gran", "social", "-n", Target.NAMESPACE, "--timeout=120s");
            Target.await(
                    "all objects of the cluster are gone, its volumes too",
                    Duration.ofMinutes(2),
                    () -> leftInNamespace().isEmpty() && volumesLeft().isEmpty());
            return "no object of any kind appeared in the namespace and stayed";
        });
    }

    /** Returns objects that appeared since before the cluster was made, without the Jobs of the steps themselves. */
    private Set<String> leftInNamespace() throws Exception {
        return Inventory.appeared(
                before, inventory.ofNamespace(Target.NAMESPACE), name -> !name.contains("/" + DataSteps.JOB_PREFIX));
    }

    private Set<String> volumesLeft() throws Exception {
        return Inventory.appeared(
                volumesBefore, inventory.outsideNamespaces(), name -> name.startsWith("persistentvolume/"));
    }

    Step neverRestarts() {
        return Step.of("no process was restarted in all this", () -> {
            for (Pod pod : pods()) {
                int restarts = pod.getStatus().getContainerStatuses().getFirst().getRestartCount();
                Check.that(
                        restarts == 0,
                        "%s was restarted %d times",
                        pod.getMetadata().getName(),
                        restarts);
            }
            return pods().size() + " pods";
        });
    }

    /** Returns the names of the storage peers that have no chunk, according to the super-peers. */
    List<String> emptyPeers() throws Exception {
        List<String> names = new ArrayList<>();
        for (JsonNode peer : status().path("storagePeers")) {
            if (peer.path("chunks").asLong() == 0) {
                names.add(peer.path("name").asText());
            }
        }
        return names;
    }

    /** Returns the number of chunks in the cluster, according to the super-peers. */
    long chunks() throws Exception {
        return status().at("/totals/chunks").asLong();
    }

    private void awaitLivePeers(int count) throws Exception {
        Target.await(
                count + " storage peers hold leases",
                Duration.ofMinutes(3),
                () -> status().at("/totals/livePeers").asInt() == count);
    }

    /** Returns a super-peer's status of the whole cluster. */
    private JsonNode status() throws Exception {
        return target.fetch(superPeer(), SUPER_PEER_HTTP_PORT, "/status");
    }

    private Pod superPeer() {
        return pods().stream()
                .filter(pod -> "super-peer".equals(pod.getMetadata().getLabels().get("app.kubernetes.io/component")))
                .findFirst()
                .orElseThrow();
    }

    private List<Pod> pods() {
        return target.client()
                .pods()
                .inNamespace(Target.NAMESPACE)
                .withLabel("granary.dev/cluster", "social")
                .list()
                .getItems();
    }

    private JsonNode granary() throws Exception {
        return target.get(Target.NAMESPACE, "granaries", "social");
    }
}
