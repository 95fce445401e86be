package dev.granary.operator.steer;

import java.util.List;

/**
 * What is done next with one role.
 *
 * @param replicas pods that its StatefulSet is to have now
 * @param actions what is done now
 * @param stops pods that go or are replaced
 */
public record Decision(int replicas, List<Action> actions, List<Stop> stops) {
    /** Copies the lists. */
    public Decision {
        actions = List.copyOf(actions);
        stops = List.copyOf(stops);
    }
}
