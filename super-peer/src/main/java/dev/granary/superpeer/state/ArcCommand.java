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
    int VERSION = 6;

    /** Returns the type of this command in the log, 16..255. */
    int type();

    /**
     * Returns the NID position of what this command changes; 0 when that never moves. A command about a part that is
     * moving to another Raft group is refused.
     */
    int position();

    /** Whether clients may have any number of such commands under way (ADR 0206). */
    default boolean isOfAClient() {
        return false;
    }

    /** Appends the fields. The command is a record, whose declaration says how they are laid out (ADR 0223). */
    default void writeFields(ByteBuf out) {
        RecordBytes.write((Record) this, out);
    }
}
