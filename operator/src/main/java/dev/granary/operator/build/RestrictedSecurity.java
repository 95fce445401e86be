package dev.granary.operator.build;

import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

/** What every pod that the operator makes may do: no more than the restricted pod security standard allows. */
public final class RestrictedSecurity {
    private static final long USER = 65532;

    private RestrictedSecurity() {}

    /** Of the pod: the user of the image, who owns its volumes, too. */
    public static PodSecurityContext pod() {
        return new PodSecurityContextBuilder()
                .withRunAsNonRoot(true)
                .withRunAsUser(USER)
                .withRunAsGroup(USER)
                .withFsGroup(USER)
                .withFsGroupChangePolicy("OnRootMismatch")
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .build();
    }

    /**
     * Of its container.
     *
     * @param capabilities what it needs besides; with any the pod is no longer within the standard
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
