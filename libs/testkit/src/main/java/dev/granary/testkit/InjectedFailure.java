package dev.granary.testkit;

/** Thrown in a simulated process because the simulation wants it so. It does not fail the run. */
public final class InjectedFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public InjectedFailure(String where) {
        super("thrown on purpose in '" + where + "'");
    }
}
