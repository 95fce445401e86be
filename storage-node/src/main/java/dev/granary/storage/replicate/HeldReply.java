package dev.granary.storage.replicate;

import dev.granary.net.message.ErrorReply;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A pending reply: it waits until all in-sync backups of some zones have the changes. A reply may wait for any number
 * of zones. The thread that ends the last wait sends it, once: as it is, or as a refusal when this peer has lost one of
 * the zones or the reply was held for too long. Thread-safe.
 */
public final class HeldReply {

    /** Sends a reply when its waits are over. */
    @FunctionalInterface
    public interface Answer {
        /**
         * Sends the reply.
         *
         * @param refusal what to send instead; null when all members have the changes
         */
        void send(@Nullable ErrorReply refusal);
    }

    private final BooleanSupplier isCallerThere;
    private final long deadlineNanos;
    private final Answer answer;

    /** One for each wait, and one more until all waits have begun. */
    private final AtomicInteger waits = new AtomicInteger(1);

    private final AtomicReference<@Nullable ErrorReply> refusal = new AtomicReference<>();

    /** @param isCallerThere whether there is still somebody to take the answer */
    HeldReply(BooleanSupplier isCallerThere, long deadlineNanos, Answer answer) {
        this.isCallerThere = isCallerThere;
        this.deadlineNanos = deadlineNanos;
        this.answer = answer;
    }

    /** Returns whether the reply has been held for too long, or its caller is gone. */
    boolean isOver(long nowNanos) {
        return nowNanos - deadlineNanos >= 0 || !isCallerThere.getAsBoolean();
    }

    void begin() {
        waits.incrementAndGet();
    }

    /** Ends a wait. */
    void end() {
        if (waits.decrementAndGet() == 0) {
            answer.send(refusal.get());
        }
    }

    /** Ends a wait without success. */
    void fail(ErrorReply reason) {
        refusal.compareAndSet(null, reason);
        end();
    }

    /** Replaces the reply by a refusal, whatever the waits bring. */
    public void refuse(ErrorReply reason) {
        refusal.compareAndSet(null, reason);
    }

    /** Returns whether a refusal will be sent instead of the reply. */
    public boolean isRefused() {
        return refusal.get() != null;
    }

    /** Says that all waits have begun. This call sends the reply if all of them have ended, else the last one does. */
    public void begun() {
        end();
    }
}
