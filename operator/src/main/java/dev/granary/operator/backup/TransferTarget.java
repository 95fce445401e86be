package dev.granary.operator.backup;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;

/**
 * The cluster that a Job works on. The Job runs the cluster's image.
 *
 * @param cluster name of the Granary
 * @param namespace namespace of the Granary and the Job
 */
record TransferTarget(
        String cluster,
        String namespace,
        String image,
        String imagePullPolicy,
        List<LocalObjectReference> imagePullSecrets) {

    /** Returns the target with the image that the cluster's super-peers run. */
    static TransferTarget of(String cluster, StatefulSet superPeers) {
        PodSpec pod = superPeers.getSpec().getTemplate().getSpec();
        Container container = pod.getContainers().getFirst();
        return new TransferTarget(
                cluster,
                superPeers.getMetadata().getNamespace(),
                container.getImage(),
                container.getImagePullPolicy() == null ? "IfNotPresent" : container.getImagePullPolicy(),
                pod.getImagePullSecrets() == null ? List.of() : pod.getImagePullSecrets());
    }

    /** Returns the addresses at which the Job looks for the cluster. */
    String seeds() {
        return Names.clientService(cluster) + "." + namespace + ".svc:" + Names.SUPER_PEER_PORT;
    }
}
