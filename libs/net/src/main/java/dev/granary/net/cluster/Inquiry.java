package dev.granary.net.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Scheduler.Timer;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.HostAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks super-peers for one thing, one candidate after the other, until one has answered (ADR 0193, ADR 0224). A
 * candidate may name another super-peer: that one is asked in its place. When a candidate fails, the next one is asked.
 * With {@link Rules#hedged} the next one is also asked when a candidate has been silent for a while; the silent one may
 * still answer.
 *
 * <pre>
 *   candidate 1 --REDIRECT--> named --failure---+     reply: done
 *        |                      | silence       |     failure that is as good as an answer: done
 *        | failure, silence     v               v     failure of the last one of all: done
 *        +------------------> candidate 2 ---> ... ---> candidate n
 * </pre>
 *
 * <p>While there is another candidate, one that refused a connection a moment ago is not waited for. Thread-safe. The
 * outcome is called once, on the thread that {@link NodeCalls} names.
 */
public final class Inquiry<Q extends Message, R extends Message> {

    private final NodeCalls calls;
    private final MessageType<Q, R> type;
    private final Supplier<Q> request;
    private final List<Target> candidates;
    private final Rules rules;
    private final Observer observer;
    private final Outcome<R> outcome;

    @GuardedBy("this")
    private int asked;

    @GuardedBy("this")
    private int failed;

    @GuardedBy("this")
    private boolean over;

    /**
     * How to ask.
     *
     * @param attemptNanos how long a super-peer may take that another one has named, or that has a candidate behind it
     * @param lastNanos how long the last candidate may take
     * @param silenceNanos after this time without an answer the next candidate is asked, too; {@link Long#MAX_VALUE}
     *     for never
     * @param referrals how many super-peers are asked in a chain in which each names the next, the candidate included
     * @param isAnswer whether a failure says what all other candidates would say, so that nobody else is asked
     */
    public record Rules(
            long attemptNanos, long lastNanos, long silenceNanos, int referrals, Predicate<Throwable> isAnswer) {

        /** Asks one candidate after the other, each with the same time limit, until one itself has answered. */
        public static Rules inTurn(long attemptNanos, int referrals) {
            return new Rules(attemptNanos, attemptNanos, Long.MAX_VALUE, referrals, Refusals::isAnswer);
        }

        /** The same rules, but only these failures count as an answer. */
        public Rules until(Predicate<Throwable> answers) {
            return new Rules(attemptNanos, lastNanos, silenceNanos, referrals, answers);
        }

        /** The same rules, but after {@code afterNanos} without an answer the next candidate is asked, too. */
        public Rules hedged(long afterNanos) {
            return new Rules(attemptNanos, lastNanos, afterNanos, referrals, isAnswer);
        }
    }

    /** Takes the outcome of an inquiry. */
    @FunctionalInterface
    public interface Outcome<R> {
        /**
         * Takes the reply or the failure; the other one is null.
         *
         * @param from the node that has answered or failed
         */
        void take(Target from, @Nullable R reply, @Nullable Throwable failure);
    }

    /** Called before each request. */
    @FunctionalInterface
    public interface Observer {
        /**
         * Notes that a super-peer is about to be asked.
         *
         * @param number the number of the candidate, from 0
         * @param named whether another super-peer has named the one that is asked
         */
        void asks(int number, boolean named);
    }

    private Inquiry(
            NodeCalls calls,
            MessageType<Q, R> type,
            Supplier<Q> request,
            List<Target> candidates,
            Rules rules,
            Observer observer,
            Outcome<R> outcome) {
        this.calls = calls;
        this.type = type;
        this.request = request;
        this.candidates = candidates;
        this.rules = rules;
        this.observer = observer;
        this.outcome = outcome;
    }

    /**
     * Asks the first candidate, on the caller's thread, and then the others as they are needed.
     *
     * @param request makes the request for each super-peer that is asked
     * @param candidates whom to ask, at least one
     */
    public static <Q extends Message, R extends Message> Inquiry<Q, R> begin(
            NodeCalls calls,
            MessageType<Q, R> type,
            Supplier<Q> request,
            List<Target> candidates,
            Rules rules,
            Observer observer,
            Outcome<R> outcome) {
        if (candidates.isEmpty()) {
            throw new IllegalArgumentException("a request '" + MessageType.nameOf(type.code()) + "' has nobody to ask");
        }
        Inquiry<Q, R> inquiry = new Inquiry<>(calls, type, request, candidates, rules, observer, outcome);
        inquiry.ask(0);
        return inquiry;
    }

    /** Begins an inquiry without an observer. */
    public static <Q extends Message, R extends Message> Inquiry<Q, R> begin(
            NodeCalls calls,
            MessageType<Q, R> type,
            Q request,
            List<Target> candidates,
            Rules rules,
            Outcome<R> outcome) {
        return begin(calls, type, () -> request, candidates, rules, (number, named) -> {}, outcome);
    }

    /** Begins an inquiry and returns a future that completes on the thread that brings the answer. */
    public static <Q extends Message, R extends Message> CompletableFuture<R> future(
            NodeCalls calls,
            MessageType<Q, R> type,
            Supplier<Q> request,
            List<Target> candidates,
            Rules rules,
            Observer observer) {
        CompletableFuture<R> result = new CompletableFuture<>();
        begin(calls, type, request, candidates, rules, observer, (from, reply, failure) -> {
            if (reply != null) {
                result.complete(reply);
            } else if (failure != null) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    /** Stops the inquiry: no further candidate is asked, and the outcome is not called any more. */
    public synchronized void stop() {
        over = true;
    }

    private void ask(int number) {
        if (begins(number)) {
            new Attempt(number).begin();
        }
    }

    private synchronized boolean begins(int number) {
        if (number != asked || number == candidates.size() || over) {
            return false;
        }
        asked++;
        return true;
    }

    private synchronized boolean isOver() {
        return over;
    }

    private void answered(Target from, R reply) {
        if (ends(true)) {
            outcome.take(from, reply, null);
        }
    }

    private void failed(int number, Target from, Throwable failure) {
        if (ends(rules.isAnswer.test(failure) || isLast())) {
            outcome.take(from, null, failure);
        } else {
            ask(number + 1);
        }
    }

    private synchronized boolean isLast() {
        failed++;
        return failed == candidates.size();
    }

    private synchronized boolean ends(boolean now) {
        boolean first = now && !over;
        over |= now;
        return first;
    }

    /** One candidate, and the super-peers that are named from it on. */
    private final class Attempt {
        private final int number;
        private final boolean isLast;

        @GuardedBy("this")
        private @Nullable Timer silence;

        @GuardedBy("this")
        private boolean done;

        private Attempt(int number) {
            this.number = number;
            this.isLast = number + 1 == candidates.size();
        }

        private void begin() {
            observer.asks(number, false);
            send(candidates.get(number), isLast ? rules.lastNanos : rules.attemptNanos, isLast, rules.referrals);
            if (!isLast) {
                watch();
            }
        }

        private void send(Target target, long timeoutNanos, boolean patient, int referralsLeft) {
            calls.ask(
                    target,
                    type,
                    request,
                    timeoutNanos,
                    patient,
                    (reply, failure) -> came(target, referralsLeft, reply, failure));
        }

        private synchronized void watch() {
            if (done || rules.silenceNanos == Long.MAX_VALUE) {
                return;
            }
            try {
                silence = calls.scheduler().schedule(rules.silenceNanos, () -> ask(number + 1));
            } catch (RejectedExecutionException e) {
                // The scheduler was closed, and calls fail.
                done = true;
            }
        }

        private void came(Target from, int referralsLeft, @Nullable R reply, @Nullable Throwable failure) {
            HostAddress named = referralsLeft == 0 ? null : Refusals.namedBy(failure);
            if (named != null && !isOver()) {
                observer.asks(number, true);
                send(Target.at(named), rules.attemptNanos, true, referralsLeft - 1);
                return;
            }
            end();
            if (reply != null) {
                answered(from, reply);
            } else {
                failed(number, from, failure == null ? new IllegalStateException("no reply") : failure);
            }
        }

        private synchronized void end() {
            done = true;
            Timer watching = silence;
            if (watching != null) {
                watching.cancel();
            }
        }
    }
}
