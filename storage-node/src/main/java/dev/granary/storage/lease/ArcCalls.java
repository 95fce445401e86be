package dev.granary.storage.lease;

import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import java.util.function.Consumer;

/** Calls the super-peers that are responsible for NIDs. Called by tasks of the scheduler. */
public interface ArcCalls {

    /**
     * Asks the super-peer of a NID's arc, if it is known. A task of the scheduler later calls exactly one of the two
     * callbacks: with the reply or with the failure.
     */
    <Q extends Message, R extends Message> void callArc(
            int nid, MessageType<Q, R> type, Q request, Consumer<R> done, Consumer<Throwable> failed);
}
