package dev.granary.raft;

import java.util.List;
import java.util.function.Consumer;

/**
 * State that a group replicates. The same commands in the same order give the same state and the same answers on every
 * member: nothing here reads a clock, chance or anything else from outside. Called by the group's scheduler only. What
 * it throws ends the group on this member, because from then on its state may differ from that of the others.
 */
public interface ReplicatedStateMachine {

    /**
     * Carries out a committed command; a refusal is an answer like any other.
     *
     * @param index the command's place in the log, from 1 on; rises, with gaps
     * @return the answer, which only the member that proposed the command needs
     */
    byte[] apply(long index, byte[] command);

    /** Answers a question and changes nothing. */
    byte[] query(byte[] question);

    /** Gives the whole state in pieces of at most {@link RaftGroup#MAX_COMMAND_BYTES}; at least one. */
    void takeSnapshot(Consumer<byte[]> chunks);

    /** Replaces the whole state by one that {@link #takeSnapshot} gave, here or on another member. */
    void installSnapshot(List<byte[]> chunks);
}
