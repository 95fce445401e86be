package dev.granary.storage.data;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * The greatest token of a lock that this owner has seen for each chunk (SAFETY rule "ways around the owner"; ADR 0097).
 * A change that carries a smaller one is refused. A holder shows its token before it begins, so that from then on none
 * of its predecessors changes anything. Thread-safe.
 *
 * <p>Bounded: each of {@value #STRIPES} stripes knows {@value #MAX_CHUNKS} chunks. The token of the one that was shown
 * longest ago becomes a floor for all other chunks of its NID, whose tokens are counted together: then a holder may be
 * refused who has its lock still, but never the other way round.
 *
 * <p>Invariants: (1) the token of a chunk never falls; (2) between the check of a token and the end of the change that
 * it allows no greater token is shown.
 *
 * <pre>
 * part: floor i64, chunks i32, each: cid i64, token i64
 * </pre>
 */
final class LockTokens {

    static final int STRIPES = 64;
    static final int MAX_CHUNKS = 1024;

    private final Stripe[] stripes = new Stripe[STRIPES];

    private static final class Stripe {
        private final ReentrantLock lock = new ReentrantLock();

        /** In the order in which tokens were shown last. */
        @GuardedBy("lock")
        private final LinkedHashMap<Long, Long> tokens = new LinkedHashMap<>();

        @GuardedBy("lock")
        private final Map<Integer, Long> floors = new HashMap<>();

        @GuardedBy("lock")
        private long greatest(long cid) {
            Long token = tokens.get(cid);
            return token != null ? token : floors.getOrDefault(Cid.nid(cid), 0L);
        }

        @GuardedBy("lock")
        private void raise(long cid, long token) {
            tokens.remove(cid);
            tokens.put(cid, token);
            if (tokens.size() > MAX_CHUNKS) {
                Map.Entry<Long, Long> eldest = tokens.pollFirstEntry();
                floors.merge(Cid.nid(eldest.getKey()), eldest.getValue(), Math::max);
            }
        }
    }

    LockTokens() {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    private Stripe stripeOf(long cid) {
        return stripes[Long.hashCode(cid * 0x9E3779B97F4A7C15L) >>> 26];
    }

    /**
     * Carries out a change of a chunk if its token is none of a predecessor, and no other one meanwhile.
     *
     * @param token 0 for a change that carries none: it is always allowed
     * @param change returns its {@link ChunkStatus}
     * @return that, or {@link ChunkStatus#FENCED}
     */
    int change(long cid, long token, IntSupplier change) {
        if (token == 0) {
            return change.getAsInt();
        }
        Stripe stripe = stripeOf(cid);
        stripe.lock.lock();
        try {
            if (token < stripe.greatest(cid)) {
                return ChunkStatus.FENCED;
            }
            int status = change.getAsInt();
            if (status == ChunkStatus.OK) {
                stripe.raise(cid, token);
            }
            return status;
        } finally {
            stripe.lock.unlock();
        }
    }

    /** The greatest token of all chunks, 0 when none was ever shown. */
    long greatest() {
        long greatest = 0;
        for (Stripe stripe : stripes) {
            stripe.lock.lock();
            try {
                for (long token : stripe.tokens.values()) {
                    greatest = Math.max(greatest, token);
                }
                for (long floor : stripe.floors.values()) {
                    greatest = Math.max(greatest, floor);
                }
            } finally {
                stripe.lock.unlock();
            }
        }
        return greatest;
    }

    /** Appends what the next owner of a range has to know. */
    void write(long startCid, long endCidInclusive, ByteBuf out) {
        long floor = 0;
        List<Map.Entry<Long, Long>> part = new ArrayList<>();
        for (Stripe stripe : stripes) {
            stripe.lock.lock();
            try {
                floor = Math.max(floor, stripe.floors.getOrDefault(Cid.nid(startCid), 0L));
                for (Map.Entry<Long, Long> entry : stripe.tokens.entrySet()) {
                    boolean after = Cid.compare(entry.getKey(), startCid) >= 0;
                    if (after && Cid.compare(entry.getKey(), endCidInclusive) <= 0) {
                        part.add(Map.entry(entry.getKey(), entry.getValue()));
                    }
                }
            } finally {
                stripe.lock.unlock();
            }
        }
        out.writeLongLE(floor).writeIntLE(part.size());
        part.forEach(entry -> out.writeLongLE(entry.getKey()).writeLongLE(entry.getValue()));
    }

    /** Tells the tokens of a range, for the LID 0 the one that counts for chunks that are not known. */
    void forEach(long startCid, long endCidInclusive, TokenVisitor visitor) {
        ByteBuf all = Unpooled.buffer();
        write(startCid, endCidInclusive, all);
        long floor = all.readLongLE();
        if (floor > 0) {
            visitor.token(Cid.of(Cid.nid(startCid), 0), floor);
        }
        for (int count = all.readIntLE(); count > 0; count--) {
            visitor.token(all.readLongLE(), all.readLongLE());
        }
    }

    /** Takes tokens. */
    interface TokenVisitor {
        void token(long cid, long token);
    }

    /** Takes over a token that was told by {@link #forEach}, of another owner's. */
    void learn(long cid, long token) {
        if (Cid.lid(cid) == 0) {
            for (Stripe stripe : stripes) {
                raiseFloor(stripe, Cid.nid(cid), token);
            }
            return;
        }
        Stripe stripe = stripeOf(cid);
        stripe.lock.lock();
        try {
            stripe.raise(cid, Math.max(token, stripe.greatest(cid)));
        } finally {
            stripe.lock.unlock();
        }
    }

    private static void raiseFloor(Stripe stripe, int nid, long floor) {
        stripe.lock.lock();
        try {
            stripe.floors.merge(nid, floor, Math::max);
        } finally {
            stripe.lock.unlock();
        }
    }

    /** Takes over what {@link #write} wrote for a range of the chunks of a NID. */
    void read(int nid, ByteBuf in) {
        long floor = in.readLongLE();
        for (Stripe stripe : stripes) {
            if (floor > 0) {
                raiseFloor(stripe, nid, floor);
            }
        }
        for (int count = in.readIntLE(); count > 0; count--) {
            learn(in.readLongLE(), in.readLongLE());
        }
    }
}
