package dev.granary.operator.steer;

import java.util.List;

/**
 * What the operator does next with one role.
 *
 * @param replicas how many pods the StatefulSet of the role is to have now
 * @param actions the actions of now
 * @param stops pods that go or are replaced
 */
public record Decision(int replicas, List<Action> actions, List<Stop> stops) {
    /** Copies the lists. */
    public Decision {
        actions = List.copyOf(actions);
        stops = List.copyOf(stops);
    }
}
