package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.testcontainers.containers.Container;
import org.testcontainers.k3s.K3sContainer;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * Starts a K3s with one node in a container, for machines with a Docker that can pull images, and keeps it until
 * standard input ends.
 */
public final class K3sCluster {

    private static final String IMPORTED = "/tmp/image.tar";

    private K3sCluster() {}

    /** Arguments: the image of K3s, the kubeconfig to write when the cluster is up, archives of images to import. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (K3sContainer k3s = new K3sContainer(DockerImageName.parse(arguments[0]))) {
            k3s.start();
            for (int i = 2; i < arguments.length; i++) {
                load(k3s, Path.of(arguments[i]));
            }
            // Moved to its final name in one step, because the run script waits for that name.
            Path kubeconfig = Path.of(arguments[1]);
            Path part = Path.of(arguments[1] + ".part");
            Files.writeString(part, k3s.getKubeConfigYaml());
            Files.move(part, kubeconfig);
            while (System.in.read() >= 0) {
                // Ignores what arrives; only the end of the input counts.
            }
        }
    }

    private static void load(K3sContainer k3s, Path archive) throws IOException, InterruptedException {
        k3s.copyFileToContainer(MountableFile.forHostPath(archive), IMPORTED);
        Container.ExecResult result = k3s.execInContainer("ctr", "-n", "k8s.io", "images", "import", IMPORTED);
        Check.that(result.getExitCode() == 0, "%s could not be imported: %s", archive, result.getStderr());
    }
}
