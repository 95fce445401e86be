package dev.granary.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.AutoscalerStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A busy cluster changes its status at most once a minute. */
class CountsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final ClusterPlan PLAN = Samples.plan("{}", Samples.existing(1, 3, "1Gi", "10Gi", "id"));
    private static final long CAPACITY = 1_000_000;

    private static GranaryStatus status(
            @Nullable GranaryStatus before, int seconds, long chunks, long used, @Nullable AutoscalerStatus figures) {
        return status(before, seconds, chunks, used, CAPACITY, figures);
    }

    private static GranaryStatus status(
            @Nullable GranaryStatus before,
            int seconds,
            long chunks,
            long used,
            long capacity,
            @Nullable AutoscalerStatus figures) {
        List<ClusterView.StoragePeer> peers = List.of(
                Samples.storagePeer(0, "live", 1, "none"),
                Samples.storagePeer(1, "live", 1, "none"),
                Samples.storagePeer(2, "live", 1, "none"));
        Answer answer = new Answer.Seen(new ClusterView(
                "id",
                Samples.ring(true),
                peers,
                new ClusterView.Totals(1, 3, 3, 9, chunks, used, 0, used, capacity),
                Samples.zonesInSync()));
        Observation seen =
                new Observation(PodsView.NONE, PodsView.NONE, answer, List.of(), List.of(), figures, null, null);
        return StatusBuilder.of(PLAN, seen, before, 1, START.plusSeconds(seconds));
    }

    private static long chunks(GranaryStatus status) {
        return Objects.requireNonNull(status.chunks()).count();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "999, 999", "212159, 212000", "1235, 1240", "999999, 1000000", "-5, -5"})
    void rounded_count_keepsThreeDigits(long count, long rounded) {
        assertThat(Counts.rounded(count)).isEqualTo(rounded);
    }

    @Test
    void status_countsChangeAllTheTime_isWrittenOnceAMinute() {
        GranaryStatus first = status(null, 0, 100, 400_000, null);
        GranaryStatus soon = status(first, 59, 900, 700_000, null);
        assertThat(soon).isEqualTo(first);
        GranaryStatus later = status(first, 60, 900, 700_000, null);
        assertThat(chunks(later)).isEqualTo(900);
        assertThat(Objects.requireNonNull(StatusBuilder.find(later, "MemoryPressure"))
                        .getMessage())
                .contains("70 %");
    }

    @Test
    void status_countsChangeInTheFourthDigit_isNotWritten() {
        GranaryStatus first = status(null, 0, 123_412, 400_012, null);
        assertThat(status(first, 3600, 123_434, 400_034, null)).isEqualTo(first);
    }

    @Test
    void status_clusterIsNearlyFullWithinAMinute_isSaidAtOnce() {
        GranaryStatus first = status(null, 0, 100, 400_000, null);
        GranaryStatus full = status(first, 1, 200, 900_000, null);
        assertThat(StatusBuilder.isTrue(full, "MemoryPressure")).isTrue();
    }

    @Test
    void status_capacityChangesWithinAMinute_isCountedAtOnce() {
        GranaryStatus first = status(null, 0, 100, 400_000, null);
        assertThat(chunks(status(first, 1, 200, 400_000, 2 * CAPACITY, null))).isEqualTo(200);
    }

    @Test
    void status_figuresOfTheAutoscalerChange_areWrittenOnceAMinuteButItsAnswerAtOnce() {
        GranaryStatus first = status(null, 0, 100, 400_000, new AutoscalerStatus(3, 40, 123_456, null, null));
        assertThat(figures(first)).isEqualTo(new AutoscalerStatus(3, 40, 123_000, null, null));
        GranaryStatus soon = status(first, 10, 100, 400_000, new AutoscalerStatus(4, 50, 99, null, null));
        assertThat(figures(soon)).isEqualTo(new AutoscalerStatus(4, 40, 123_000, null, null));
        GranaryStatus later = status(soon, 60, 100, 400_000, new AutoscalerStatus(4, 50, 99, null, null));
        assertThat(figures(later)).isEqualTo(new AutoscalerStatus(4, 50, 99, null, null));
        GranaryStatus afterThat = status(later, 70, 100, 400_000, new AutoscalerStatus(4, 51, 98, null, null));
        assertThat(afterThat).isEqualTo(later);
    }

    private static @Nullable AutoscalerStatus figures(GranaryStatus status) {
        return Objects.requireNonNull(status.storagePeers()).autoscaler();
    }
}
