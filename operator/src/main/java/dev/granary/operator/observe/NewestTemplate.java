package dev.granary.operator.observe;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The facts that decide whether a pod is like the newest template of its role.
 *
 * @param revision the name of the template among the revisions of the StatefulSet
 * @param fingerprint the fingerprint of the template without its memory; {@code null} where pods' memory cannot grow
 * @param memory the memory limit of the template, {@code null} for none
 */
public record NewestTemplate(
        String revision,
        @Nullable String fingerprint,
        @Nullable Quantity memory) {

    /** Returns a template to which no pod can change while it runs. */
    public static NewestTemplate of(String revision) {
        return new NewestTemplate(revision, null, null);
    }

    /** Returns the newest template of a StatefulSet once its controller has seen it; {@code null} before. */
    public static @Nullable NewestTemplate of(@Nullable StatefulSet set) {
        if (set == null || set.getStatus() == null) {
            return null;
        }
        boolean current = Objects.equals(
                set.getStatus().getObservedGeneration(), set.getMetadata().getGeneration());
        String revision = set.getStatus().getUpdateRevision();
        if (!current || revision == null) {
            return null;
        }
        PodTemplateSpec template = set.getSpec().getTemplate();
        Map<String, String> annotations =
                template.getMetadata() == null || template.getMetadata().getAnnotations() == null
                        ? Map.of()
                        : template.getMetadata().getAnnotations();
        return new NewestTemplate(
                revision, annotations.get(Names.FINGERPRINT_ANNOTATION), PodMemory.limit(template.getSpec()));
    }
}
