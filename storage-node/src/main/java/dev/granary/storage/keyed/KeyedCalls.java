package dev.granary.storage.keyed;

import java.util.List;
import java.util.function.Consumer;

/** Has requests for keys carried out by the storage peers that own their slot groups. Thread-safe. */
public interface KeyedCalls {

    /** Takes what becomes of calls that were given away together. */
    @FunctionalInterface
    interface Ends {
        /**
         * A call has ended. Called once for each, by any thread.
         *
         * @param call its place in the list
         */
        void ended(int call, GroupReply reply);
    }

    /**
     * Carries out a call, here or at another storage peer. Waits, within limits, for an owner if there is none, and
     * repeats what certainly was not carried out.
     *
     * @param done called once, by any thread, also before this method returns
     */
    default void carryOut(GroupCall call, Consumer<GroupReply> done) {
        carryOut(List.of(call), (only, reply) -> done.accept(reply));
    }

    /**
     * Carries out calls on different slot groups at the same time. Each one ends as if it were alone; those that one
     * storage peer carries out go there together.
     *
     * @param ends also called before this method returns
     */
    void carryOut(List<GroupCall> calls, Ends ends);
}
