package dev.granary.superpeer.state.name;

import java.util.List;

/** What part 3 of a snapshot of an arc consists of, but for the names, which are written as they lie in their trie. */
public interface NameSnapshot {

    /**
     * A client that has changed names.
     *
     * @param clientId of its request ids
     * @param ended requests up to this one are over
     * @param doubted requests up to this one may have been carried out before the client was forgotten
     * @param answers by their sequences
     */
    record Client(long clientId, long ended, long doubted, List<Answer> answers) {}

    /**
     * The answer of a change of a name.
     *
     * @param sequence of the request id
     * @param done whether the name was changed
     * @param previousCid what the name stood for before
     */
    record Answer(long sequence, boolean done, long previousCid) {}

    /**
     * The client locks.
     *
     * @param lastToken the greatest that was given
     * @param locks by CID
     * @param ended lock requests whose locks have ended, in that order
     */
    record Locks(long lastToken, List<LockRecord> locks, List<EndedLock> ended) {}

    /** A lock request whose lock of a chunk has ended. */
    record EndedLock(long lockId, long cid) {}
}
