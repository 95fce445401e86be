package dev.granary.superpeer.state;

import dev.granary.overlay.Arc;
import io.netty.buffer.ByteBuf;

/**
 * One kind of things that an arc knows, with commands of its own and its own place in snapshots. Each thing belongs to
 * one NID position of the ring, so that a part of the arc can be copied to another arc's Raft group and dropped from
 * this one. Deterministic, as {@link StateMachine} says; one thread at a time.
 */
public interface ArcPart {

    /** The number of command types that each part has: those of part {@code id} begin with {@code id * 16}. */
    int TYPES_PER_PART = 16;

    /** The number of this part in snapshots, never given to another one; from 1 on. */
    int id();

    /**
     * Reads the fields of a command.
     *
     * @param type of the command, among those of this part
     * @throws IllegalArgumentException when this part has no command of the type
     */
    ArcCommand readCommand(int type, ByteBuf in);

    /** Applies a committed command of this part. */
    ArcResult apply(ArcCommand command);

    /**
     * Appends everything that belongs to NID positions within the arc, in an order that follows from the state alone.
     */
    void write(Arc within, ByteBuf out);

    /** Adds what {@link #write} wrote. This state must have nothing at the positions to which it belongs. */
    void read(ByteBuf in);

    /** Drops everything that belongs to NID positions within the arc. */
    void remove(Arc within);
}
