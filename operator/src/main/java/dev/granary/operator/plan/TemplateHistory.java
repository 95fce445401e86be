package dev.granary.operator.plan;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which pod template a StatefulSet has, and which it had (ADR 0112). Kept in annotations of the StatefulSet itself.
 *
 * <p>Invariants: (1) as long as the same is asked for, the template stays as it was rendered, whichever version of the
 * operator rendered it: so an upgrade of the operator restarts no pod; (2) what was rejected is not rolled out again
 * until something else is asked for; (3) the good template is one with which all pods were well.
 *
 * @param rendered the present template, {@code null} before the first
 * @param good the last one with which all pods were well, {@code null} before there was one
 * @param rejected inputs with which pods did not become well, {@code null} for none
 */
public record TemplateHistory(
        @Nullable Rendered rendered,
        @Nullable Rendered good,
        @Nullable String rejected) {
    /** Nothing yet. */
    public static final TemplateHistory NONE = new TemplateHistory(null, null, null);

    /**
     * A template and what it was made of.
     *
     * @param inputs fingerprint of what was asked for by the builders
     * @param image image of its container
     * @param template the template as JSON
     */
    public record Rendered(String inputs, String image, String template) {
        /** Renders one. */
        static Rendered of(String inputs, PodTemplateSpec template) {
            return new Rendered(
                    inputs, template.getSpec().getContainers().getFirst().getImage(), Serialization.asJson(template));
        }

        PodTemplateSpec toTemplate() {
            return Serialization.unmarshal(template, PodTemplateSpec.class);
        }
    }

    /** Reads what a StatefulSet carries; one without annotations has no history. */
    public static TemplateHistory of(@Nullable StatefulSet set) {
        Map<String, String> annotations = set == null || set.getMetadata().getAnnotations() == null
                ? Map.of()
                : set.getMetadata().getAnnotations();
        return new TemplateHistory(
                read(annotations.get(Names.RENDERED_ANNOTATION)),
                read(annotations.get(Names.GOOD_ANNOTATION)),
                annotations.get(Names.REJECTED_ANNOTATION));
    }

    private static @Nullable Rendered read(@Nullable String text) {
        return text == null ? null : Serialization.unmarshal(text, Rendered.class);
    }

    /** The image that pods have now, {@code null} before the first template. */
    public @Nullable String image() {
        return rendered == null ? null : rendered.image();
    }

    /** Whether there is an earlier template to which one could go back. */
    public boolean canGoBack() {
        return rendered != null && good != null && !good.inputs().equals(rendered.inputs());
    }

    /** Whether what was asked for was taken back. */
    public boolean isRolledBack() {
        return rejected != null;
    }

    /** All pods run the present template and are well. */
    public TemplateHistory succeeded() {
        return rendered == null || rendered.equals(good) ? this : new TemplateHistory(rendered, rendered, rejected);
    }

    /** Pods with the present template do not become well: back to the good one. */
    public TemplateHistory failed() {
        return rendered == null || !canGoBack() ? this : new TemplateHistory(good, good, rendered.inputs());
    }

    /** What is asked for now. */
    public TemplateHistory wanting(String inputs, PodTemplateSpec fresh) {
        if (inputs.equals(rejected)) {
            return this;
        }
        if (rendered != null && rendered.inputs().equals(inputs)) {
            return rejected == null ? this : new TemplateHistory(rendered, good, null);
        }
        return new TemplateHistory(Rendered.of(inputs, fresh), good, null);
    }

    /**
     * The present template.
     *
     * @throws NullPointerException before the first
     */
    public PodTemplateSpec template() {
        return Objects.requireNonNull(rendered).toTemplate();
    }

    /** The annotations that carry it. */
    public Map<String, String> toAnnotations() {
        Map<String, String> annotations = new TreeMap<>();
        annotations.put(Names.RENDERED_ANNOTATION, Serialization.asJson(Objects.requireNonNull(rendered)));
        if (good != null) {
            annotations.put(Names.GOOD_ANNOTATION, Serialization.asJson(good));
        }
        if (rejected != null) {
            annotations.put(Names.REJECTED_ANNOTATION, rejected);
        }
        return annotations;
    }
}
