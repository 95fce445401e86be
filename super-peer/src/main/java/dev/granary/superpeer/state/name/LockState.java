package dev.granary.superpeer.state.name;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The client locks of one arc: those of the chunks whose creators' NIDs lie in it. This state does not know when a
 * lease ends, as that needs a clock: the super-peer that serves the arc releases the lock then. Deterministic; one
 * thread at a time.
 *
 * <p>Invariants: (1) a chunk's lock has at most one holder; (2) the tokens of a chunk's holders rise from one to the
 * next, over restarts and moves of the arc as well: every token is greater than all that were given in this arc or came
 * with a part; (3) a lock request whose lock has ended is not granted again while it is remembered: a late request
 * takes no lock for a client that has given it back.
 */
public final class LockState {

    /** The most locks of one arc. */
    public static final int MAX_LOCKS = 1 << 20;

    /** How many lock requests are remembered whose locks have ended, the last ones. */
    public static final int MAX_ENDED = 1 << 14;

    private static final int PART_VERSION = 2;

    /**
     * Bytes of one lock: an entry of the tree and a record here; a queue, its tables and a timer where the arc is
     * served.
     */
    private static final int LOCK_BYTES = 640;

    private static final int ENDED_BYTES = 112;

    private final TreeMap<Long, LockRecord> locks = new TreeMap<>(Cid::compare);

    /** By the id of a lock request whose lock has ended, its chunk, in the order of their ends. */
    private final LinkedHashMap<Long, Long> ended = new LinkedHashMap<>();

    private long lastToken;

    /** Returns the lock of a chunk; null when nobody holds it. */
    @Nullable
    public LockRecord lock(long cid) {
        return locks.get(cid);
    }

    /** Returns all locks that are held, by CID. */
    public List<LockRecord> all() {
        return List.copyOf(locks.values());
    }

    /** Returns the number of locks that are held. */
    public int size() {
        return locks.size();
    }

    /** Returns roughly the bytes of heap, with what a super-peer that serves the arc keeps for each lock. */
    public long footprintBytes() {
        return (long) LOCK_BYTES * locks.size() + (long) ENDED_BYTES * ended.size();
    }

    /** Applies a committed command. */
    LockResult apply(LockCommand command) {
        return switch (command) {
            case LockCommand.Acquire acquire -> acquire(acquire);
            case LockCommand.Release release -> release(release);
        };
    }

    /** Begins without a lock. Every later token is greater than this one. */
    public void rebuilt(long token) {
        lastToken = token;
    }

    private LockResult acquire(LockCommand.Acquire command) {
        if (hasEnded(command.cid(), command.lockId())) {
            return new LockResult.Ended();
        }
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
        if (present == null || present.token() != command.token()) {
            return new LockResult.Released(false);
        }
        locks.remove(command.cid());
        end(present.lockId(), present.cid());
        return new LockResult.Released(true);
    }

    /** Whether a lock request was granted a lock that has ended, as far as is remembered. */
    public boolean hasEnded(long cid, long lockId) {
        Long of = ended.get(lockId);
        return of != null && of == cid;
    }

    private void end(long lockId, long cid) {
        ended.putLast(lockId, cid);
        if (ended.size() > MAX_ENDED) {
            ended.pollFirstEntry();
        }
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
        List<NameSnapshot.EndedLock> endedThere = ended.entrySet().stream()
                .filter(each -> within.contains(Cid.nid(each.getValue())))
                .map(each -> new NameSnapshot.EndedLock(each.getKey(), each.getValue()))
                .toList();
        out.writeByte(PART_VERSION);
        RecordBytes.write(new NameSnapshot.Locks(lastToken, locksOf(within), endedThere), out);
    }

    /** Adds what {@link #write} wrote. */
    void read(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != PART_VERSION) {
            throw new IllegalArgumentException("locks of version " + version + "; this program knows " + PART_VERSION);
        }
        NameSnapshot.Locks part = RecordBytes.read(NameSnapshot.Locks.class, in);
        lastToken = Math.max(lastToken, part.lastToken());
        part.locks().forEach(lock -> locks.put(lock.cid(), lock));
        assert locks.values().stream().allMatch(lock -> lock.token() <= lastToken) : lastToken;
        part.ended().forEach(each -> end(each.lockId(), each.cid()));
    }

    /** Forgets the locks of a piece of the ring for which another super-peer answers now. */
    void remove(Arc within) {
        locksOf(within).forEach(lock -> locks.remove(lock.cid()));
        ended.values().removeIf(cid -> within.contains(Cid.nid(cid)));
    }
}
