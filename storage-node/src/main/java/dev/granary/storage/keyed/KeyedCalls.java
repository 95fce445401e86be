package dev.granary.storage.keyed;

import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
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

    /** What has become of a request that was to be carried out at once. */
    enum AtOnce {
        /** The reply is written. */
        ANSWERED,
        /** Nothing was carried out, as this takes longer, or must be done elsewhere. */
        NOT_DONE,
        /** It was carried out, and nobody knows whether the change lasts. */
        UNKNOWN
    }

    /**
     * Carries out one request before the method returns, if this peer can: if it owns the slot group of all keys, and
     * no other peer must know anything before the reply may be shown (ADR 0321). Whoever gets
     * {@link AtOnce#NOT_DONE} gives it to {@link #carryOut}.
     *
     * @param group 0..255
     * @param command of the request, which has as many arguments as the command takes
     * @param request is only read
     * @param reply gets the reply if there is one; nothing otherwise
     */
    AtOnce tryAtOnce(int group, Command command, Request request, ReplyWriter reply);

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
