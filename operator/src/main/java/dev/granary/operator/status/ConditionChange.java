package dev.granary.operator.status;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Conditions of resources that follow from those of before. */
public final class ConditionChange {
    private ConditionChange() {}

    /** Returns the condition of a type, {@code null} when there is none. */
    public static @Nullable Condition find(@Nullable List<Condition> conditions, String type) {
        return conditions == null
                ? null
                : conditions.stream()
                        .filter(each -> type.equals(each.getType()))
                        .findFirst()
                        .orElse(null);
    }

    /**
     * Returns a condition; while its status is the same, it has the time of before.
     *
     * @param old the condition of this type before, {@code null} for none
     */
    public static Condition of(
            @Nullable Condition old,
            long generation,
            Instant now,
            String type,
            String status,
            String reason,
            String message) {
        String since = old != null && status.equals(old.getStatus())
                ? old.getLastTransitionTime()
                : now.truncatedTo(ChronoUnit.SECONDS).toString();
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .withObservedGeneration(generation)
                .withLastTransitionTime(since)
                .build();
    }
}
