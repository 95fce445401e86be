package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus.SecretStatus;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.SecretPlan;
import org.jspecify.annotations.Nullable;

/** Says how far a change of the cluster's secret is (ADR 0376). */
final class SecretPhases {
    /** The reason of the condition Progressing while the secret changes. */
    static final String CHANGING_SECRET = "ChangingSecret";

    private SecretPhases() {}

    /** Returns the part of the status, {@code null} for a cluster without a secret. */
    static @Nullable SecretStatus status(ClusterPlan plan, Observation seen) {
        SecretPlan secret = plan.secret();
        return secret == null
                ? null
                : new SecretStatus(
                        secret.phase().text(),
                        Names.secret(plan.name()),
                        Names.nodesSecret(plan.name(), secret.file()),
                        secret.toRecord(),
                        message(plan, secret, seen));
    }

    private static String message(ClusterPlan plan, SecretPlan secret, Observation seen) {
        String what = what(plan, secret);
        if (!secret.isChanging()) {
            return what;
        }
        String waits = seen.hibernation() != null
                ? "; it goes on when the cluster is awake"
                : plan.update().paused()
                        ? "; it waits while updateStrategy.paused is true"
                        : isRolledBack(plan) ? "; it waits, because a template was rolled back" : "";
        boolean again = secret.phase() != SecretPlan.Phase.STEADY && secret.isAsked();
        return what + waits + (again ? "; another change, which was asked for since, follows it" : "");
    }

    private static String what(ClusterPlan plan, SecretPlan secret) {
        return switch (secret.phase()) {
            case STEADY ->
                secret.isAsked()
                        ? "a change was asked for, and begins when each pod runs the newest template and is well"
                        : "give the resource a new value of the annotation " + Names.CHANGE_SECRET_ANNOTATION
                                + " to change it";
            case ACCEPTING -> "first of three rolling restarts: each pod gets a new secret, and accepts it";
            case PROVING ->
                "second of three rolling restarts: each pod proves itself by the new secret, and still accepts the old"
                        + " one. Programs of yours that administer need the new content of the Secret "
                        + Names.secret(plan.name()) + " before the third";
            case ENDING -> "third of three rolling restarts: each pod forgets the old secret";
        };
    }

    private static boolean isRolledBack(ClusterPlan plan) {
        return plan.superPeers().history().isRolledBack()
                || plan.storage().history().isRolledBack();
    }

    /** Returns the condition Progressing for a change of the secret between two rollouts; {@code null} for none. */
    static @Nullable Verdict progressing(ClusterPlan plan, Observation seen) {
        SecretPlan secret = plan.secret();
        if (secret == null || !secret.isChanging() || isRolledBack(plan)) {
            return null;
        }
        String text = "the secret changes: " + message(plan, secret, seen);
        return plan.update().paused()
                ? Verdict.no(Conditions.PROGRESSING, Conditions.UPDATE_PAUSED, text)
                : Verdict.yes(Conditions.PROGRESSING, CHANGING_SECRET, text);
    }
}
