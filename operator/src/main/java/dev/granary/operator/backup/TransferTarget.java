package dev.granary.operator.backup;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.PodOverridesSpec;
import dev.granary.operator.api.TlsSpec;
import dev.granary.operator.build.Ports;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.build.TlsVolume;
import dev.granary.operator.certificate.Role;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that a Job works on. The Job runs the cluster's image, as the user of its pods, where the pods of its
 * super-peers may run.
 *
 * @param cluster name of the Granary
 * @param namespace namespace of the Granary and the Job
 * @param adminPort the port of all nodes for administration; 0 when there is none of its own
 * @param hasSecret whether the Job proves by the cluster's secret that it may administer
 * @param tlsSecret the Secret with the certificate by which the Job administers, {@code null} without TLS
 * @param pods what the pods of the super-peers get from the resource
 */
record TransferTarget(
        String cluster,
        String namespace,
        String image,
        String imagePullPolicy,
        List<LocalObjectReference> imagePullSecrets,
        PodSecurityContext security,
        int adminPort,
        boolean hasSecret,
        @Nullable String tlsSecret,
        PodOverridesSpec pods) {

    /** Returns the target with the image that the cluster's super-peers run. */
    static TransferTarget of(Granary granary, StatefulSet superPeers) {
        PodSpec pod = superPeers.getSpec().getTemplate().getSpec();
        Container container = pod.getContainers().getFirst();
        return new TransferTarget(
                granary.getMetadata().getName(),
                superPeers.getMetadata().getNamespace(),
                container.getImage(),
                container.getImagePullPolicy() == null ? "IfNotPresent" : container.getImagePullPolicy(),
                pod.getImagePullSecrets() == null ? List.of() : pod.getImagePullSecrets(),
                pod.getSecurityContext() == null ? new PodSecurityContext() : pod.getSecurityContext(),
                Ports.areAmong(pod) ? Names.ADMIN_PORT : 0,
                Secrets.isAmong(pod.getVolumes()),
                TlsVolume.isAmong(pod.getVolumes()) ? tlsSecret(granary) : null,
                podsOf(granary));
    }

    private static String tlsSecret(Granary granary) {
        TlsSpec tls = granary.getSpec() == null ? null : granary.getSpec().tls();
        return tls == null || tls.secrets() == null
                ? Names.certificate(granary.getMetadata().getName(), Role.OPERATOR.text())
                : tls.secrets().operator().name();
    }

    private static PodOverridesSpec podsOf(Granary granary) {
        return granary.getSpec() == null
                        || granary.getSpec().superPeers() == null
                        || granary.getSpec().superPeers().pod() == null
                ? PodOverridesSpec.NONE
                : granary.getSpec().superPeers().pod();
    }

    /** Returns the addresses at which the Job looks for the cluster. */
    String seeds() {
        return Names.clientService(cluster) + "." + namespace + ".svc:" + Names.SUPER_PEER_PORT;
    }
}
