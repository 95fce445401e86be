package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;

/** A Granary that asks for RDMA, on a kubelet whose device plugin offers the resource. */
final class RdmaSteps {

    /** The name of this case on the command line. */
    static final String NAME = "rdma";

    private static final String RESOURCE = "rdma/hca_shared_devices_a";
    private static final String MISSING_RESOURCE = "rdma/that_no_node_has";
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final Target target;

    RdmaSteps(Target target) {
        this.target = target;
    }

    /** Returns all steps, in order. */
    List<Step> all() {
        return List.of(getsDevices(), goesAway(), autoTakesWhatThereIs(), requiredWaits());
    }

    Step getsDevices() {
        return Step.of("storage peers that ask for RDMA get the device, super-peers do not", () -> {
            requireResource();
            Program.Result applied = target.kubectl()
                    .call(Resources.read(Resources.RDMA), "apply", "-n", Target.RDMA_NAMESPACE, "-f", "-");
            Check.that(applied.exitCode() == 0, "%s", applied.output());
            target.kubectl()
                    .run("wait", "--for=condition=Ready", "gran/fast", "-n", Target.RDMA_NAMESPACE, "--timeout=180s");
            List<Pod> storage = pods("storage");
            Check.that(storage.size() == 2, "%d storage peers", storage.size());
            for (Pod pod : storage) {
                checkStoragePod(pod);
            }
            for (Pod pod : pods("super-peer")) {
                Check.that(!limits(pod).containsKey(RESOURCE), "a super-peer asks for %s", RESOURCE);
            }
            JsonNode granary = target.get(Target.RDMA_NAMESPACE, "granaries", "fast");
            StringBuilder condition = new StringBuilder();
            granary.at("/status/conditions").forEach(one -> {
                if (one.path("type").asText().startsWith("Rdma")) {
                    condition.append(one);
                }
            });
            Check.that(!condition.isEmpty(), "no condition about RDMA: %s", granary.path("status"));
            return condition.toString();
        });
    }

    Step goesAway() {
        return Step.of("its deletion gives the devices back", () -> {
            requireResource();
            target.kubectl().run("delete", "gran", "fast", "-n", Target.RDMA_NAMESPACE, "--timeout=120s");
            target.kubectl()
                    .run(
                            "wait",
                            "--for=delete",
                            "pods",
                            "-l",
                            "granary.dev/cluster=fast",
                            "-n",
                            Target.RDMA_NAMESPACE,
                            "--timeout=120s");
            return "";
        });
    }

    /** Mode auto: pods get the devices where there are enough; where there are none, the cluster runs without them. */
    Step autoTakesWhatThereIs() {
        return Step.of(
                "with rdma auto a cluster gets devices where nodes have them, and runs without elsewhere", () -> {
                    requireResource();
                    apply("granted", "auto", RESOURCE);
                    apply("without", "auto", MISSING_RESOURCE);
                    target.kubectl()
                            .run(
                                    "wait",
                                    "--for=condition=Ready",
                                    "gran/without",
                                    "-n",
                                    Target.RDMA_NAMESPACE,
                                    "--timeout=240s");
                    Target.await("every storage pod of granted has the device and is ready", LIMIT, () -> {
                        List<Pod> pods = podsOf("granted");
                        return !pods.isEmpty()
                                && pods.stream().allMatch(pod -> limits(pod).containsKey(RESOURCE))
                                && SocialCluster.condition(resource("granted"), "Ready", "status")
                                        .equals("True");
                    });
                    podsOf("without")
                            .forEach(pod ->
                                    Check.that(!limits(pod).containsKey(MISSING_RESOURCE), "it asks for a device"));
                    String without = SocialCluster.condition(resource("without"), "RdmaReady", "reason");
                    Check.that(without.equals("NoDevices"), "RdmaReady says %s", without);
                    String granted = SocialCluster.condition(resource("granted"), "RdmaReady", "message");
                    delete("granted");
                    delete("without");
                    return granted;
                });
    }

    /** Mode required without a node that has the device: pods are Pending, and the status says what is missing. */
    Step requiredWaits() {
        return Step.of("with rdma required and no such device pods wait, and the status says for what", () -> {
            apply("waiting", "required", MISSING_RESOURCE);
            Target.await("RdmaReady says that no node has the device", LIMIT, () -> SocialCluster.condition(
                            resource("waiting"), "RdmaReady", "reason")
                    .equals("NoNodeForDevice"));
            boolean pending = podsOf("waiting").stream()
                    .allMatch(pod -> pod.getStatus().getPhase().equals("Pending"));
            Check.that(pending, "a storage pod runs without its device");
            String message = SocialCluster.condition(resource("waiting"), "RdmaReady", "message");
            delete("waiting");
            return message;
        });
    }

    private void apply(String name, String mode, String resource) throws Exception {
        String yaml = """
                apiVersion: granary.dev/v1alpha1
                kind: Granary
                metadata: {name: %s}
                spec:
                  superPeers: {resources: {requests: {cpu: 100m}}}
                  storagePeers: {replicas: 1, memory: 512Mi, volume: {size: 1Gi}, resources: {requests: {cpu: 100m}}}
                  volumeRetention: {whenDeleted: Delete}
                  rdma: {mode: %s, resourceName: %s, count: 1}
                """.formatted(name, mode, resource);
        Program.Result applied = target.kubectl().call(yaml, "apply", "-n", Target.RDMA_NAMESPACE, "-f", "-");
        Check.that(applied.exitCode() == 0, "%s", applied.output());
    }

    private void delete(String name) throws Exception {
        target.kubectl().run("delete", "gran", name, "-n", Target.RDMA_NAMESPACE, "--timeout=120s");
    }

    private JsonNode resource(String name) throws Exception {
        return target.get(Target.RDMA_NAMESPACE, "granaries", name);
    }

    private List<Pod> podsOf(String cluster) {
        return target.client()
                .pods()
                .inNamespace(Target.RDMA_NAMESPACE)
                .withLabel("granary.dev/cluster", cluster)
                .withLabel("app.kubernetes.io/component", "storage")
                .list()
                .getItems();
    }

    private void checkStoragePod(Pod pod) throws Exception {
        Container container = pod.getSpec().getContainers().getFirst();
        Quantity devices = limits(pod).get(RESOURCE);
        Check.that(new Quantity("1").equals(devices), "%s of %s", limits(pod), RESOURCE);
        Check.that(
                container.getSecurityContext().getCapabilities().getAdd().equals(List.of("IPC_LOCK")),
                "capabilities: %s",
                container.getSecurityContext().getCapabilities());
        // The device file that the kubelet's device plugin put into the container.
        target.kubectl()
                .run(
                        "exec",
                        pod.getMetadata().getName(),
                        "-n",
                        Target.RDMA_NAMESPACE,
                        "--",
                        "test",
                        "-c",
                        "/dev/infiniband/uverbs0");
    }

    private void requireResource() throws Step.StepSkipped {
        requireResource(target);
    }

    /** Skips a step where no node offers the device. */
    static void requireResource(Target target) throws Step.StepSkipped {
        boolean offered = target.client().nodes().list().getItems().stream()
                .anyMatch(node -> node.getStatus().getAllocatable().containsKey(RESOURCE));
        if (!offered) {
            throw new Step.StepSkipped("no node of this cluster offers " + RESOURCE);
        }
    }

    private List<Pod> pods(String component) {
        return target.client()
                .pods()
                .inNamespace(Target.RDMA_NAMESPACE)
                .withLabel("app.kubernetes.io/component", component)
                .list()
                .getItems();
    }

    private static java.util.Map<String, Quantity> limits(Pod pod) {
        return pod.getSpec().getContainers().getFirst().getResources().getLimits();
    }
}
