package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;

/** A Granary that asks for RDMA, on a kubelet whose device plugin offers the resource. */
final class RdmaSteps {

    private static final String RESOURCE = "rdma/hca_shared_devices_a";

    private final Target target;

    RdmaSteps(Target target) {
        this.target = target;
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

    private void checkStoragePod(Pod pod) throws Exception {
        Container container = pod.getSpec().getContainers().getFirst();
        Quantity devices = limits(pod).get(RESOURCE);
        Check.that(new Quantity("1").equals(devices), "%s of %s", limits(pod), RESOURCE);
        Check.that(
                container.getSecurityContext().getCapabilities().getAdd().equals(List.of("IPC_LOCK")),
                "capabilities: %s",
                container.getSecurityContext().getCapabilities());
        // What the kubelet's device plugin put into the container.
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
