package dev.granary.operator.observe;

import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Probe;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pods of one role.
 *
 * @param pods all pods, by ordinal, also those that are being deleted
 * @param addresses addresses of the pods that are not being deleted, in the order of their ordinals
 * @param problems why pods do not start, one text for each pod in trouble
 * @param unschedulable whether a pod finds no node
 * @param revisionKnown whether the newest template is known, and with it the outdated pods
 * @param secured those addresses whose HTTP ports have TLS
 */
public record PodsView(
        List<PodView> pods,
        List<String> addresses,
        List<String> problems,
        boolean unschedulable,
        boolean revisionKnown,
        Set<String> secured) {
    /** Pods whose HTTP ports have no TLS. */
    public PodsView(
            List<PodView> pods,
            List<String> addresses,
            List<String> problems,
            boolean unschedulable,
            boolean revisionKnown) {
        this(pods, addresses, problems, unschedulable, revisionKnown, Set.of());
    }

    /** No pods. */
    public static final PodsView NONE = new PodsView(List.of(), List.of(), List.of(), false, false);

    /** The scheme of probes of a process whose HTTP port has TLS. */
    public static final String HTTPS = "HTTPS";

    /** Why a container waits that a registry may end by itself. */
    private static final Set<String> PULLING = Set.of("ImagePullBackOff", "ErrImagePull");

    private static final Set<String> TROUBLE = Set.of(
            "CrashLoopBackOff",
            "ErrImageNeverPull",
            "CreateContainerConfigError",
            "CreateContainerError",
            "InvalidImageName",
            "RunContainerError");

    /** Returns how many pods exist and are not being deleted. */
    public int existing() {
        return (int) present().count();
    }

    /** Returns how many pods are ready. */
    public int ready() {
        return (int) present().filter(PodView::ready).count();
    }

    /** Returns the names of the pods that run an older template. */
    public List<String> outdated() {
        return present().filter(PodView::outdated).map(PodView::name).toList();
    }

    /** Whether there are pods and the newest template is not known yet. */
    public boolean isTemplateNew() {
        return !revisionKnown && !pods.isEmpty();
    }

    /** Returns the same pods after a change of their StatefulSet. */
    public PodsView withNewTemplate() {
        return new PodsView(pods, addresses, problems, unschedulable, false, secured);
    }

    /** Returns the pod with an ordinal. */
    public Optional<PodView> pod(int ordinal) {
        return pods.stream().filter(pod -> pod.ordinal() == ordinal).findFirst();
    }

    private Stream<PodView> present() {
        return pods.stream().filter(pod -> !pod.terminating());
    }

    /**
     * Looks at pods.
     *
     * @param found pods of one role
     * @param newest the newest template of their StatefulSet, {@code null} when it is not known
     * @param cordoned nodes that take no pods any more
     */
    public static PodsView of(Collection<Pod> found, @Nullable NewestTemplate newest, Set<String> cordoned) {
        List<Pod> sorted = found.stream()
                .sorted(Comparator.comparingInt(PodsView::ordinal)
                        .thenComparing(pod -> pod.getMetadata().getName()))
                .toList();
        List<PodView> views = new ArrayList<>();
        List<String> addresses = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        Set<String> secured = new HashSet<>();
        boolean unschedulable = false;
        for (Pod pod : sorted) {
            boolean terminating = pod.getMetadata().getDeletionTimestamp() != null;
            PodView.Problem problem = problem(pod).orElse(null);
            views.add(view(pod, newest, cordoned, terminating, problem));
            if (terminating) {
                continue;
            }
            if (pod.getStatus() != null && pod.getStatus().getPodIP() != null) {
                addresses.add(pod.getStatus().getPodIP());
                if (hasHttps(pod)) {
                    secured.add(pod.getStatus().getPodIP());
                }
            }
            unschedulable |= isUnschedulable(pod);
            if (problem != null) {
                problems.add(pod.getMetadata().getName() + (isUnschedulable(pod) ? " " : ": ") + problem.text());
            }
        }
        return new PodsView(views, addresses, problems, unschedulable, newest != null, secured);
    }

    /** The kubelet asks each pod in the way in which its process answers. */
    private static boolean hasHttps(Pod pod) {
        return pod.getSpec() != null
                && pod.getSpec().getContainers().stream()
                        .limit(1)
                        .map(Container::getReadinessProbe)
                        .filter(Objects::nonNull)
                        .map(Probe::getHttpGet)
                        .filter(Objects::nonNull)
                        .anyMatch(get -> HTTPS.equals(get.getScheme()));
    }

    private static PodView view(
            Pod pod,
            @Nullable NewestTemplate newest,
            Set<String> cordoned,
            boolean terminating,
            PodView.@Nullable Problem problem) {
        Map<String, String> labels = orEmpty(pod.getMetadata().getLabels());
        String revision = labels.get("controller-revision-hash");
        PodMemory memory = newest == null || revision == null ? null : new PodMemory(pod, revision, newest);
        PodCondition ready = condition(pod, "Ready");
        PodView.Leave leave = null;
        String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        if (node != null && cordoned.contains(node)) {
            leave = PodView.Leave.NODE_CORDONED;
        } else if (orEmpty(pod.getMetadata().getAnnotations()).containsKey(Names.LEAVE_ANNOTATION)) {
            leave = PodView.Leave.REQUESTED;
        }
        return new PodView(
                pod.getMetadata().getName(),
                ordinal(pod),
                Objects.toString(pod.getMetadata().getUid(), ""),
                isTrue(ready),
                ready != null && isTrue(ready) ? instant(ready.getLastTransitionTime()) : null,
                isTrue(ready) ? null : unreadySince(pod, ready),
                terminating,
                memory != null && memory.isOutdated(),
                memory == null ? null : memory.growth(),
                labels.containsKey(Names.GUARD_LABEL),
                leave,
                isRunning(pod),
                problem);
    }

    private static Instant unreadySince(Pod pod, @Nullable PodCondition ready) {
        Instant changed = ready == null ? null : instant(ready.getLastTransitionTime());
        return changed != null
                ? changed
                : Objects.requireNonNullElse(instant(pod.getMetadata().getCreationTimestamp()), Instant.EPOCH);
    }

    private static <K, V> Map<K, V> orEmpty(@Nullable Map<K, V> map) {
        return map == null ? Map.of() : map;
    }

    private static @Nullable Instant instant(@Nullable String text) {
        return text == null ? null : Instant.parse(text);
    }

    private static int ordinal(Pod pod) {
        String name = pod.getMetadata().getName();
        try {
            return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
        } catch (NumberFormatException e) {
            return Integer.MAX_VALUE;
        }
    }

    private static boolean isRunning(Pod pod) {
        ContainerStatus process = PodMemory.process(pod);
        return process != null
                && process.getState() != null
                && process.getState().getRunning() != null;
    }

    private static boolean isUnschedulable(Pod pod) {
        PodCondition scheduled = condition(pod, "PodScheduled");
        return scheduled != null && "Unschedulable".equals(scheduled.getReason());
    }

    private static Optional<PodView.Problem> problem(Pod pod) {
        PodCondition scheduled = condition(pod, "PodScheduled");
        if (scheduled != null && "Unschedulable".equals(scheduled.getReason())) {
            return Optional.of(new PodView.Problem("finds no node: " + scheduled.getMessage(), true));
        }
        return containerProblem(pod);
    }

    private static Optional<PodView.Problem> containerProblem(Pod pod) {
        if (pod.getStatus() == null) {
            return Optional.empty();
        }
        List<ContainerStatus> all = new ArrayList<>(pod.getStatus().getInitContainerStatuses());
        all.addAll(pod.getStatus().getContainerStatuses());
        for (ContainerStatus status : all) {
            ContainerStateWaiting waiting =
                    status.getState() == null ? null : status.getState().getWaiting();
            if (waiting == null || waiting.getReason() == null) {
                continue;
            }
            boolean mayPass = PULLING.contains(waiting.getReason());
            if (mayPass || TROUBLE.contains(waiting.getReason())) {
                ContainerStatus process = PodMemory.process(pod);
                String whose = process == null || process.getName().equals(status.getName())
                        ? ""
                        : "container " + status.getName() + " ";
                return Optional.of(new PodView.Problem(
                        whose + waiting.getReason() + " (" + detail(status, waiting) + ")", mayPass));
            }
        }
        return Optional.empty();
    }

    /** Returns why a container waits. The end of its last start says more than the kubelet's message about the wait. */
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
