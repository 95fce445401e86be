package dev.granary.storage.replicate;

import dev.granary.env.Clock;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RpcRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts and bounds the pending replies, which wait for backups. Each pending reply has a deadline, and all of them
 * together may have {@code maxBytes} (SAFETY rule "budgets"). Thread-safe.
 */
public final class HeldReplies {

    /** The deadline of the reply to a get: about the time after which its client asks again. */
    public static final long READ_NANOS = 500_000_000;

    /** The deadline of the reply to a change: the reply is small, and a retry would wait for the same backups. */
    public static final long CHANGE_NANOS = 2_000_000_000;

    private static final long RETRY_NANOS = 20_000_000;

    private final Clock clock;
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final Set<Pause> pauses = ConcurrentHashMap.newKeySet();

    /**
     * The wait of a pending reply for something other than a zone. It ends once: by {@link #end}, or because the reply
     * has waited too long or its caller is gone. Thread-safe.
     */
    public final class Pause {

        private final HeldReply reply;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Pause(HeldReply reply) {
            this.reply = reply;
        }

        /**
         * Ends the pause, because what the reply waited for has come.
         *
         * @param rest begins the waits that follow; not run when the reply was refused before
         */
        public void end(Consumer<HeldReply> rest) {
            if (!isOver.compareAndSet(false, true)) {
                return;
            }
            pauses.remove(this);
            try {
                rest.accept(reply);
            } catch (Throwable thrown) {
                // After this failure nobody knows which waits should have followed.
                reply.refuse(tooLong());
                throw thrown;
            } finally {
                reply.end();
            }
        }

        private void giveUp() {
            if (isOver.compareAndSet(false, true)) {
                pauses.remove(this);
                reply.fail(tooLong());
            }
        }
    }

    HeldReplies(Clock clock, long maxBytes) {
        this.clock = clock;
        this.maxBytes = maxBytes;
    }

    /**
     * Holds a reply from now on.
     *
     * @param request the request; once its connection is gone the reply is dropped
     * @param sizeBytes how many bytes the reply takes
     * @param limitNanos how long the reply is held at most
     * @param answer called when the reply need not wait any more, or must not
     * @return the pending reply
     */
    public HeldReply hold(RpcRequest request, int sizeBytes, long limitNanos, HeldReply.Answer answer) {
        return hold(request::isCallerThere, sizeBytes, limitNanos, answer);
    }

    /**
     * The same for a reply to no request of the binary protocol.
     *
     * @param isCallerThere whether there is still somebody to take the answer
     */
    public HeldReply hold(BooleanSupplier isCallerThere, int sizeBytes, long limitNanos, HeldReply.Answer answer) {
        bytes.addAndGet(sizeBytes);
        return new HeldReply(isCallerThere, clock.nanoTime() + limitNanos, refusal -> {
            bytes.addAndGet(-sizeBytes);
            answer.send(refusal);
        });
    }

    /** Makes a reply wait until the returned pause ends. The reply may begin other waits before, and at the end. */
    public Pause pause(HeldReply reply) {
        reply.begin();
        Pause begun = new Pause(reply);
        pauses.add(begun);
        return begun;
    }

    /** Refuses replies whose pause has lasted too long, and those whose caller is gone. */
    void giveUpPauses(long nowNanos) {
        for (Pause pause : pauses) {
            if (pause.reply.isOver(nowNanos)) {
                pause.giveUp();
            }
        }
    }

    /** Returns how many bytes the pending replies have. */
    public long bytes() {
        return bytes.get();
    }

    /** Returns why {@code sizeBytes} more cannot be held, or null when there is room. */
    public @Nullable ErrorReply refusal(int sizeBytes) {
        return bytes.get() + sizeBytes <= maxBytes ? null : full();
    }

    /** Takes room for a reply that may have to be held. Returns why there is no room, or null when it was taken. */
    @Nullable
    ErrorReply take(int sizeBytes) {
        if (bytes.addAndGet(sizeBytes) <= maxBytes) {
            return null;
        }
        give(sizeBytes);
        return full();
    }

    void give(int sizeBytes) {
        bytes.addAndGet(-sizeBytes);
    }

    private ErrorReply full() {
        return ErrorReply.retryLater(
                RETRY_NANOS, "too many answers of this storage peer wait for its backups (" + maxBytes + " bytes)");
    }

    /** Returns the refusal that replaces a reply which was held for too long. */
    static ErrorReply tooLong() {
        return ErrorReply.retryLater(
                RETRY_NANOS, "not all backups of this storage peer have answered within the limit");
    }
}
