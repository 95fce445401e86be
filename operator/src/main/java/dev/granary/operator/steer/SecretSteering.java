package dev.granary.operator.steer;

import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.SecretPlan;
import java.time.Instant;

/**
 * Decides when a change of the cluster's secret takes its next phase (ADR 0376). What it decides is a part of the pod
 * templates, so the usual rollout brings it to the pods.
 *
 * <p>Invariant: a phase begins only when each pod of both roles runs the template of the phase before and is well. So a
 * template that was rolled back holds the change up, and there are never files of three phases.
 */
final class SecretSteering {
    private SecretSteering() {}

    /** Returns the plan with the phase that is due. */
    static ClusterPlan decide(ClusterPlan asked, PodsView superPeers, PodsView storage, Instant now) {
        SecretPlan secret = asked.secret();
        if (secret == null || !secret.isChanging() || asked.update().paused()) {
            return asked;
        }
        boolean allHaveIt = Steering.isDone(asked, asked.superPeers(), Names.SUPER_PEER, superPeers, now)
                && Steering.isDone(asked, asked.storage(), Names.STORAGE, storage, now);
        return allHaveIt ? asked.with(secret.next()) : asked;
    }
}
