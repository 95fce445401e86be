package dev.granary.operator.plan;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The present pod template of a StatefulSet and its former ones (ADR 0112). Annotations of the StatefulSet itself hold
 * them.
 *
 * <p>Invariants: (1) while the inputs are the same, the template stays as any version of the operator has rendered it,
 * so an upgrade of the operator restarts no pod; (2) rejected inputs are not rolled out again until there were other
 * inputs, or a person has asked for another try; (3) the good template is one with which all pods were ready.
 *
 * @param rendered the present template, {@code null} before the first
 * @param good the last template with which all pods were ready, {@code null} before there was one
 * @param rejected the inputs with which pods did not become ready, {@code null} for none; behind a blank stands the try
 *     that a person had asked for
 */
public record TemplateHistory(
        @Nullable Rendered rendered,
        @Nullable Rendered good,
        @Nullable String rejected) {
    /** The history of a StatefulSet without templates. */
    public static final TemplateHistory NONE = new TemplateHistory(null, null, null);

    /**
     * A template and its inputs.
     *
     * @param inputs fingerprint of the inputs of the builders
     * @param image image of its container
     * @param template the template as JSON
     */
    public record Rendered(String inputs, String image, String template) {
        /** Renders a template. */
        static Rendered of(String inputs, PodTemplateSpec template) {
            return new Rendered(
                    inputs, template.getSpec().getContainers().getFirst().getImage(), Serialization.asJson(template));
        }

        PodTemplateSpec toTemplate() {
            return Serialization.unmarshal(template, PodTemplateSpec.class);
        }
    }

    /** Returns the history in the annotations of a StatefulSet; without annotations there is no history. */
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

    /** Returns the image that pods have now, {@code null} before the first template. */
    public @Nullable String image() {
        return rendered == null ? null : rendered.image();
    }

    /** Whether there is an earlier template to roll back to. */
    public boolean canGoBack() {
        return rendered != null && good != null && !good.inputs().equals(rendered.inputs());
    }

    /** Whether the wanted template was rolled back. */
    public boolean isRolledBack() {
        return rejected != null;
    }

    /** Returns this history with the present template as the good one, because all pods run it and are ready. */
    public TemplateHistory succeeded() {
        return rendered == null || rendered.equals(good) ? this : new TemplateHistory(rendered, rendered, rejected);
    }

    /**
     * Returns this history rolled back to the good template, because pods with the present one do not become ready.
     *
     * @param retry the try that a person has asked for, {@code null} for none
     */
    public TemplateHistory failed(@Nullable String retry) {
        return rendered == null || !canGoBack()
                ? this
                : new TemplateHistory(good, good, attempt(rendered.inputs(), retry));
    }

    private static String attempt(String inputs, @Nullable String retry) {
        return retry == null ? inputs : inputs + " " + retry;
    }

    /** Whether the inputs were rejected. They may be tried again once for each try that a person asks for. */
    private boolean isRejected(String inputs, @Nullable String retry) {
        return rejected != null
                && (retry == null
                        ? rejected.equals(inputs) || rejected.startsWith(inputs + " ")
                        : rejected.equals(attempt(inputs, retry)));
    }

    /**
     * Returns this history with the inputs that are wanted now.
     *
     * @param retry the try that a person has asked for, {@code null} for none
     */
    public TemplateHistory wanting(String inputs, @Nullable String retry, PodTemplateSpec fresh) {
        if (isRejected(inputs, retry)) {
            return this;
        }
        if (rendered != null && rendered.inputs().equals(inputs)) {
            return rejected == null ? this : new TemplateHistory(rendered, good, null);
        }
        return new TemplateHistory(Rendered.of(inputs, fresh), good, null);
    }

    /**
     * Returns the present template.
     *
     * @throws NullPointerException before the first template
     */
    public PodTemplateSpec template() {
        return Objects.requireNonNull(rendered).toTemplate();
    }

    /** Returns the annotations that carry this history. */
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
