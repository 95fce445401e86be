package dev.granary.net.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Backoff;
import dev.granary.env.Clock;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.Transport;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.probe.NetProbe;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calling side of the connections to one node; there is one connection at a time.
 *
 * <pre>{@code
 *            call, back-off over           hello answered
 *   IDLE ---------------------> CONNECTING ----------------> OPEN
 *    ^ \                            |  failed: back-off       |  closed, or silent for too long
 *    |  \ unused                    v                         v
 *    |   +------> RETIRED <---- (IDLE) <----------------------+
 * }</pre>
 *
 * <p>Invariants: (1) in OPEN every pending call was handed to the connection; (2) in IDLE and CONNECTING none was; (3)
 * a call leaves the table exactly once, and the thread that takes it out completes it, without the lock. Thread-safe.
 */
final class ClientLink {

    /** The pauses between attempts to connect; they start again after a success. */
    static final Backoff BACKOFF = new Backoff(20_000_000, 500_000_000);

    /** The longest time from the start of an attempt to the answered hello. */
    static final long HELLO_LIMIT_NANOS = 5_000_000_000L;

    /**
     * How long a connection may bring nothing although a reply is due. Once a call has timed out, too, the link gives
     * the connection up: the machine of the other side may have lost power, and no packet says so.
     */
    static final long SILENCE_LIMIT_NANOS = 1_000_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(ClientLink.class);

    private enum State {
        IDLE,
        CONNECTING,
        OPEN,
        RETIRED
    }

    private final HostAddress remote;
    private final int expectedNid;
    private final RpcIdentity identity;
    private final Transport transport;
    private final Clock clock;
    private final Runnable whenLost;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final PendingCalls pending = new PendingCalls();

    @GuardedBy("lock")
    private State state = State.IDLE;

    @GuardedBy("lock")
    private @Nullable Attempt current;

    @GuardedBy("lock")
    private int failedAttempts;

    @GuardedBy("lock")
    private long retryAtNanos;

    /** Why the last connection ended, or could not be opened; empty when there is one, or there has been none. */
    @GuardedBy("lock")
    private String lastProblem = "";

    @GuardedBy("lock")
    private boolean unanswered;

    @GuardedBy("lock")
    private long unansweredSinceNanos;

    /**
     * Makes a link without a connection.
     *
     * @param whenLost runs without the lock for each connection that ended or could not be opened; not for
     *     {@link #retire}
     */
    ClientLink(
            HostAddress remote,
            int expectedNid,
            Transport transport,
            Clock clock,
            RpcIdentity identity,
            Runnable whenLost) {
        this.remote = remote;
        this.expectedNid = expectedNid;
        this.transport = transport;
        this.clock = clock;
        this.identity = identity;
        this.whenLost = whenLost;
        this.retryAtNanos = clock.nanoTime();
    }

    /**
     * Takes a call over; false when this link is retired and the call needs another one.
     *
     * @param patient whether the call waits while no connection is to be tried; it fails otherwise
     */
    boolean submit(PendingCall<?> call, boolean patient) {
        Attempt begin = null;
        Connection open = null;
        ByteBuf frame = null;
        boolean refused = false;
        synchronized (lock) {
            if (state == State.RETIRED) {
                return false;
            }
            if (!patient && state == State.IDLE && clock.nanoTime() - retryAtNanos < 0) {
                refused = true;
            } else if (pending.hasRoom()) {
                pending.add(call);
                if (state == State.OPEN) {
                    open = current == null ? null : current.connection;
                    frame = markSent(call);
                } else if (state == State.IDLE && clock.nanoTime() - retryAtNanos >= 0) {
                    begin = begin();
                }
            }
        }
        if (refused) {
            NetProbe.CALL_DID_NOT_WAIT.hit();
            call.fail(new ConnectionLostException(
                    "'%s' to %s: no connection could be opened a moment ago".formatted(call.typeName(), this),
                    null,
                    false));
        } else if (call.correlation == 0) {
            call.fail(new ConnectionLostException("too many calls wait for " + this, null, false));
        } else if (open != null && frame != null) {
            send(open, frame, call.correlation);
        } else if (begin != null) {
            begin.start();
        }
        return true;
    }

    /** Fails overdue calls, and opens the connection when the back-off is over. Returns whether to sweep again. */
    boolean sweep() {
        long now = clock.nanoTime();
        List<PendingCall<?>> expired;
        Attempt begin = null;
        Attempt giveUp = null;
        String problem = "";
        String before;
        synchronized (lock) {
            before = lastProblem;
            if (state == State.OPEN && !pending.mayExpire(now)) {
                // This is nearly always the case.
                return pending.size() > 0;
            }
            expired = pending.takeExpired(now);
            if (state == State.IDLE && pending.size() > 0 && now - retryAtNanos >= 0) {
                begin = begin();
            } else if (state == State.CONNECTING && current != null && now - current.startNanos > HELLO_LIMIT_NANOS) {
                giveUp = current;
                problem = "no answer to the hello";
            } else if (state == State.OPEN && !expired.isEmpty() && isSilent(now)) {
                giveUp = current;
                problem = "nothing came back although something was asked";
                NetProbe.SILENT_CONNECTION_GIVEN_UP.hit();
            }
        }
        for (PendingCall<?> call : expired) {
            NetProbe.CALL_TIMED_OUT.hit();
            boolean sent = call.isSent();
            call.fail(new CallTimeoutException(
                    "no reply of %s to '%s' within %d ms%s"
                            .formatted(this, call.typeName(), call.timeoutNanos / 1_000_000, sent ? "" : before),
                    sent));
        }
        if (giveUp != null) {
            giveUp.abandon(problem);
        }
        if (begin != null) {
            begin.start();
        }
        return isWaiting();
    }

    /** Returns whether calls wait, or a connection is being opened. */
    boolean isWaiting() {
        synchronized (lock) {
            boolean backingOff = state == State.IDLE && clock.nanoTime() - retryAtNanos < 0;
            return pending.size() > 0 || state == State.CONNECTING || backingOff;
        }
    }

    /** Retires the link when it has no connection and no call waits. Returns whether it is retired. */
    boolean retireIfUnused() {
        synchronized (lock) {
            if (state == State.IDLE && !isWaiting()) {
                state = State.RETIRED;
            }
            return state == State.RETIRED;
        }
    }

    /** Closes the connection and fails all calls. */
    void retire() {
        Attempt last;
        List<PendingCall<?>> calls;
        synchronized (lock) {
            last = current;
            current = null;
            state = State.RETIRED;
            calls = pending.takeAll();
        }
        if (last != null) {
            last.close();
        }
        fail(
                calls,
                call -> new ConnectionLostException(
                        "'%s' to %s: the client is closed".formatted(call.typeName(), this), null, call.isSent()));
    }

    @GuardedBy("lock")
    private boolean isSilent(long now) {
        assert Thread.holdsLock(lock);
        return unanswered && now - unansweredSinceNanos >= SILENCE_LIMIT_NANOS;
    }

    @GuardedBy("lock")
    private Attempt begin() {
        assert Thread.holdsLock(lock);
        assert current == null && pending.unsent().size() == pending.size()
                : "a call was sent before there is a connection";
        state = State.CONNECTING;
        Attempt attempt = new Attempt(clock.nanoTime());
        current = attempt;
        return attempt;
    }

    @GuardedBy("lock")
    private @Nullable ByteBuf markSent(PendingCall<?> call) {
        assert Thread.holdsLock(lock);
        ByteBuf frame = call.unsentFrame;
        call.unsentFrame = null;
        if (!unanswered) {
            unanswered = true;
            unansweredSinceNanos = clock.nanoTime();
        }
        return frame;
    }

    private static void send(Connection connection, ByteBuf frame, long correlation) {
        frame.setLongLE(frame.readerIndex() + Frame.CORRELATION_OFFSET, correlation);
        Frame.finish(frame);
        connection.send(frame);
    }

    private static void fail(List<PendingCall<?>> calls, Function<PendingCall<?>, RpcException> reason) {
        for (PendingCall<?> call : calls) {
            call.fail(reason.apply(call));
        }
    }

    @Override
    public String toString() {
        return expectedNid == Nid.NONE ? remote.toString() : Nid.toHex(expectedNid) + " at " + remote;
    }

    /** One connection, from the attempt to open it to its end. */
    private final class Attempt implements ConnectionHandler {

        private final long startNanos;
        private final CallerGreeting greeting = new CallerGreeting(identity, expectedNid);
        private @Nullable Connection connection;

        Attempt(long startNanos) {
            this.startNanos = startNanos;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // both outcomes are taken care of
        void start() {
            LOG.debug("connecting to {}", ClientLink.this);
            transport.connect(remote, this).whenComplete((opened, failure) -> {
                if (failure != null) {
                    ended(failure, null);
                } else {
                    greet(opened);
                }
            });
        }

        private void greet(Connection opened) {
            synchronized (lock) {
                if (current == this) {
                    connection = opened;
                }
            }
            if (connection == null) {
                opened.close();
                return;
            }
            send(opened, greeting.begin(opened.allocator()), 0);
        }

        @Override
        public void onFrame(Connection from, ByteBuf frame) {
            try {
                Frame.check(frame);
                receive(from, frame);
            } catch (FrameException e) {
                LOG.warn("closing the connection to {}: {}", ClientLink.this, e.getMessage());
                ended(e, null);
                from.close();
            }
        }

        private void receive(Connection from, ByteBuf frame) {
            int kind = Frame.kind(frame);
            int type = Frame.type(frame);
            long correlation = Frame.correlation(frame);
            if (kind == Frame.KIND_REQUEST) {
                throw new FrameException("a request from the called side");
            }
            PendingCall<?> call;
            boolean greeted;
            synchronized (lock) {
                if (current != this) {
                    return;
                }
                greeted = state == State.OPEN;
                call = greeted ? pending.take(correlation) : null;
                unanswered = greeted && pending.size() > 0;
                unansweredSinceNanos = clock.nanoTime();
            }
            frame.skipBytes(Frame.HEADER_BYTES);
            if (!greeted) {
                receiveGreeting(from, kind, type, correlation, frame);
                return;
            }
            if (call == null) {
                LOG.debug("a late reply of {} to '{}' is dropped", ClientLink.this, MessageType.nameOf(type));
                NetProbe.LATE_REPLY_DROPPED.hit();
            } else if (kind == Frame.KIND_ERROR) {
                ErrorReply error = CallerGreeting.readError(frame);
                call.fail(new RemoteErrorException(
                        "%s refuses '%s': %s (%s)"
                                .formatted(ClientLink.this, call.typeName(), error.message(), error.code()),
                        error));
            } else {
                call.completeFrom(frame, ClientLink.this);
            }
        }

        private void receiveGreeting(Connection from, int kind, int type, long correlation, ByteBuf payload) {
            if (correlation != 0) {
                throw new FrameException("the first reply does not answer the hello");
            }
            CallerGreeting.Step step = greeting.take(from.allocator(), from.proof(), kind, type, payload);
            ErrorReply refusal = step.refusal();
            ByteBuf next = step.next();
            if (refusal != null) {
                NetProbe.HELLO_REFUSED.hit();
                ended(null, refusal);
                from.close();
            } else if (next != null) {
                send(from, next, 0);
            } else {
                from.greeted();
                opened(from);
            }
        }

        private void opened(Connection from) {
            List<PendingCall<?>> waiting;
            ByteBuf[] frames;
            synchronized (lock) {
                if (current != this) {
                    return;
                }
                state = State.OPEN;
                failedAttempts = 0;
                lastProblem = "";
                waiting = pending.unsent();
                frames = new ByteBuf[waiting.size()];
                for (int i = 0; i < frames.length; i++) {
                    frames[i] = markSent(waiting.get(i));
                }
                assert pending.unsent().isEmpty() : "a call waits beside an open connection";
            }
            LOG.debug("connected to {}", ClientLink.this);
            NetProbe.CALLS_WAITED_FOR_A_CONNECTION.hitIf(!waiting.isEmpty());
            for (int i = 0; i < frames.length; i++) {
                send(from, frames[i], waiting.get(i).correlation);
            }
        }

        @Override
        public void onClosed(Connection from, @Nullable Throwable cause) {
            ended(cause, null);
        }

        void abandon(String problem) {
            ended(new IllegalStateException(problem), null);
            close();
        }

        void close() {
            Connection open;
            synchronized (lock) {
                open = connection;
            }
            if (open != null) {
                open.close();
            }
        }

        /** Fails the calls of a connection that has ended or could not be opened. */
        private void ended(@Nullable Throwable cause, @Nullable ErrorReply refusal) {
            List<PendingCall<?>> calls;
            boolean wasOpen;
            String problem;
            String why = cause == null ? "" : ": " + cause.getMessage();
            synchronized (lock) {
                if (current != this) {
                    return;
                }
                wasOpen = state == State.OPEN;
                problem = wasOpen ? "the connection was lost" : "no connection could be opened";
                lastProblem = ": " + problem + (refusal == null ? why : ": " + refusal.message());
                current = null;
                state = State.IDLE;
                unanswered = false;
                failedAttempts = wasOpen ? 0 : failedAttempts + 1;
                retryAtNanos = clock.nanoTime() + BACKOFF.nanos(failedAttempts);
                calls = pending.takeAll();
            }
            NetProbe.CALLS_LOST.hitIf(wasOpen && !calls.isEmpty());
            NetProbe.CONNECTION_FAILED.hitIf(!wasOpen);
            LOG.debug("{} to {}{}", problem, ClientLink.this, why);
            if (refusal != null) {
                fail(
                        calls,
                        call -> new RemoteErrorException(
                                "%s refuses '%s': %s (%s)"
                                        .formatted(ClientLink.this, call.typeName(), refusal.message(), refusal.code()),
                                refusal));
            } else {
                fail(
                        calls,
                        call -> new ConnectionLostException(
                                "'%s' to %s: %s%s".formatted(call.typeName(), ClientLink.this, problem, why),
                                cause,
                                call.isSent()));
            }
            whenLost.run();
        }
    }
}
