package dev.granary.operator.build;

import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

/** The permissions of every pod that the operator makes, within the restricted pod security standard. */
public final class RestrictedSecurity {
    private static final long USER = 65532;

    private RestrictedSecurity() {}

    /**
     * The context of the pod: the user of the image, who also owns its volumes.
     *
     * @param assigned whether the platform assigns user and group, and refuses pods that name their own (OpenShift)
     */
    public static PodSecurityContext pod(boolean assigned) {
        Long user = assigned ? null : USER;
        return new PodSecurityContextBuilder()
                .withRunAsNonRoot(true)
                .withRunAsUser(user)
                .withRunAsGroup(user)
                .withFsGroup(user)
                .withFsGroupChangePolicy("OnRootMismatch")
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .build();
    }

    /**
     * The context of the pod's container.
     *
     * @param capabilities additional capabilities; with any of them the pod is no longer within the standard
     */
    public static SecurityContext container(String... capabilities) {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .withAdd(capabilities)
                .endCapabilities()
                .build();
    }
}
