package dev.granary.superpeer.state.name;

import dev.granary.overlay.Cid;
import dev.granary.superpeer.state.ArcCommand;
import io.netty.buffer.ByteBuf;

/** What changes the locks of an arc. The layouts are those of the fields behind version and type. */
public sealed interface LockCommand extends ArcCommand {

    /** The chunk. */
    long cid();

    @Override
    default int position() {
        return Cid.nid(cid());
    }

    /**
     * Somebody holds the lock from now on, if nobody does.
     *
     * <pre>cid i64, lockId i64, leaseNanos i64</pre>
     *
     * @param lockId of the wish to hold it: the same one is granted once, whatever is repeated
     */
    record Acquire(long cid, long lockId, long leaseNanos) implements LockCommand {

        static final int TYPE = 52;

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void writeFields(ByteBuf out) {
            out.writeLongLE(cid).writeLongLE(lockId).writeLongLE(leaseNanos);
        }

        static Acquire read(ByteBuf in) {
            return new Acquire(in.readLongLE(), in.readLongLE(), in.readLongLE());
        }
    }

    /**
     * A holder has given the lock back, or its lease has ended.
     *
     * <pre>cid i64, token i64</pre>
     */
    record Release(long cid, long token) implements LockCommand {

        static final int TYPE = 53;

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void writeFields(ByteBuf out) {
            out.writeLongLE(cid).writeLongLE(token);
        }

        static Release read(ByteBuf in) {
            return new Release(in.readLongLE(), in.readLongLE());
        }
    }
}
