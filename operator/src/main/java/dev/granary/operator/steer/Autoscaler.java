package dev.granary.operator.steer;

import dev.granary.operator.api.AutoscalingSpec;
import dev.granary.operator.api.GranaryStatus.AutoscalerStatus;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.observe.Headroom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides the number of storage peers by fill and load, with hysteresis. Adds peers once they have been needed for a
 * while. Removes one only when the rest would have a fifth to spare for a long time. A pure function of the last answer
 * and of the view.
 */
public final class Autoscaler {
    /** Fewer peers must be enough at this share of the target. Otherwise the next chunk would bring the peer back. */
    private static final double SPARE = 0.8;

    private Autoscaler() {}

    /**
     * Returns the next answer.
     *
     * @param before the last answer; {@code null} for none, then the answer begins with {@code replicas}
     * @param replicas number of storage peers
     * @param copies whether chunks have copies; then there are always enough peers to lose one
     * @param view the answer of the super-peers; {@code null} when none answers, then nothing changes
     */
    public static AutoscalerStatus next(
            AutoscalingSpec spec,
            @Nullable AutoscalerStatus before,
            int replicas,
            boolean copies,
            @Nullable ClusterView view,
            Instant now) {
        int current = Math.clamp(before == null ? replicas : before.replicas(), spec.min(), spec.max());
        List<StoragePeer> peers = view == null
                ? List.of()
                : view.storagePeers().stream().filter(StoragePeer::live).toList();
        long capacity =
                peers.stream().mapToLong(StoragePeer::capacityBytes).max().orElse(0);
        if (capacity == 0) {
            return new AutoscalerStatus(current, 0, 0, null, null);
        }
        long used = peers.stream().mapToLong(StoragePeer::usedBytes).sum();
        long uses = peers.stream().mapToLong(StoragePeer::usesPerSecond).sum();
        int needed = needed(spec, copies, used, uses, capacity, 1);
        int enough = needed(spec, copies, used, uses, capacity, SPARE);
        int fillPercent = (int) Math.round(100.0 * used / (capacity * (double) peers.size()));
        long perPeer = uses / peers.size();
        if (needed > current) {
            Instant since = since(before == null ? null : before.moreSince(), now);
            boolean due = !since.plusSeconds(or(spec.scaleOutSeconds(), AutoscalingSpec.SCALE_OUT_SECONDS))
                    .isAfter(now);
            return due
                    ? new AutoscalerStatus(needed, fillPercent, perPeer, null, null)
                    : new AutoscalerStatus(current, fillPercent, perPeer, since.toString(), null);
        }
        if (enough < current) {
            Instant since = since(before == null ? null : before.lessSince(), now);
            boolean due = !since.plusSeconds(or(spec.scaleInSeconds(), AutoscalingSpec.SCALE_IN_SECONDS))
                    .isAfter(now);
            return due
                    ? new AutoscalerStatus(current - 1, fillPercent, perPeer, null, null)
                    : new AutoscalerStatus(current, fillPercent, perPeer, null, since.toString());
        }
        return new AutoscalerStatus(current, fillPercent, perPeer, null, null);
    }

    private static int needed(AutoscalingSpec spec, boolean copies, long used, long uses, long capacity, double share) {
        double fill = or(spec.targetFillPercent(), AutoscalingSpec.TARGET_FILL_PERCENT) / 100.0;
        double needed = used / (fill * share * capacity);
        Long target = spec.targetUsesPerSecond();
        if (target != null) {
            needed = Math.max(needed, uses / (target * share));
        }
        if (copies && needed > 1) {
            // One more than have room for everything: without it no peer could be lost. A single peer has no copies.
            needed = Math.max(needed, 1 + used / (Headroom.EASED * share * capacity));
        }
        return Math.clamp((long) Math.ceil(needed), spec.min(), spec.max());
    }

    private static Instant since(@Nullable String recorded, Instant now) {
        return recorded == null ? now.truncatedTo(ChronoUnit.SECONDS) : Instant.parse(recorded);
    }

    private static int or(@Nullable Integer value, int otherwise) {
        return value != null ? value : otherwise;
    }
}
