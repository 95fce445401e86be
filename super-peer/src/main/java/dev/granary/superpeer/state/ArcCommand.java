package dev.granary.superpeer.state;

import dev.granary.net.message.RecordBytes;
import io.netty.buffer.ByteBuf;

/**
 * What changes the state of an arc. In the log each begins with a version and a type, which tells the {@link ArcPart}:
 *
 * <pre>
 *  0         1       2
 *  +---------+-------+-------------
 *  | version | type  | fields ...
 *  +---------+-------+-------------
 *   u8 (4)    u8
 *
 *  16..23 {@link PeerCommand}   24..31 {@link ArcTransfer}   32..47 ranges   48..63 names
 * </pre>
 */
public interface ArcCommand {

    /** The version of the layout of all commands of an arc. */
    int VERSION = 4;

    /** What it is in the log, 16..255. */
    int type();

    /**
     * The NID position of what it changes: a part of an arc that moves to another group is not changed meanwhile. 0
     * when it is about nothing that moves.
     */
    int position();

    /** Whether clients may have any number of such commands on their way (ADR 0206). */
    default boolean isOfAClient() {
        return false;
    }

    /** Appends its fields: it is a record, whose declaration says how they are laid out (ADR 0223). */
    default void writeFields(ByteBuf out) {
        RecordBytes.write((Record) this, out);
    }
}
