package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.AutoscalerStatus;
import dev.granary.operator.api.GranaryStatus.ChunksStatus;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.ClusterPlan;
import io.fabric8.kubernetes.api.model.Condition;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The counts in a status. They change with each request to a busy cluster, and each write of a status costs the API
 * server. So they are rounded to three digits, and change at most once a minute. What a person must know at once does
 * at once: capacity and losses.
 */
final class Counts {
    private static final Duration PACE = Duration.ofMinutes(1);
    private static final MathContext THREE_DIGITS = new MathContext(3);

    /** The conditions whose messages have counts. */
    private static final Set<String> COUNTING =
            Set.of(Conditions.MEMORY_PRESSURE, Conditions.BALANCED, Conditions.HEADROOM, Conditions.DISK_PRESSURE);

    private final boolean due;
    private final @Nullable ChunksStatus chunks;
    private final @Nullable AutoscalerStatus autoscaler;
    private final @Nullable GranaryStatus previous;

    private Counts(
            boolean due,
            @Nullable ChunksStatus chunks,
            @Nullable AutoscalerStatus autoscaler,
            @Nullable GranaryStatus previous) {
        this.due = due;
        this.chunks = chunks;
        this.autoscaler = autoscaler;
        this.previous = previous;
    }

    /**
     * Counts a cluster.
     *
     * @param view the answer of the super-peers; {@code null} when none answers, then the last counts stay
     */
    static Counts of(
            ClusterPlan plan,
            @Nullable ClusterView view,
            Observation seen,
            @Nullable GranaryStatus previous,
            Instant now) {
        ChunksStatus known = previous == null ? null : previous.chunks();
        AutoscalerStatus last = previous == null || previous.storagePeers() == null
                ? null
                : previous.storagePeers().autoscaler();
        ChunksStatus fresh = view == null ? known : count(plan, view, Losses.planned(known, view, seen.stops()), now);
        boolean due = known == null || (view != null && fresh != null && (isOld(known, now) || isUrgent(known, fresh)));
        AutoscalerStatus figures = autoscaler(seen.autoscaler(), last, due);
        boolean same = Objects.equals(withoutTime(known), withoutTime(fresh)) && sameFigures(figures, last);
        return new Counts(due, due && !same ? fresh : known, figures, previous);
    }

    private static boolean isOld(ChunksStatus known, Instant now) {
        return known.countedAt() == null
                || !now.isBefore(Instant.parse(known.countedAt()).plus(PACE));
    }

    private static boolean isUrgent(ChunksStatus known, ChunksStatus fresh) {
        return known.capacityBytes() != fresh.capacityBytes()
                || known.peersWithLoss() != fresh.peersWithLoss()
                || !Objects.equals(known.plannedBelow(), fresh.plannedBelow());
    }

    private static ChunksStatus count(ClusterPlan plan, ClusterView view, Map<String, Long> planned, Instant now) {
        ClusterView.Totals totals = view.totals();
        return new ChunksStatus(
                rounded(totals.chunks()),
                rounded(totals.payloadBytes()),
                rounded(totals.bookkeepingBytes()),
                rounded(totals.usedBytes()),
                totals.capacityBytes(),
                Losses.count(plan.copies(), view, planned),
                rounded(totals.ranges()),
                planned.isEmpty() ? null : planned,
                now.truncatedTo(ChronoUnit.SECONDS).toString());
    }

    /** Returns a count with its three highest digits, and zeros behind them. */
    static long rounded(long count) {
        return BigDecimal.valueOf(count).round(THREE_DIGITS).longValue();
    }

    private static @Nullable ChunksStatus withoutTime(@Nullable ChunksStatus of) {
        return of == null
                ? null
                : new ChunksStatus(
                        of.count(),
                        of.payloadBytes(),
                        of.bookkeepingBytes(),
                        of.usedBytes(),
                        of.capacityBytes(),
                        of.peersWithLoss(),
                        of.ranges(),
                        of.plannedBelow(),
                        null);
    }

    private static @Nullable AutoscalerStatus autoscaler(
            @Nullable AutoscalerStatus now, @Nullable AutoscalerStatus last, boolean due) {
        if (now == null) {
            return null;
        }
        AutoscalerStatus figures = due || last == null ? now : last;
        return new AutoscalerStatus(
                now.replicas(),
                figures.fillPercent(),
                rounded(figures.usesPerSecond()),
                now.moreSince(),
                now.lessSince());
    }

    private static boolean sameFigures(@Nullable AutoscalerStatus one, @Nullable AutoscalerStatus other) {
        if (one == null || other == null) {
            return one == null && other == null;
        }
        return one.fillPercent() == other.fillPercent() && one.usesPerSecond() == other.usesPerSecond();
    }

    /** Returns the counts of chunks, {@code null} before the first answer of a super-peer. */
    @Nullable
    ChunksStatus chunks() {
        return chunks;
    }

    /** Returns the answer of the autoscaler, {@code null} without one. */
    @Nullable
    AutoscalerStatus autoscaler() {
        return autoscaler;
    }

    /** Returns the conditions with the last message where only its counts would change too soon. */
    List<Verdict> keepMessages(List<Verdict> verdicts) {
        return verdicts.stream().map(this::keepMessage).toList();
    }

    private Verdict keepMessage(Verdict verdict) {
        Condition old = StatusBuilder.find(previous, verdict.type());
        if (due || old == null) {
            return verdict;
        }
        boolean keeps = COUNTING.contains(verdict.type())
                && verdict.status().equals(old.getStatus())
                && verdict.reason().equals(old.getReason());
        return keeps ? new Verdict(verdict.type(), verdict.status(), verdict.reason(), old.getMessage()) : verdict;
    }
}
