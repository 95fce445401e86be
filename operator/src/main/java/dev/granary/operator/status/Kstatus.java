package dev.granary.operator.status;

import java.util.List;
import java.util.Set;

/**
 * The conditions by which tools that wait for any resource tell whether the spec is applied (kstatus: Flux, Helm). Both
 * are False when it is; never are both True.
 *
 * <ul>
 *   <li>Reconciling: the operator is at work on the spec.
 *   <li>Stalled: the spec is not applied, and will not be until a person has changed something.
 * </ul>
 */
final class Kstatus {
    static final String RECONCILING = "Reconciling";
    static final String STALLED = "Stalled";

    /** The reason of a resource that asks the operator to change nothing. */
    static final String SPEC_PAUSED = "SpecPaused";

    /** The reasons of other conditions with which only a person can help. */
    private static final Set<String> STUCK = Set.of("UpdateRolledBack", "ClusterIdMismatch", Volumes.EXPANSION_REFUSED);

    private Kstatus() {}

    /** Returns both conditions for a cluster with these conditions. */
    static List<Verdict> of(List<Verdict> verdicts) {
        for (Verdict verdict : verdicts) {
            if (STUCK.contains(verdict.reason())) {
                return stalled(verdict.reason(), verdict.message());
            }
        }
        for (Verdict verdict : verdicts) {
            boolean works = verdict.status().equals("True") || verdict.reason().equals(Conditions.STOP_BLOCKED);
            if (verdict.type().equals(Conditions.PROGRESSING) && works) {
                return reconciling(verdict.reason(), verdict.message());
            }
        }
        return List.of(
                Verdict.no(RECONCILING, "Applied", "the newest spec is applied"),
                Verdict.no(STALLED, "Applied", "the newest spec is applied"));
    }

    /** Returns both conditions for a spec that could not, or is not to be applied. */
    static List<Verdict> of(Failure failure) {
        return failure.lasting()
                ? stalled(failure.reason(), failure.message())
                : reconciling("Retrying", failure.message());
    }

    private static List<Verdict> stalled(String reason, String message) {
        return List.of(Verdict.no(RECONCILING, reason, message), Verdict.yes(STALLED, reason, message));
    }

    private static List<Verdict> reconciling(String reason, String message) {
        return List.of(
                Verdict.yes(RECONCILING, reason, message),
                Verdict.no(STALLED, "Reconciling", "the operator is at work"));
    }
}
