package dev.granary.superpeer.state.name;

import dev.granary.overlay.Cid;
import dev.granary.schema.Code;
import dev.granary.schema.RecordTypes;
import dev.granary.superpeer.state.ArcCommand;

/** What changes the locks of an arc. */
public sealed interface LockCommand extends ArcCommand {

    /** All of them by their types. */
    RecordTypes<LockCommand> TYPES = RecordTypes.of("arc command", LockCommand.class);

    @Override
    default int type() {
        return TYPES.codeOf(this);
    }

    /** The chunk. */
    long cid();

    @Override
    default int position() {
        return Cid.nid(cid());
    }

    /**
     * Somebody holds the lock from now on, if nobody does.
     *
     * @param lockId of the wish to hold it: the same one is granted once, whatever is repeated
     */
    @Code(52)
    record Acquire(long cid, long lockId, long leaseNanos) implements LockCommand {

        @Override
        public boolean isOfAClient() {
            return true;
        }
    }

    /**
     * A holder has given the lock back, or its lease has ended.
     */
    @Code(53)
    record Release(long cid, long token) implements LockCommand {}
}
