package dev.granary.testkit;

/** Thrown in a simulated process because the simulation wants it so; whoever judges the run lets it pass. */
public final class InjectedFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public InjectedFailure(String where) {
        super("thrown on purpose in '" + where + "'");
    }
}
