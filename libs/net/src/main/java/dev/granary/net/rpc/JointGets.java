package dev.granary.net.rpc;

import dev.granary.env.Clock;
import dev.granary.net.FrameException;
import dev.granary.net.message.MessageType;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets of many threads that wait for one node, put together into one request: flat combining (Hendler, Incze, Shavit
 * and Tzafrir, 2010). One of the threads leads: it sends what all of them want as one request over a lane, reads the
 * reply, wakes the others and hands the lead, with the next request on its way already, to a thread that waits for it.
 *
 * <pre>{@code
 *   thread    publishes its CID in a place; leads if nobody does, parks otherwise
 *   leader    reads the reply -> values of all callers of this request, and wakes these
 *             takes what was published meanwhile, sends it,
 *             and wakes one caller of the request that is under way: the next leader
 *
 *   place     WAITING --leader--> DONE, ALONE or LEADS      the caller reads it and gives the place back
 *                     --caller--> LEFT                      the leader gives the place back
 * }</pre>
 *
 * <p>Invariants: (1) whoever has set {@code led} leads until it has passed the lead on or cleared it; only the leader
 * uses {@code lane} and {@code batch}. (2) A place whose bit is in {@code free} is used by nobody; one whose bit is in
 * {@code waiting} or in {@code batch} keeps its CID. (3) While a bit is set in {@code waiting}, somebody leads, or the
 * caller that set it is about to look. Thread-safe.
 */
final class JointGets {

    private static final Logger LOG = LoggerFactory.getLogger(JointGets.class);

    /** The most threads that take part; others go alone. */
    static final int PLACES = Long.SIZE;

    private static final int WAITING = 0;
    private static final int LEADS = 1;
    private static final int DONE = 2;
    private static final int ALONE = 3;
    private static final int LEFT = 4;

    private static final VarHandle FREE;
    private static final VarHandle PUBLISHED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            FREE = lookup.findVarHandle(JointGets.class, "free", long.class);
            PUBLISHED = lookup.findVarHandle(JointGets.class, "waiting", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How long a thread waits before it goes alone; and the deadline of each request. */
    static final long LIMIT_NANOS = 100_000_000;

    private final Clock clock;
    private final LongFunction<@Nullable Lane> lanes;
    private final Place[] places = new Place[PLACES];
    private final AtomicInteger led = new AtomicInteger();

    /** Bits of places that nobody uses. */
    private volatile long free = -1;

    /** Bits of places whose CIDs are in no request yet. */
    private volatile long waiting;

    // Of the leader.

    /** The lane that is held; null between two requests that do not follow each other at once. */
    private @Nullable Lane lane;

    /** Bits of the places that the request under way is for, and whose calls have not ended. Ascending as its CIDs. */
    private long batch;

    /** Callers whose calls have ended and that are to be woken. */
    private final @Nullable Thread[] ended = new Thread[PLACES];

    private int endedCount;

    /** The call of one thread. */
    private static final class Place {

        private final AtomicInteger state = new AtomicInteger();
        private long cid;
        private @Nullable Thread caller;
        private byte @Nullable [] value;
    }

    /** @param lanes gives a free lane to the node for a deadline, or null */
    JointGets(Clock clock, LongFunction<@Nullable Lane> lanes) {
        this.clock = clock;
        this.lanes = lanes;
        for (int i = 0; i < PLACES; i++) {
            places[i] = new Place();
        }
    }

    /**
     * Gets a chunk together with other threads, and waits for it, some {@link #LIMIT_NANOS} at most.
     *
     * @return the content; null when the call must be made alone, for whatever reason: there are too many callers,
     *     there is no lane, the reply did not come in time, the thread was interrupted, or the node does not own the
     *     chunk
     */
    byte @Nullable [] get(long cid) {
        long bit = claim();
        if (bit == 0) {
            return null;
        }
        Place place = placeOf(bit);
        place.cid = cid;
        place.caller = Thread.currentThread();
        place.state.set(WAITING);
        PUBLISHED.getAndBitwiseOr(this, bit);
        if (led.get() == 0 && led.compareAndSet(0, 1)) {
            goOn(bit);
        }
        int state = await(place);
        if (state == LEFT) {
            return null;
        }
        byte[] value = place.value;
        place.value = null;
        place.caller = null;
        FREE.getAndBitwiseOr(this, bit);
        return state == DONE ? value : null;
    }

    /** Returns whether a thread leads, and so may hold a lane. */
    boolean isUnderWay() {
        return led.get() != 0;
    }

    private Place placeOf(long bit) {
        return places[Long.numberOfTrailingZeros(bit)];
    }

    /** Takes a free place and returns its bit; 0 when there is none. */
    private long claim() {
        // Threads begin to look at different places, so that they seldom want the same one.
        int turn = (int) Thread.currentThread().threadId();
        while (true) {
            long now = free;
            long bit = Long.rotateLeft(Long.lowestOneBit(Long.rotateRight(now, turn)), turn);
            if (now == 0 || FREE.compareAndSet(this, now, now & ~bit)) {
                return bit;
            }
        }
    }

    /** Waits until the call has ended, leading if it comes to that. Returns DONE, ALONE or LEFT. */
    private int await(Place place) {
        long endNanos = clock.nanoTime() + LIMIT_NANOS;
        boolean interrupted = false;
        int state = place.state.get();
        while (state == WAITING || state == LEADS) {
            if (state == LEADS) {
                // An interrupt would close the lane of all. The lane's deadline bounds the wait.
                interrupted |= Thread.interrupted();
                lead();
            } else {
                long leftNanos = endNanos - clock.nanoTime();
                if (leftNanos <= 0 || Thread.currentThread().isInterrupted()) {
                    place.state.compareAndSet(WAITING, LEFT);
                } else {
                    LockSupport.parkNanos(this, leftNanos);
                }
            }
            state = place.state.get();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return state;
    }

    /** Reads the reply to the request that is under way, and goes on with what was published meanwhile. */
    @SuppressWarnings("CatchingUnchecked") // whatever it is, the others must not wait for this thread
    private void lead() {
        Lane held = lane;
        try {
            if (held != null) {
                read(held.receive());
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            alone(e);
        } finally {
            endAll();
            goOn(0);
        }
    }

    private void alone(Throwable reason) {
        LOG.debug("gets of {} threads go on alone: {}", Long.bitCount(batch), reason.getMessage());
    }

    /** Takes the values of a reply. */
    private void read(ByteBuf in) {
        int count = Long.bitCount(batch);
        int done = in.readIntLE();
        if (done < 1 || done > count) {
            throw new FrameException("a get of " + count + " chunks was answered for " + done);
        }
        int results = in.readerIndex();
        in.skipBytes(Integer.BYTES * done);
        for (int i = 0; i < done; i++) {
            long bit = Long.lowestOneBit(batch);
            int sizeBytes = in.getIntLE(results + Integer.BYTES * i);
            if (sizeBytes > in.readableBytes()) {
                throw new FrameException("a chunk of " + sizeBytes + " bytes in " + in.readableBytes());
            }
            if (sizeBytes >= 0) {
                byte[] value = new byte[sizeBytes];
                in.readBytes(value);
                placeOf(bit).value = value;
            }
            end(bit, sizeBytes >= 0 ? DONE : ALONE);
        }
        // A reply has no more than some size. The other chunks are asked for again.
        for (; batch != 0; batch &= batch - 1) {
            long bit = Long.lowestOneBit(batch);
            placeOf(bit).state.compareAndSet(LEADS, WAITING);
            PUBLISHED.getAndBitwiseOr(this, bit);
        }
    }

    /** Ends the calls of the request that have not ended: their callers go on alone. */
    private void endAll() {
        while (batch != 0) {
            end(Long.lowestOneBit(batch), ALONE);
        }
    }

    private void end(long bit, int outcome) {
        batch &= ~bit;
        Place place = placeOf(bit);
        Thread caller = place.caller;
        if (place.state.compareAndSet(WAITING, outcome)) {
            ended[endedCount++] = caller;
        } else if (place.state.get() == LEADS) {
            // The leader's own.
            place.state.set(outcome);
        } else {
            place.value = null;
            place.caller = null;
            FREE.getAndBitwiseOr(this, bit);
        }
    }

    /**
     * Sends what was published, and passes the lead on; or gives it up when there is nothing. Called by the leader when
     * no request is under way.
     *
     * @param ownBit of the leader's own call, which keeps the lead if it is in the request; 0 when that has ended
     */
    private void goOn(long ownBit) {
        while (true) {
            // Before the next request is made: those that are woken often publish again at once, and are in it.
            wake();
            batch = (long) PUBLISHED.getAndSet(this, 0L);
            boolean sent = batch != 0 && send();
            if (sent && passOn(ownBit)) {
                return;
            }
            if (sent) {
                // All callers have left: nobody reads the reply.
                giveUp();
            }
            endAll();
            release();
            wake();
            if (waiting == 0) {
                led.set(0);
                if (waiting == 0 || !led.compareAndSet(0, 1)) {
                    return;
                }
            }
        }
    }

    /** Sends a request for the batch; false when that fails. */
    private boolean send() {
        long deadlineNanos = clock.nanoTime() + LIMIT_NANOS;
        Lane held = lane;
        if (held != null && !held.renew(deadlineNanos)) {
            release();
            held = null;
        }
        if (held == null) {
            held = lanes.apply(deadlineNanos);
            lane = held;
        }
        if (held == null) {
            return false;
        }
        try {
            ByteBuf out = held.request(MessageType.GET).writeIntLE(0).writeIntLE(Long.bitCount(batch));
            for (long rest = batch; rest != 0; rest &= rest - 1) {
                out.writeLongLE(placeOf(Long.lowestOneBit(rest)).cid);
            }
            held.send();
            return true;
        } catch (RpcException | OutOfMemoryError e) {
            alone(e);
            return false;
        }
    }

    private void release() {
        Lane held = lane;
        lane = null;
        if (held != null) {
            held.release();
        }
    }

    private void giveUp() {
        Lane held = lane;
        if (held != null) {
            held.giveUp();
        }
    }

    private void wake() {
        for (int i = 0; i < endedCount; i++) {
            LockSupport.unpark(ended[i]);
            ended[i] = null;
        }
        endedCount = 0;
    }

    /** Makes a caller of the request under way the leader; false when none waits any more. */
    private boolean passOn(long ownBit) {
        if ((batch & ownBit) != 0 && placeOf(ownBit).state.compareAndSet(WAITING, LEADS)) {
            return true;
        }
        for (long rest = batch & ~ownBit; rest != 0; rest &= rest - 1) {
            Place place = placeOf(Long.lowestOneBit(rest));
            Thread caller = place.caller;
            if (place.state.compareAndSet(WAITING, LEADS)) {
                LockSupport.unpark(caller);
                return true;
            }
        }
        return false;
    }
}
