package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
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
        String id = pod.at("/status/containerStatuses/0/containerID").asText();
        Check.that(id.startsWith(CONTAINERD), "no container of containerd: %s", id);
        script("node-exec")
                .run(
                        SocialCluster.node(pod),
                        "ctr",
                        "-n",
                        "k8s.io",
                        "tasks",
                        "kill",
                        "--signal",
                        "SIGKILL",
                        id.substring(CONTAINERD.length()));
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
        Path folder = scripts;
        if (folder == null) {
            throw new Step.StepSkipped("no scripts for the nodes of this cluster");
        }
        return new Program(folder.resolve(name), List.of());
    }
}
