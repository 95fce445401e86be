package dev.granary.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.backup.TransferStatus;
import dev.granary.operator.api.backup.TransferStatus.Progress;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TransferStatusesTest {
    private static final Instant NOW = Instant.parse("2026-11-22T01:02:03Z");
    private static final Progress HALF = new Progress("reading chunks", 5L, 10L, 50L, 100L, 7L, 1L, 2L);

    private static TransferStatus status(String job, String... pods) {
        JobView view = JobView.of(
                Serialization.unmarshal("---\n" + job, Job.class),
                List.of(pods).stream()
                        .map(pod -> Serialization.unmarshal("---\n" + pod, Pod.class))
                        .toList());
        return TransferStatuses.of(null, 1, NOW, "first-backup", view, view.address() == null ? null : HALF);
    }

    private static Condition complete(TransferStatus status) {
        return Objects.requireNonNull(TransferStatuses.find(status, TransferStatuses.COMPLETE));
    }

    @Test
    void of_podRuns_tellsHowFarItIs() {
        TransferStatus status = status("{}", """
                {metadata: {creationTimestamp: "2026-11-22T01:00:00Z"}, status: {phase: Running, podIP: 10.0.0.7}}
                """);
        assertThat(status.progress()).isEqualTo(HALF);
        assertThat(TransferStatuses.isTrue(status, TransferStatuses.PROGRESSING))
                .isTrue();
        assertThat(TransferStatuses.isOver(status)).isFalse();
    }

    @Test
    void of_jobComplete_hasWhatTheProgramWrote() {
        TransferStatus status = status("{status: {conditions: [{type: Complete, status: \"True\"}]}}", """
                {metadata: {creationTimestamp: "2026-11-22T01:00:00Z"}, status: {phase: Succeeded, containerStatuses: [
                  {state: {terminated: {exitCode: 0, message:
                   '{"id":"first","cluster":"c","startedAt":"s","finishedAt":"f","chunks":3,"bytes":4,"names":5,"keys":6}'}}}]}}
                """);
        assertThat(TransferStatuses.isTrue(status, TransferStatuses.COMPLETE)).isTrue();
        assertThat(status.id()).isEqualTo("first");
        assertThat(status.clusterId()).isEqualTo("c");
        assertThat(status.chunks()).isEqualTo(3);
        assertThat(status.bytes()).isEqualTo(4);
        assertThat(status.names()).isEqualTo(5);
        assertThat(status.keys()).isEqualTo(6);
        assertThat(status.progress()).isNull();
        assertThat(complete(status).getLastTransitionTime()).isEqualTo("2026-11-22T01:02:03Z");
    }

    @Test
    void of_jobFailed_saysWhatTheLastPodSaid() {
        TransferStatus status =
                status("{status: {conditions: [{type: Failed, status: \"True\", message: backoff}]}}", """
                {metadata: {creationTimestamp: "2026-11-22T01:00:00Z"}, status: {phase: Failed, containerStatuses: [
                  {state: {terminated: {exitCode: 1, message: '{"error":"first try"}'}}}]}}
                """, """
                {metadata: {creationTimestamp: "2026-11-22T01:01:00Z"}, status: {phase: Failed, containerStatuses: [
                  {state: {terminated: {exitCode: 1, message: '{"error":"into an empty cluster only"}'}}}]}}
                """);
        assertThat(TransferStatuses.isTrue(status, TransferStatuses.FAILED)).isTrue();
        assertThat(complete(status).getReason()).isEqualTo("JobFailed");
        assertThat(complete(status).getMessage()).contains("into an empty cluster only");
    }

    @Test
    void of_podCannotStart_saysWhy() {
        TransferStatus status = status("{}", """
                {metadata: {creationTimestamp: "2026-11-22T01:00:00Z"}, status: {phase: Pending, containerStatuses: [
                  {state: {waiting: {reason: CreateContainerConfigError, message: 'secret "s3-keys" not found'}}}]}}
                """);
        assertThat(complete(status).getReason()).isEqualTo("Trying");
        assertThat(complete(status).getMessage()).contains("secret \"s3-keys\" not found");
        assertThat(TransferStatuses.isOver(status)).isFalse();
    }

    @Test
    void of_podUnschedulable_saysWhy() {
        TransferStatus status = status("{}", """
                {metadata: {creationTimestamp: "2026-11-22T01:00:00Z"}, status: {phase: Pending, conditions: [
                  {type: PodScheduled, status: "False", message: 'persistentvolumeclaim "backups" not found'}]}}
                """);
        assertThat(complete(status).getMessage()).contains("persistentvolumeclaim \"backups\" not found");
    }

    @Test
    void waiting_sameStatusLater_keepsTheTimeOfItsBegin() {
        TransferStatus first = TransferStatuses.waiting(null, 1, NOW, "ClusterNotReady", "it is waited for");
        TransferStatus second =
                TransferStatuses.waiting(first, 1, NOW.plusSeconds(60), "ClusterNotReady", "it is waited for");
        assertThat(second).isEqualTo(first);
    }
}
