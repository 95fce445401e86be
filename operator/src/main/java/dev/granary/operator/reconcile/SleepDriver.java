package dev.granary.operator.reconcile;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.HibernationStatus;
import dev.granary.operator.control.ClusterControl;
import dev.granary.operator.control.ClusterControl.ControlException;
import dev.granary.operator.control.SleepStep;
import dev.granary.operator.control.SleepView;
import dev.granary.operator.plan.Sizes;
import dev.granary.operator.steer.Hibernating;
import dev.granary.operator.steer.Hibernating.Phase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Asks storage peers for the decided step of a hibernation or back, and notes their progress. */
final class SleepDriver {
    private final ClusterControl control;

    SleepDriver(ClusterControl control) {
        this.control = control;
    }

    /** Returns the phase in a status, {@code null} for a cluster that works. */
    static @Nullable Phase phase(@Nullable GranaryStatus status) {
        return status == null || status.hibernation() == null
                ? null
                : Phase.of(status.hibernation().phase());
    }

    /**
     * Takes the step.
     *
     * @param expected number of storage peers that there should be
     * @return the new part of the status, {@code null} when the cluster works again
     */
    @Nullable
    HibernationStatus take(
            Hibernating.Result decided,
            int expected,
            ClusterControl.Target cluster,
            @Nullable GranaryStatus before,
            Instant now) {
        SleepStep step = decided.step();
        if (step == null) {
            return note(decided.phase(), decided.message(), before, now);
        }
        SleepView seen;
        try {
            seen = control.sleep(cluster, step);
        } catch (ControlException e) {
            return note(decided.phase(), String.valueOf(e.getMessage()), before, now);
        }
        boolean all = seen.done() == seen.peers() && seen.peers() >= expected;
        if (all && step == SleepStep.WORK) {
            return null;
        }
        if (all && step == SleepStep.REFUSE_CHANGES) {
            return note(Phase.WRITING_MEMORY, "what was taken is on all backups", before, now);
        }
        return note(decided.phase(), text(step, seen), before, now);
    }

    private static String text(SleepStep step, SleepView seen) {
        String progress =
                switch (step) {
                    case REFUSE_CHANGES ->
                        seen.done() + " of " + seen.peers() + " storage peers refuse changes, and their"
                                + " backups have all earlier changes";
                    case PARK ->
                        seen.done() + " of " + seen.peers() + " storage peers are parked, "
                                + Sizes.text(seen.dumpBytes()) + " of about " + Sizes.text(seen.totalBytes())
                                + " are written";
                    case WORK -> seen.done() + " of " + seen.peers() + " storage peers work";
                };
        return seen.problems().isEmpty() ? progress : progress + "; " + String.join("; ", seen.problems());
    }

    private static HibernationStatus note(Phase phase, String message, @Nullable GranaryStatus before, Instant now) {
        HibernationStatus old = before == null ? null : before.hibernation();
        String since = old != null && old.phase().equals(phase.text())
                ? old.since()
                : now.truncatedTo(ChronoUnit.SECONDS).toString();
        return new HibernationStatus(phase.text(), message, since);
    }
}
