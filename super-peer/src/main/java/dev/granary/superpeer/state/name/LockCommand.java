package dev.granary.superpeer.state.name;

import dev.granary.overlay.Cid;
import dev.granary.schema.Code;
import dev.granary.schema.RecordTypes;
import dev.granary.superpeer.state.ArcCommand;

/** Changes the client locks of an arc. */
public sealed interface LockCommand extends ArcCommand {

    /** All of them by their types. */
    RecordTypes<LockCommand> TYPES = RecordTypes.of("arc command", LockCommand.class);

    @Override
    default int type() {
        return TYPES.codeOf(this);
    }

    /** Returns the CID of the locked chunk. */
    long cid();

    @Override
    default int position() {
        return Cid.nid(cid());
    }

    /**
     * Grants a client lock, if nobody holds it.
     *
     * @param lockId of the lock request, which is granted once, however often it is repeated
     */
    @Code(52)
    record Acquire(long cid, long lockId, long leaseNanos) implements LockCommand {

        @Override
        public boolean isOfAClient() {
            return true;
        }
    }

    /** Ends a client lock: its holder has given it back, or its lease has ended. */
    @Code(53)
    record Release(long cid, long token) implements LockCommand {}
}
