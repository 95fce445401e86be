package dev.granary.operator.observe;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What decides whether a pod is like the newest template of its role.
 *
 * @param revision its name among the revisions of the StatefulSet
 * @param fingerprint of all of it but its memory; {@code null} where the memory of pods cannot grow
 * @param memory its memory limit, {@code null} for none
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
