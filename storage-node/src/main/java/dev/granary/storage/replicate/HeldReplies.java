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

    /** What was read waits about as long as its client does before it asks again. */
    public static final long READ_NANOS = 500_000_000;

    /** The answer of a change is small, and a retry waits for the same. */
    public static final long CHANGE_NANOS = 2_000_000_000;

    private static final long RETRY_NANOS = 20_000_000;

    private final Clock clock;
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final Set<Pause> pauses = ConcurrentHashMap.newKeySet();

    /**
     * A wait of an answer for something else than a zone. It ends once: by {@link #end}, or because the answer has
     * waited too long or nobody takes it any more. Thread-safe.
     */
    public final class Pause {

        private final HeldReply reply;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Pause(HeldReply reply) {
            this.reply = reply;
        }

        /**
         * What was waited for has come.
         *
         * @param rest begins the waits that follow, and is not run when the answer was refused before
         */
        public void end(Consumer<HeldReply> rest) {
            if (!isOver.compareAndSet(false, true)) {
                return;
            }
            pauses.remove(this);
            try {
                rest.accept(reply);
            } catch (Throwable thrown) {
                // What it should have waited for is not known.
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
     * Holds an answer from now on.
     *
     * @param request that is answered; once its connection is gone nothing is held for it
     * @param sizeBytes what is held
     * @param limitNanos how long at most
     * @param answer told when it need not wait any more, or must not
     */
    public HeldReply hold(RpcRequest request, int sizeBytes, long limitNanos, HeldReply.Answer answer) {
        return hold(request::isCallerThere, sizeBytes, limitNanos, answer);
    }

    HeldReply hold(BooleanSupplier isCallerThere, int sizeBytes, long limitNanos, HeldReply.Answer answer) {
        bytes.addAndGet(sizeBytes);
        return new HeldReply(isCallerThere, clock.nanoTime() + limitNanos, refusal -> {
            bytes.addAndGet(-sizeBytes);
            answer.send(refusal);
        });
    }

    /** Has an answer wait until its pause ends; it may begin other waits before and then. */
    public Pause pause(HeldReply reply) {
        reply.begin();
        Pause begun = new Pause(reply);
        pauses.add(begun);
        return begun;
    }

    /** Refuses answers whose pause has lasted too long, and those that nobody takes any more. */
    void giveUpPauses(long nowNanos) {
        for (Pause pause : pauses) {
            if (pause.reply.isOver(nowNanos)) {
                pause.giveUp();
            }
        }
    }

    /** Bytes that are held. */
    public long bytes() {
        return bytes.get();
    }

    /** Why so much more cannot be held, or null when there is room. */
    public @Nullable ErrorReply refusal(int sizeBytes) {
        return bytes.get() + sizeBytes <= maxBytes ? null : full();
    }

    /** Takes room for an answer of which it is not known yet whether it is held; says why there is none, or null. */
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

    /** What is said of an answer that was held too long. */
    static ErrorReply tooLong() {
        return ErrorReply.retryLater(
                RETRY_NANOS, "not all backups of this storage peer have answered within the limit");
    }
}
