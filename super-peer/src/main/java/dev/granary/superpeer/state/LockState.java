package dev.granary.superpeer.state;

import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one arc: those of the chunks whose creators' NIDs lie in it. When a lease ends is not said here, because
 * that needs a clock: whoever serves the arc releases it then. Deterministic; one thread at a time.
 *
 * <p>Invariants: (1) a chunk's lock has at most one holder; (2) the tokens of a chunk's holders rise from one to the next,
 * over restarts and moves of the arc as well: every token is greater than all that were given in this arc or came with a
 * part.
 *
 * <pre>
 * part: version u8 (1), lastToken i64, locks i32, each: cid i64, lockId i64, token i64, leaseNanos i64; by CID
 * </pre>
 */
final class LockState {

    /** The most locks of one arc. */
    static final int MAX_LOCKS = 1 << 20;

    private static final int PART_VERSION = 1;

    private final TreeMap<Long, LockRecord> locks = new TreeMap<>(Cid::compare);
    private long lastToken;

    /** The lock of a chunk, null when nobody holds it. */
    @Nullable
    LockRecord lock(long cid) {
        return locks.get(cid);
    }

    /** All locks that are held, by CID. */
    List<LockRecord> all() {
        return List.copyOf(locks.values());
    }

    /** The number of locks that are held. */
    int size() {
        return locks.size();
    }

    /** Carries out a command that is committed. */
    LockResult apply(LockCommand command) {
        return switch (command) {
            case LockCommand.Acquire acquire -> acquire(acquire);
            case LockCommand.Release release -> release(release);
        };
    }

    /** Begins without a lock; every token is greater than this one. */
    void rebuilt(long token) {
        lastToken = token;
    }

    private LockResult acquire(LockCommand.Acquire command) {
        LockRecord present = locks.get(command.cid());
        if (present != null) {
            return new LockResult.Held(present);
        }
        if (locks.size() >= MAX_LOCKS) {
            return new LockResult.Full();
        }
        LockRecord granted = new LockRecord(command.cid(), command.lockId(), ++lastToken, command.leaseNanos());
        locks.put(command.cid(), granted);
        return new LockResult.Held(granted);
    }

    private LockResult release(LockCommand.Release command) {
        LockRecord present = locks.get(command.cid());
        boolean was = present != null && present.token() == command.token();
        if (was) {
            locks.remove(command.cid());
        }
        return new LockResult.Released(was);
    }

    private List<LockRecord> locksOf(Arc within) {
        List<LockRecord> part = new ArrayList<>();
        for (LockRecord lock : locks.values()) {
            if (within.contains(Cid.nid(lock.cid()))) {
                part.add(lock);
            }
        }
        return part;
    }

    /** Appends the locks of a piece of the ring, and the last token. */
    void write(Arc within, ByteBuf out) {
        List<LockRecord> part = locksOf(within);
        out.writeByte(PART_VERSION).writeLongLE(lastToken).writeIntLE(part.size());
        for (LockRecord lock : part) {
            out.writeLongLE(lock.cid()).writeLongLE(lock.lockId());
            out.writeLongLE(lock.token()).writeLongLE(lock.leaseNanos());
        }
    }

    /** Adds what {@link #write} wrote. */
    void read(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != PART_VERSION) {
            throw new IllegalArgumentException("locks of version " + version + "; this program knows " + PART_VERSION);
        }
        lastToken = Math.max(lastToken, in.readLongLE());
        int count = in.readIntLE();
        for (int i = 0; i < count; i++) {
            LockRecord lock = new LockRecord(in.readLongLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
            locks.put(lock.cid(), lock);
        }
    }

    /** Forgets the locks of a piece of the ring that another super-peer answers for now. */
    void remove(Arc within) {
        locksOf(within).forEach(lock -> locks.remove(lock.cid()));
    }
}
