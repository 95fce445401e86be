package dev.granary.operator.backup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the operator sees of a Job.
 *
 * @param state the state of the Job
 * @param result what the program wrote at its end, missing when it wrote nothing
 * @param address the address of the running pod, {@code null} for none
 * @param trouble why a pod does not or did not do its work, empty when nothing is known
 */
record JobView(State state, JsonNode result, @Nullable String address, String trouble) {
    /** The state of a Job. */
    enum State {
        RUNNING,
        DONE,
        FAILED
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    static JobView of(Job job, List<Pod> pods) {
        Pod last = pods.stream()
                .max(Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp()))
                .orElse(null);
        JsonNode result = last == null ? MissingNode.getInstance() : resultOf(last);
        String error = result.path("error").asText("");
        String trouble = last == null || !error.isEmpty() ? error : waitingFor(last);
        String address = last == null || !"Running".equals(last.getStatus().getPhase())
                ? null
                : last.getStatus().getPodIP();
        if (isTrue(job, "Complete")) {
            return new JobView(State.DONE, result, null, "");
        }
        if (isTrue(job, "Failed")) {
            return new JobView(State.FAILED, result, null, trouble.isEmpty() ? messageOf(job) : trouble);
        }
        return new JobView(State.RUNNING, result, address, trouble);
    }

    private static boolean isTrue(Job job, String type) {
        return conditions(job).stream()
                .anyMatch(each -> type.equals(each.getType()) && "True".equals(each.getStatus()));
    }

    private static String messageOf(Job job) {
        return conditions(job).stream()
                .filter(each -> "Failed".equals(each.getType()))
                .map(each -> String.valueOf(each.getMessage()))
                .findFirst()
                .orElse("");
    }

    private static List<JobCondition> conditions(Job job) {
        return job.getStatus() == null || job.getStatus().getConditions() == null
                ? List.of()
                : job.getStatus().getConditions();
    }

    private static JsonNode resultOf(Pod pod) {
        for (ContainerStatus container : containers(pod)) {
            var state = container.getState();
            if (state != null
                    && state.getTerminated() != null
                    && state.getTerminated().getMessage() != null) {
                try {
                    return JSON.readTree(state.getTerminated().getMessage());
                } catch (JsonProcessingException e) {
                    // Not written by the program: a message of the kubelet.
                    return JSON.createObjectNode()
                            .put("error", state.getTerminated().getMessage());
                }
            }
        }
        return MissingNode.getInstance();
    }

    /** Returns why a pod does not start, or has ended without a result. */
    private static String waitingFor(Pod pod) {
        for (ContainerStatus container : containers(pod)) {
            var state = container.getState();
            if (state != null
                    && state.getWaiting() != null
                    && state.getWaiting().getMessage() != null) {
                return state.getWaiting().getReason() + ": "
                        + state.getWaiting().getMessage();
            }
            if (state != null
                    && state.getTerminated() != null
                    && state.getTerminated().getExitCode() != null
                    && state.getTerminated().getExitCode() != 0) {
                return "the pod ended with exit code " + state.getTerminated().getExitCode() + " ("
                        + state.getTerminated().getReason() + ")";
            }
        }
        return pod.getStatus().getConditions() == null
                ? ""
                : pod.getStatus().getConditions().stream()
                        .filter(each -> "PodScheduled".equals(each.getType()) && "False".equals(each.getStatus()))
                        .map(each -> String.valueOf(each.getMessage()))
                        .findFirst()
                        .orElse("");
    }

    private static List<ContainerStatus> containers(Pod pod) {
        return pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
                ? List.of()
                : pod.getStatus().getContainerStatuses();
    }
}
