package dev.granary.operator.backup;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.operator.api.backup.TransferStatus;
import dev.granary.operator.api.backup.TransferStatus.Progress;
import dev.granary.operator.status.ConditionChange;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the status of a cluster backup or a restore from its Job. Pure. */
final class TransferStatuses {
    static final String COMPLETE = "Complete";
    static final String PROGRESSING = "Progressing";
    static final String FAILED = "Failed";

    private TransferStatuses() {}

    /** Returns the status of work that has not begun, with the reason. */
    static TransferStatus waiting(
            @Nullable TransferStatus before, long generation, Instant now, String reason, String message) {
        return of(before, generation, now, "False", "False", "False", reason, message, null, null, null);
    }

    /** Returns the status of work that can never be done. */
    static TransferStatus failed(
            @Nullable TransferStatus before, long generation, Instant now, String reason, String message) {
        return of(before, generation, now, "False", "False", "True", reason, message, null, null, null);
    }

    /** Returns the status after a failed reconcile, which is tried again. What is known of the work stays. */
    static TransferStatus erring(@Nullable TransferStatus before, long generation, Instant now, Trouble trouble) {
        return of(
                before,
                generation,
                now,
                "False",
                isTrue(before, PROGRESSING) ? "True" : "False",
                "False",
                trouble.reason(),
                trouble.message(),
                before == null ? null : before.job(),
                null,
                before == null ? null : before.progress());
    }

    /** Returns the status of work that has a Job. */
    static TransferStatus of(
            @Nullable TransferStatus before,
            long generation,
            Instant now,
            String job,
            JobView view,
            @Nullable Progress progress) {
        return switch (view.state()) {
            case RUNNING ->
                of(
                        before,
                        generation,
                        now,
                        "False",
                        "True",
                        "False",
                        view.trouble().isEmpty() ? "Running" : "Trying",
                        view.trouble().isEmpty()
                                ? "Job " + job + " works"
                                : "Job " + job + " tries again or waits: " + view.trouble(),
                        job,
                        null,
                        progress == null && before != null ? before.progress() : progress);
            case DONE ->
                of(
                        before,
                        generation,
                        now,
                        "True",
                        "False",
                        "False",
                        "Done",
                        "Job " + job + " has succeeded",
                        job,
                        view.result(),
                        null);
            case FAILED ->
                of(
                        before,
                        generation,
                        now,
                        "False",
                        "False",
                        "True",
                        "JobFailed",
                        "Job " + job + " has given up: " + view.trouble() + ". Mend that, delete this resource and make"
                                + " another one",
                        job,
                        null,
                        null);
        };
    }

    static boolean isOver(@Nullable TransferStatus status) {
        return isTrue(status, COMPLETE) || isTrue(status, FAILED);
    }

    static boolean isTrue(@Nullable TransferStatus status, String type) {
        Condition condition = find(status, type);
        return condition != null && "True".equals(condition.getStatus());
    }

    static @Nullable Condition find(@Nullable TransferStatus status, String type) {
        return status == null ? null : ConditionChange.find(status.conditions(), type);
    }

    private static TransferStatus of(
            @Nullable TransferStatus before,
            long generation,
            Instant now,
            String complete,
            String progressing,
            String failed,
            String reason,
            String message,
            @Nullable String job,
            @Nullable JsonNode result,
            @Nullable Progress progress) {
        List<Condition> conditions = List.of(
                condition(before, generation, now, COMPLETE, complete, reason, message),
                condition(before, generation, now, PROGRESSING, progressing, reason, message),
                condition(before, generation, now, FAILED, failed, reason, message));
        return new TransferStatus(
                generation,
                conditions,
                job,
                text(result, "id"),
                text(result, "cluster"),
                text(result, "startedAt"),
                text(result, "finishedAt"),
                number(result, "chunks"),
                number(result, "bytes"),
                number(result, "names"),
                number(result, "keys"),
                progress);
    }

    static Condition condition(
            @Nullable TransferStatus before,
            long generation,
            Instant now,
            String type,
            String status,
            String reason,
            String message) {
        return ConditionChange.of(find(before, type), generation, now, type, status, reason, message);
    }

    private static @Nullable String text(@Nullable JsonNode result, String field) {
        return result == null || !result.hasNonNull(field)
                ? null
                : result.path(field).asText();
    }

    private static @Nullable Long number(@Nullable JsonNode result, String field) {
        return result == null || !result.hasNonNull(field)
                ? null
                : result.path(field).asLong();
    }
}
