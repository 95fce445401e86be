package dev.granary.superpeer.state.name;

import dev.granary.superpeer.state.ArcResult;

/** The result of a committed change of a name. */
public sealed interface NameResult extends ArcResult {

    /**
     * The change was carried out, now or when the same request came first.
     *
     * @param done whether the condition held and the name was changed
     * @param previousCid what the name stood for before, {@link dev.granary.overlay.Cid#NONE} for nothing
     */
    record Changed(boolean done, long previousCid) implements NameResult {}

    /** The request may have been carried out before; nobody knows any more. It has changed nothing now. */
    record OutcomeUnknown() implements NameResult {}

    /** There is no room for another name; nothing was changed. */
    record Full() implements NameResult {}
}
