package dev.granary.operator.steer;

import java.util.List;

/**
 * The next steps of the operator for one role.
 *
 * @param replicas number of pods that the StatefulSet of the role should have now
 * @param actions the actions to take now
 * @param stops pods that go or are replaced
 */
public record Decision(int replicas, List<Action> actions, List<Stop> stops) {
    /** Copies the lists. */
    public Decision {
        actions = List.copyOf(actions);
        stops = List.copyOf(stops);
    }
}
