package dev.granary.cli.doctor;

/**
 * The metrics of one process.
 *
 * @param role of the process
 * @param id its NID; the pod of an operator
 * @param name of the process
 * @param earlier its metrics some seconds earlier, the same as {@code now} when there was one look only
 * @param now its metrics
 * @param failure why they cannot be read, empty when they were
 */
public record ProcessLook(Role role, String id, String name, Samples earlier, Samples now, String failure) {

    /** The role of a process. */
    public enum Role {
        STORAGE_PEER("storage peer"),
        SUPER_PEER("super-peer"),
        OPERATOR("operator");

        private final String text;

        Role(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** A process whose metrics were read. */
    public static ProcessLook of(Role role, String id, String name, Samples earlier, Samples now) {
        return new ProcessLook(role, id, name, earlier, now, "");
    }

    /** A process whose metrics cannot be read. */
    public static ProcessLook unseen(Role role, String id, String name, String failure) {
        return new ProcessLook(role, id, name, Samples.NONE, Samples.NONE, failure);
    }

    /** Whether its metrics were read. */
    public boolean isSeen() {
        return failure.isEmpty();
    }

    /** As people see it, such as {@code storage-1 (0x4000)}. */
    public String text() {
        return id.isEmpty() || id.equals(name) ? name : name + " (" + id + ")";
    }

    /** The same process, with an earlier look to compare with; without one when that failed. */
    public ProcessLook after(ProcessLook before) {
        return new ProcessLook(role, id, name, before.isSeen() ? before.now : now, now, failure);
    }

    /** The value of a sample at the earlier look, 0 when it was not there. */
    double before(Samples.Sample sample) {
        return earlier.of(sample.name())
                .filter(each -> each.labels().equals(sample.labels()))
                .mapToDouble(Samples.Sample::value)
                .sum();
    }

    /** Whether a gauge without labels has a value other than 0. */
    boolean isSet(String gauge) {
        return now.sum(gauge) > 0;
    }
}
