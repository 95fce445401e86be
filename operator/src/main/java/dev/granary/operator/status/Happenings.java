package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.StopStatus;
import dev.granary.operator.plan.SecretPlan;
import dev.granary.operator.steer.Stop;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the events between two statuses of a resource. */
public final class Happenings {
    private Happenings() {}

    /** Returns the events between two statuses. The older status may be missing. */
    public static List<Happening> between(@Nullable GranaryStatus before, GranaryStatus after) {
        List<Happening> all = new ArrayList<>();
        if ((before == null || before.clusterId() == null) && after.clusterId() != null) {
            all.add(new Happening(false, "ClusterFormed", "the first super-peer made cluster " + after.clusterId()));
        }
        hibernation(before, after, all);
        secret(before, after, all);
        paused(before, after, all);
        ready(before, after, all);
        changed(before, after, Conditions.DEGRADED, "True", all);
        changed(before, after, Conditions.MEMORY_PRESSURE, "True", all);
        changed(before, after, Conditions.HEADROOM, "False", all);
        changed(before, after, Conditions.DISK_PRESSURE, "True", all);
        even(before, after, all);
        blocked(before, after, all);
        volumes(before, after, all);
        progress(before, after, all);
        int lossBefore =
                before == null || before.chunks() == null ? 0 : before.chunks().peersWithLoss();
        int lossAfter = after.chunks() == null ? 0 : after.chunks().peersWithLoss();
        if (lossAfter > lossBefore) {
            all.add(new Happening(
                    true,
                    "ChunksLost",
                    lossAfter + " storage peers restarted and lost the chunks that they had before"));
        }
        return all;
    }

    private static void hibernation(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        String was = before == null || before.hibernation() == null
                ? ""
                : before.hibernation().phase();
        if (after.hibernation() != null && !after.hibernation().phase().equals(was)) {
            all.add(new Happening(
                    false, after.hibernation().phase(), after.hibernation().message()));
        }
    }

    /** Adds that a change of the secret has begun, has taken its next phase, or has ended. */
    private static void secret(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        if (before == null || before.secret() == null || after.secret() == null) {
            return;
        }
        String phase = after.secret().phase();
        if (!phase.equals(before.secret().phase())) {
            boolean ended = phase.equals(SecretPlan.Phase.STEADY.text());
            all.add(new Happening(
                    false,
                    ended ? "SecretChanged" : SecretPhases.CHANGING_SECRET,
                    ended
                            ? "every pod has the new secret alone, and the old one is deleted"
                            : phase + ": " + after.secret().message()));
        }
    }

    private static void paused(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        boolean was = before != null && StatusBuilder.isTrue(before, Conditions.PAUSED);
        boolean is = StatusBuilder.isTrue(after, Conditions.PAUSED);
        if (was != is) {
            all.add(new Happening(
                    false,
                    is ? "Paused" : "Resumed",
                    is ? "the operator changes nothing while spec.paused is true" : "the operator works again"));
        }
    }

    private static void ready(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        boolean was = before != null && StatusBuilder.isTrue(before, Conditions.READY);
        boolean is = StatusBuilder.isTrue(after, Conditions.READY);
        Condition now = StatusBuilder.find(after, Conditions.READY);
        if (was != is && now != null) {
            all.add(new Happening(!is, is ? "Ready" : "NotReady", now.getMessage()));
        }
    }

    /** Adds that an even number of super-peers is asked for now. */
    private static void even(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        int was = before == null || before.superPeers() == null
                ? 0
                : before.superPeers().wanted();
        int is = after.superPeers() == null ? was : after.superPeers().wanted();
        if (is != was && Conditions.isEven(is)) {
            all.add(new Happening(true, "EvenSuperPeers", Conditions.even(is)));
        }
    }

    /** Adds a condition that now has the status of a warning, or has it for another reason than before. */
    private static void changed(
            @Nullable GranaryStatus before, GranaryStatus after, String type, String bad, List<Happening> all) {
        Condition now = StatusBuilder.find(after, type);
        Condition old = StatusBuilder.find(before, type);
        if (now == null || !bad.equals(now.getStatus())) {
            return;
        }
        boolean same = old != null && bad.equals(old.getStatus()) && Objects.equals(old.getReason(), now.getReason());
        if (!same) {
            all.add(new Happening(true, now.getReason(), now.getMessage()));
        }
    }

    /** Adds the beginning and the end of running work. */
    private static void progress(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        Condition old = StatusBuilder.find(before, Conditions.PROGRESSING);
        Condition now = StatusBuilder.find(after, Conditions.PROGRESSING);
        if (old == null || now == null || Objects.equals(old.getReason(), now.getReason())) {
            return;
        }
        if ("True".equals(now.getStatus()) || "True".equals(old.getStatus())) {
            all.add(new Happening(false, now.getReason(), now.getMessage()));
        }
    }

    /**
     * Adds the first stop that is blocked and was not before. What it says may have counts that change all the time, so
     * another text alone is no event.
     */
    private static void blocked(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        List<StopStatus> old = before == null ? List.of() : blockedStops(before);
        blockedStops(after).stream()
                .filter(stop -> old.stream()
                        .noneMatch(was ->
                                was.pod().equals(stop.pod()) && was.reason().equals(stop.reason())))
                .findFirst()
                .ifPresent(stop -> all.add(new Happening(
                        true, Conditions.STOP_BLOCKED, stop.pod() + " cannot go yet: " + stop.message())));
    }

    private static List<StopStatus> blockedStops(GranaryStatus status) {
        return status.stops() == null
                ? List.of()
                : status.stops().stream()
                        .filter(stop -> stop.phase().equals(Stop.Phase.BLOCKED.text()))
                        .toList();
    }

    /** Adds that volumes wait for a person. That they grow is an event of its own, for each volume. */
    private static void volumes(@Nullable GranaryStatus before, GranaryStatus after, List<Happening> all) {
        Condition now = StatusBuilder.find(after, Volumes.VOLUMES_GROWN);
        if (now != null && Volumes.NEEDS_HELP.contains(now.getReason())) {
            changed(before, after, Volumes.VOLUMES_GROWN, "False", all);
        }
    }
}
