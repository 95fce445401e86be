package dev.granary.storage.keyed;

import java.util.function.Consumer;

/** Has requests for keys carried out by the storage peer that owns their slot group. Thread-safe. */
public interface KeyedCalls {

    /**
     * Carries out a call, here or at another storage peer. Waits, within limits, for an owner if there is none, and
     * repeats what certainly was not carried out.
     *
     * @param done called once, by any thread, also before this method returns
     */
    void carryOut(GroupCall call, Consumer<GroupReply> done);
}
