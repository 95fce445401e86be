package dev.granary.operator.observe;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a pod is like the newest template, or can become so while it runs, by more memory, if only the memory
 * has changed (ADR 0147).
 */
final class PodMemory {
    private static final String MEMORY = "memory";

    /** Condition of a pod whose Kubernetes node has no room for the wanted memory. */
    private static final String PENDING = "PodResizePending";

    private final Pod pod;
    private final NewestTemplate newest;
    private final Map<String, String> annotations;
    private final String revision;

    /**
     * Looks at a pod.
     *
     * @param revision the revision from which the pod was made
     */
    PodMemory(Pod pod, String revision, NewestTemplate newest) {
        this.pod = pod;
        this.revision = revision;
        this.newest = newest;
        this.annotations = pod.getMetadata().getAnnotations() == null
                ? Map.of()
                : pod.getMetadata().getAnnotations();
    }

    /** Returns the memory limit of the first container. */
    static @Nullable Quantity limit(@Nullable PodSpec spec) {
        return spec == null || spec.getContainers().isEmpty()
                ? null
                : limit(spec.getContainers().getFirst().getResources());
    }

    private static @Nullable Quantity limit(@Nullable ResourceRequirements resources) {
        return resources == null || resources.getLimits() == null
                ? null
                : resources.getLimits().get(MEMORY);
    }

    /**
     * Whether the pod differs from the newest template. A pod that was asked to grow counts with the memory that it has
     * now.
     */
    boolean isOutdated() {
        boolean same = revision.equals(newest.revision());
        return annotations.containsKey(Names.MEMORY_ANNOTATION) ? !((same || isAlike()) && hasGrown()) : !same;
    }

    private boolean isAlike() {
        return newest.fingerprint() != null
                && newest.fingerprint().equals(annotations.get(Names.FINGERPRINT_ANNOTATION));
    }

    /**
     * Whether the Kubernetes node has given the pod the wanted memory. While no process runs, the node cannot say so.
     */
    private boolean hasGrown() {
        ContainerStatus status = process(pod);
        boolean done = status == null
                || status.getState() == null
                || status.getState().getRunning() == null
                || same(limit(status.getResources()), newest.memory());
        return done && same(limit(pod.getSpec()), newest.memory());
    }

    /** Returns the status of the first container, which has the process; the statuses are in the order of names. */
    static @Nullable ContainerStatus process(Pod pod) {
        if (pod.getStatus() == null
                || pod.getSpec() == null
                || pod.getSpec().getContainers().isEmpty()) {
            return null;
        }
        String name = pod.getSpec().getContainers().getFirst().getName();
        return pod.getStatus().getContainerStatuses().stream()
                .filter(status -> name.equals(status.getName()))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns how an outdated pod gets the memory of the newest template while it runs; {@code null} when it cannot or
     * need not.
     */
    PodView.@Nullable Growth growth() {
        if (!isOutdated()) {
            return null;
        }
        Quantity wanted = newest.memory();
        Quantity has = limit(pod.getSpec());
        if (wanted == null || has == null || !isAlike()) {
            return null;
        }
        if (is(annotations.get(Names.MEMORY_REFUSED_ANNOTATION), wanted)) {
            return null;
        }
        // The annotation is written first. If the API server has failed the second write, the operator asks for the
        // memory again.
        if (is(annotations.get(Names.MEMORY_ANNOTATION), wanted) && same(has, wanted)) {
            String since = annotations.get(Names.MEMORY_SINCE_ANNOTATION);
            return isPending() || since == null ? null : new PodView.Growth(wanted.toString(), Instant.parse(since));
        }
        String most = annotations.get(Names.MEMORY_MAX_ANNOTATION);
        boolean fits = most != null && bytes(wanted) <= bytes(new Quantity(most)) && bytes(wanted) > bytes(has);
        return fits ? new PodView.Growth(wanted.toString(), null) : null;
    }

    private boolean isPending() {
        return pod.getStatus() != null
                && pod.getStatus().getConditions().stream()
                        .anyMatch(condition ->
                                PENDING.equals(condition.getType()) && "True".equals(condition.getStatus()));
    }

    private static boolean is(@Nullable String text, @Nullable Quantity quantity) {
        return text != null && same(new Quantity(text), quantity);
    }

    private static boolean same(@Nullable Quantity one, @Nullable Quantity other) {
        return one != null && other != null && bytes(one) == bytes(other);
    }

    private static long bytes(Quantity quantity) {
        return Quantity.getAmountInBytes(quantity).longValue();
    }
}
