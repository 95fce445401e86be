package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Kills processes and switches nodes, where the tests have built the cluster. */
final class Machines {
    private static final String CONTAINERD = "containerd://";

    private final @Nullable Path scripts;

    /** Works with the scripts in a folder; {@code null} where nodes are out of reach. */
    Machines(@Nullable Path scripts) {
        this.scripts = scripts;
    }

    boolean areInReach() {
        return scripts != null;
    }

    /** Skips a step that needs access to nodes where they are out of reach. */
    void require() throws Step.StepSkipped {
        if (!areInReach()) {
            throw new Step.StepSkipped("processes and power of this cluster's nodes are out of reach");
        }
    }

    /** Kills the first process of a pod's container with SIGKILL, from its node. */
    void killProcess(JsonNode pod) throws Exception {
        String id = container(pod);
        script("node-exec")
                .run(SocialCluster.node(pod), "ctr", "-n", "k8s.io", "tasks", "kill", "--signal", "SIGKILL", id);
    }

    /** Makes a fault of a pod's container, or ends it: {@code cluster/lib/fault} lists the deeds. */
    void fault(JsonNode pod, String deed, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(deed, container(pod)));
        arguments.addAll(List.of(more));
        faultOn(SocialCluster.node(pod), arguments);
    }

    /** Makes a fault of a folder of a node, or ends it. */
    void faultOfFolder(String node, String deed, String folder, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(deed, folder));
        arguments.addAll(List.of(more));
        faultOn(node, arguments);
    }

    private void faultOn(String node, List<String> arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(node, folder().resolve("lib/fault").toString()));
        command.addAll(arguments);
        script("node-exec").run(command.toArray(String[]::new));
    }

    private static String container(JsonNode pod) {
        String id = pod.at("/status/containerStatuses/0/containerID").asText();
        Check.that(id.startsWith(CONTAINERD), "no container of containerd: %s", id);
        return id.substring(CONTAINERD.length());
    }

    /**
     * Makes the network of the nodes enforce NetworkPolicies, or no more. Does nothing where nodes are out of reach:
     * there the network does what it does.
     */
    void enforcePolicies(List<String> nodes, boolean on) throws Exception {
        if (!areInReach()) {
            return;
        }
        for (String node : nodes) {
            script("node-exec")
                    .run(node, folder().resolve("lib/network-policies").toString(), on ? "on" : "off", node);
        }
    }

    /** Ends everything on a node at once: kubelet, containers, network. */
    void powerOff(String node) throws Exception {
        script("node-off").run(node);
    }

    /** Boots a node as after a loss of power. */
    void powerOn(String node) throws Exception {
        script("node-on").run(node);
    }

    /** Stops the API server: from then on it answers nobody. */
    void stopApiServer() throws Exception {
        script("api-server").run("off");
    }

    /** Lets the API server go on. */
    void continueApiServer() throws Exception {
        script("api-server").run("on");
    }

    private Program script(String name) throws Step.StepSkipped {
        return new Program(folder().resolve(name), List.of());
    }

    private Path folder() throws Step.StepSkipped {
        Path folder = scripts;
        if (folder == null) {
            throw new Step.StepSkipped("no scripts for the nodes of this cluster");
        }
        return folder;
    }
}
