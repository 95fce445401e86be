package dev.granary.cli.doctor;

/**
 * One thing that a check has found.
 *
 * @param id what it is about, empty for the whole cluster
 * @param what what was seen
 * @param since since when, empty when nobody knows
 * @param advice what to do
 * @param isNote whether it is worth knowing only, and not wrong
 */
public record Trouble(String id, String what, String since, String advice, boolean isNote) {

    /** Something that is wrong since an unknown time. */
    public static Trouble of(String id, String what, String advice) {
        return new Trouble(id, what, "", advice, false);
    }

    /** Something that is worth knowing. */
    public static Trouble note(String id, String what, String advice) {
        return new Trouble(id, what, "", advice, true);
    }

    /** The same with the time since when it is so. */
    public Trouble since(String when) {
        return new Trouble(id, what, when, advice, isNote);
    }
}
