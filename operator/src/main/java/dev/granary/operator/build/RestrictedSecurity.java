package dev.granary.operator.build;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** The context of the pod, with the fields that the resource asks for in place of those. */
    static PodSecurityContext pod(boolean assigned, @Nullable PodSecurityContext asked) {
        return asked == null ? pod(assigned) : over(pod(assigned), asked, PodSecurityContext.class);
    }

    /** The context of the pod's container, with the fields that the resource asks for in place of those. */
    static SecurityContext container(@Nullable SecurityContext asked, List<String> capabilities) {
        SecurityContext own = container(capabilities.toArray(String[]::new));
        return asked == null ? own : over(own, asked, SecurityContext.class);
    }

    private static <T> T over(T own, T asked, Class<T> type) {
        ObjectNode fields = Serialization.unmarshal(Serialization.asJson(own), ObjectNode.class);
        fields.setAll(Serialization.unmarshal(Serialization.asJson(asked), ObjectNode.class));
        return Serialization.unmarshal(fields.toString(), type);
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
