package dev.granary.operator.observe;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pods of one role.
 *
 * @param existing pods that are there and not being deleted
 * @param ready pods that are ready
 * @param addresses addresses of the pods, in the order of their names
 * @param outdated names of pods that run an older template
 * @param problems why pods do not start, one text for each pod in trouble
 * @param unschedulable whether a pod finds no node
 */
public record PodsView(
        int existing,
        int ready,
        List<String> addresses,
        List<String> outdated,
        List<String> problems,
        boolean unschedulable) {
    private static final Set<String> TROUBLE = Set.of(
            "CrashLoopBackOff",
            "ImagePullBackOff",
            "ErrImagePull",
            "ErrImageNeverPull",
            "CreateContainerConfigError",
            "CreateContainerError",
            "InvalidImageName",
            "RunContainerError");

    /**
     * Looks at pods.
     *
     * @param pods pods of one role
     * @param updateRevision newest revision of their StatefulSet, {@code null} when it is not known
     */
    public static PodsView of(Collection<Pod> pods, @Nullable String updateRevision) {
        List<Pod> present = pods.stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .sorted(Comparator.comparing(
                                (Pod pod) -> pod.getMetadata().getName().length())
                        .thenComparing(pod -> pod.getMetadata().getName()))
                .toList();
        List<String> addresses = new ArrayList<>();
        List<String> outdated = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        int ready = 0;
        boolean unschedulable = false;
        for (Pod pod : present) {
            String name = pod.getMetadata().getName();
            if (pod.getStatus() != null && pod.getStatus().getPodIP() != null) {
                addresses.add(pod.getStatus().getPodIP());
            }
            if (isTrue(condition(pod, "Ready"))) {
                ready++;
            }
            String revision = pod.getMetadata().getLabels().get("controller-revision-hash");
            if (updateRevision != null && revision != null && !revision.equals(updateRevision)) {
                outdated.add(name);
            }
            PodCondition scheduled = condition(pod, "PodScheduled");
            if (scheduled != null && "Unschedulable".equals(scheduled.getReason())) {
                unschedulable = true;
                problems.add(name + " finds no node: " + scheduled.getMessage());
            }
            containerProblem(pod).ifPresent(problem -> problems.add(name + ": " + problem));
        }
        return new PodsView(present.size(), ready, addresses, outdated, problems, unschedulable);
    }

    private static Optional<String> containerProblem(Pod pod) {
        if (pod.getStatus() == null) {
            return Optional.empty();
        }
        for (ContainerStatus status : pod.getStatus().getContainerStatuses()) {
            ContainerStateWaiting waiting =
                    status.getState() == null ? null : status.getState().getWaiting();
            if (waiting != null && TROUBLE.contains(waiting.getReason())) {
                return Optional.of(waiting.getReason() + " (" + detail(status, waiting) + ")");
            }
        }
        return Optional.empty();
    }

    /** How the last start ended says more than the kubelet's words about waiting. */
    private static String detail(ContainerStatus status, ContainerStateWaiting waiting) {
        ContainerStateTerminated ended =
                status.getLastState() == null ? null : status.getLastState().getTerminated();
        if (ended != null) {
            return "ended with exit code " + ended.getExitCode() + ", " + ended.getReason()
                    + "; kubectl logs --previous says why";
        }
        return waiting.getMessage() == null ? "no message" : waiting.getMessage();
    }

    private static @Nullable PodCondition condition(Pod pod, String type) {
        if (pod.getStatus() == null) {
            return null;
        }
        return pod.getStatus().getConditions().stream()
                .filter(condition -> type.equals(condition.getType()))
                .findFirst()
                .orElse(null);
    }

    private static boolean isTrue(@Nullable PodCondition condition) {
        return condition != null && "True".equals(condition.getStatus());
    }
}
