package dev.granary.simulation;

/**
 * One fault of a schedule. Everything about it is decided when the schedule is made, so that it is the same whatever
 * other faults do.
 *
 * @param id its number in the schedule of its seed
 * @param atNanos when it begins, after the cluster is ready
 * @param durationNanos how long it lasts, or how long a machine is down
 * @param target the node that it hits; {@code all} for the whole network
 * @param other the node at the other end of a link; otherwise empty
 * @param amount depends on the kind: clock readings before a pause, millionths of drift, syncs before the one that
 *     fails, 1 for a cut in one direction only
 */
public record Fault(
        int id, FaultKind kind, long atNanos, long durationNanos, String target, String other, long amount) {

    @Override
    public String toString() {
        String where = other.isEmpty() ? target : target + " to " + other;
        return "#%d at %.3f s: %s of %s for %.3f s%s"
                .formatted(
                        id,
                        atNanos / 1e9,
                        kind.optionName(),
                        where,
                        durationNanos / 1e9,
                        amount == 0 ? "" : " (" + amount + ")");
    }
}
