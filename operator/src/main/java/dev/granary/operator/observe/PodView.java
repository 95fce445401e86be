package dev.granary.operator.observe;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The facts about one pod on which the operator decides.
 *
 * @param ordinal the number at the end of its name
 * @param ready whether it is ready
 * @param readySince since when the pod is ready, {@code null} when it is not
 * @param unreadySince since when it is not ready, from its creation on if it never was; {@code null} when it is
 * @param terminating whether it is being deleted
 * @param outdated whether it runs an older template than its StatefulSet has now
 * @param growth how it can become like that template while it runs, {@code null} when it cannot
 * @param guarded whether the PodDisruptionBudget keeps it from being evicted
 * @param leave why it should hand over its chunks and copies, {@code null} when it should not
 * @param running whether its process runs
 * @param problem why it does not start, {@code null} when it is not known to have a problem
 */
public record PodView(
        String name,
        int ordinal,
        String uid,
        boolean ready,
        @Nullable Instant readySince,
        @Nullable Instant unreadySince,
        boolean terminating,
        boolean outdated,
        @Nullable Growth growth,
        boolean guarded,
        @Nullable Leave leave,
        boolean running,
        @Nullable Problem problem) {

    /** Why a pod should hand over all its chunks and copies. */
    public enum Leave {
        /** The pod's Kubernetes node is cordoned. */
        NODE_CORDONED,
        /** The annotation {@code granary.dev/leave} asks for it. */
        REQUESTED
    }

    /**
     * Why a pod does not start.
     *
     * @param text the cause, for people
     * @param mayPass whether it often ends by itself: a node or an image is on its way
     */
    public record Problem(String text, boolean mayPass) {}

    /**
     * Memory that a pod gets while it runs.
     *
     * @param memory the new memory limit
     * @param since when the operator asked for the memory, {@code null} before that
     */
    public record Growth(String memory, @Nullable Instant since) {
        /** Whether the pod has waited for the memory for longer than {@code seconds}. */
        boolean isOlderThan(long seconds, Instant now) {
            return since != null && since.plusSeconds(seconds).isBefore(now);
        }
    }

    /** Returns how the pod becomes like the newest template while it runs, unless that has taken too long already. */
    public Optional<Growth> growth(long deadlineSeconds, Instant now) {
        return Optional.ofNullable(growth)
                .filter(it -> running && !terminating && !it.isOlderThan(deadlineSeconds, now));
    }

    /** Whether the pod has been ready for at least {@code seconds}. */
    public boolean readyFor(long seconds, Instant now) {
        return ready && readySince != null && !readySince.plusSeconds(seconds).isAfter(now);
    }
}
