package dev.granary.storage.door;

import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.storage.door.keys.Caller;
import dev.granary.storage.door.keys.KeyPlaces;
import dev.granary.storage.door.keys.Redirects;
import dev.granary.storage.door.keys.Refusals;
import dev.granary.storage.door.keys.Route;
import dev.granary.storage.door.keys.Route.Kind;
import dev.granary.storage.door.keys.Routes;
import dev.granary.storage.door.keys.Transaction;
import dev.granary.storage.door.notice.Notice;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.Client.Replies;
import dev.granary.storage.door.state.ClientRights;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.keyed.GroupCall;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedCalls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the requests of one connection, one after the other: the next one begins when the reply of the one before
 * is written. Of a pipeline, requests that follow each other and are for keys of one slot group each go together, as a
 * {@link Round}.
 *
 * <pre>
 *            a request             calls to slot groups
 *   READY -------------> HELD --------------------------> BUSY
 *     ^                   | answered by the door           |
 *     '-------------------+--------------------------------'
 * </pre>
 *
 * <p>While a request is held or its call runs, the decoder stands still, so that the request stays where it is; bytes
 * that come meanwhile wait in the inbox. I/O thread only, except where a method says otherwise.
 */
final class RequestLoop implements Caller, AutoCloseable {

    /** A pause may end early; who waits for it looks again after this time. */
    private static final long PAUSE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final DoorState door;
    private final Routes routes;
    private final KeyedCalls keyed;
    private final Channel channel;
    private final Client client;
    private final Output output;
    private final Runnable afterwards;
    private final RequestDecoder decoder;
    private final Transaction transaction;
    private final ClientRights rights;
    private final SlowRequests slow;
    private final Redirects redirects;
    private final Execution execution;
    private final PendingNotices notices;
    private final KeyPlaces places = new KeyPlaces();
    private final ArrayDeque<ByteBuf> inbox = new ArrayDeque<>();
    private final RoundSize roundSize = new RoundSize();
    private final Arrivals arrivals;
    private @Nullable Round collected;
    private @Nullable Round running;
    private boolean held;
    private boolean busy;
    private boolean paused;
    private boolean proceeding;
    private boolean finishing;
    private boolean closed;

    /**
     * The loop of a connection that has just been opened.
     *
     * @param afterwards called when something has been done that no caller of {@link #proceed} knows of: replies may be
     *     flushed
     */
    RequestLoop(
            DoorState door,
            Routes routes,
            KeyedCalls keyed,
            Channel channel,
            Client client,
            Output output,
            Runnable afterwards) {
        this.door = door;
        this.routes = routes;
        this.keyed = keyed;
        this.channel = channel;
        this.client = client;
        this.output = output;
        this.afterwards = afterwards;
        this.decoder = new RequestDecoder(door.config().limits().request(), channel.alloc());
        this.rights = new ClientRights(door, client);
        this.decoder.authenticated(!rights.mustAuthenticate());
        this.transaction = new Transaction(door.config().limits().request());
        this.slow = new SlowRequests(door);
        this.redirects = new Redirects(door);
        this.arrivals = new Arrivals(channel.eventLoop(), this::failed, this::arrived);
        this.notices = new PendingNotices(door, client, output);
        this.execution = new Execution(door, client, output, transaction, redirects, slow, places, rights);
    }

    /** Takes bytes from the client. */
    void received(ByteBuf bytes) {
        inbox.add(bytes);
    }

    /** Returns whether bytes wait because of something else than the client. */
    boolean isHeldUp() {
        return !inbox.isEmpty();
    }

    /** Returns whether every whole request that came is answered. */
    boolean isAtRest() {
        return !isBusy() && !held && collected == null && inbox.isEmpty();
    }

    /** Returns whether calls to slot groups are on their way, or their replies are not all written. */
    boolean isBusy() {
        return busy || running != null;
    }

    /** Returns whether nothing more is read or answered: the connection is to be closed when all is sent. */
    boolean isFinished() {
        return finishing && !isBusy();
    }

    /** Sends what is collected. Of the request that is being carried out nothing is written yet. */
    void flush() {
        output.flush();
        execution.flushed();
    }

    /** Tells the client of planned maintenance as soon as that cannot be mistaken for a reply. */
    void tell(Notice notice) {
        notices.add(notice);
        writeNotices();
    }

    private void writeNotices() {
        if (!notices.isEmpty() && !closed && !isBusy() && transaction.isEmpty()) {
            notices.write();
        }
    }

    /** Carries out nothing more; what is being carried out is answered. */
    void finish() {
        finishing = true;
    }

    int heldBytes() {
        if (closed) {
            return 0;
        }
        long bytes = decoder.heldBytes() + (long) transaction.heldBytes();
        bytes += collected == null ? 0 : collected.heldBytes();
        bytes += running == null ? 0 : running.heldBytes();
        for (ByteBuf waiting : inbox) {
            bytes += waiting.readableBytes();
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    Transaction transaction() {
        return transaction;
    }

    /** Goes as far as possible: until everything is read, a call is on its way, or the client takes no replies. */
    void proceed() {
        if (proceeding || closed) {
            return;
        }
        proceeding = true;
        try {
            boolean more = true;
            while (more && !closed) {
                output.flushIfMuch();
                more = running != null
                        ? writeRound(running)
                        : !busy && !paused && !finishing && channel.isWritable() && step();
            }
        } finally {
            proceeding = false;
        }
    }

    /** Does the next thing; false when there is none before more bytes come. */
    private boolean step() {
        if (!held) {
            writeNotices();
            switch (next()) {
                case MORE -> {
                    return collected != null && startRound(collected);
                }
                case REFUSED -> {
                    if (collected != null) {
                        return startRound(collected);
                    }
                    output.writer().error(decoder.refusal());
                    door.counters().error("ERR");
                    finishing = true;
                    return false;
                }
                case REQUEST -> held = true;
            }
        }
        handle(decoder.request());
        return true;
    }

    private RequestDecoder.Step next() {
        RequestDecoder.Step step = decoder.next();
        while (step == RequestDecoder.Step.MORE && !inbox.isEmpty()) {
            decoder.add(inbox.remove());
            step = decoder.next();
        }
        return step;
    }

    private void handle(Request request) {
        Route route = routes.find(request);
        boolean isKeyed = route != null
                && route.kind() == Kind.KEYS
                && !transaction.isOpen()
                && client.replies() != Replies.SKIP_NEXT
                && route.command().takes(request.count())
                && rights.allow(route.command(), request)
                && places.find(route.command(), request)
                && places.group() != KeyPlaces.SEVERAL
                && (places.slot() != KeyPlaces.SEVERAL || route.split() != null)
                && redirects.moved(client, places) == null;
        boolean joins = isKeyed
                && !door.pause().isOn()
                && (collected == null || collected.takes(request, roundSize.requests()));
        if (collected != null && !joins) {
            startRound(collected);
            return;
        }
        if (route != null && mustWait(route)) {
            return;
        }
        if (route != null && isKeyed) {
            if (collected != null || !answeredAtOnce(route, request)) {
                join(route, request);
            }
            return;
        }
        busy = true;
        execution.start(this, route, request);
    }

    /** Answers a request here and now if that can be; nothing has happened otherwise. */
    private boolean answeredAtOnce(Route route, Request request) {
        if (client.replies() != Replies.ON) {
            return false;
        }
        long beginNanos = door.clock().nanoTime();
        int mark = output.mark();
        KeyedCalls.AtOnce end = keyed.tryAtOnce(places.group(), route.command(), request, output.writer());
        if (end == KeyedCalls.AtOnce.NOT_DONE) {
            return false;
        }
        execution.note(route, request);
        client.asking(false);
        held = false;
        if (end == KeyedCalls.AtOnce.UNKNOWN) {
            GroupReply unknown = GroupReply.not(Outcome.UNKNOWN, "the change may be lost");
            output.writer().error(Refusals.text(unknown, places.group(), door.owners()));
        }
        execution.count(route, request, mark, door.clock().nanoTime() - beginNanos);
        return true;
    }

    private void join(Route route, Request request) {
        execution.note(route, request);
        client.asking(false);
        Round round = collected;
        if (round == null) {
            round = new Round();
            collected = round;
        }
        round.add(places.group(), route, request, channel.alloc());
        held = false;
    }

    /** Whether a client has asked that requests wait. */
    private boolean mustWait(Route route) {
        if (!door.pause().isOn() || route.kind() == Kind.LOCAL || transaction.queues(route)) {
            return false;
        }
        long wait = door.pause().waitNanos(door.clock().nanoTime(), route.isChange());
        if (wait == 0) {
            return false;
        }
        paused = true;
        var _ = channel.eventLoop().schedule(this::goOn, Math.min(wait, PAUSE_LOOK_NANOS), TimeUnit.NANOSECONDS);
        return true;
    }

    private void goOn() {
        paused = false;
        try {
            proceed();
            afterwards.run();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private boolean startRound(Round round) {
        collected = null;
        running = round;
        long now = door.clock().nanoTime();
        List<Run> runs = round.runs();
        List<GroupCall> calls = new ArrayList<>(runs.size());
        for (Run run : runs) {
            run.start(now, slow.keep(run.requests()));
            door.counters().groupCall(run.routes().size());
            calls.add(new GroupCall(
                    run.group(), client.protocol(), List.of(), run.routes().size(), run.requests()));
        }
        keyed.carryOut(calls, (call, reply) -> arrivals.add(reply, taken -> ran(round, runs.get(call), taken)));
        return true;
    }

    private void ran(Round round, Run run, GroupReply reply) {
        long nanos = run.ended(door.clock().nanoTime());
        slow.look(client, run.routes().getFirst(), run.kept(), nanos);
        ByteBuf content = reply.replies();
        if (content == null) {
            run.refused(Refusals.text(reply, run.group(), door.owners()));
            return;
        }
        boolean taken = false;
        try {
            if (!closed) {
                round.replied(run, content);
                taken = true;
            }
        } finally {
            if (!taken) {
                content.release();
            }
        }
    }

    /** Writes the replies that are there, as far as the client takes them; true when all are written. */
    private boolean writeRound(Round round) {
        while (!closed && round.hasNext()) {
            if (!channel.isWritable()) {
                output.flush();
                if (!channel.isWritable()) {
                    return false;
                }
            }
            round.writeNext(output, client.replies() != Replies.OFF, door.counters());
            output.flushIfMuch();
        }
        if (closed || !round.isWritten()) {
            return false;
        }
        running = null;
        roundSize.ended(round.requests(), round.replyBytes());
        return true;
    }

    @Override
    public DoorState door() {
        return door;
    }

    @Override
    public Client client() {
        return client;
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public ReplyWriter reply() {
        return output.writer();
    }

    @Override
    public void call(int group, List<WatchedKey> watched, int count, ByteBuf requests, Consumer<GroupReply> then) {
        if (closed) {
            requests.release();
            then.accept(GroupReply.not(Outcome.REFUSED, "the client is gone"));
            return;
        }
        door.counters().groupCall(count);
        keyed.carryOut(
                new GroupCall(group, client.protocol(), watched, count, requests), reply -> arrivals.add(reply, then));
    }

    @Override
    public <T> void await(CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> then) {
        var _ = future.whenComplete((value, failure) -> arrivals.add(() -> then.accept(value, failure)));
    }

    @Override
    public boolean isGone() {
        return closed;
    }

    /** Nobody knows which reply belongs to which request any more. */
    private void failed(RuntimeException cause) {
        channel.pipeline().fireExceptionCaught(cause);
    }

    private void arrived() {
        if (closed) {
            output.end();
        } else if (!proceeding) {
            proceed();
            afterwards.run();
        }
    }

    @Override
    public void done() {
        execution.end(closed ? null : decoder.request());
        decoder.authenticated(!rights.mustAuthenticate());
        held = false;
        busy = false;
    }

    /** Gives back everything that is held. Calls that are on their way end by themselves. */
    @Override
    public void close() {
        closed = true;
        if (collected != null) {
            collected.close();
            collected = null;
        }
        if (running != null) {
            running.close();
            running = null;
        }
        inbox.forEach(ByteBuf::release);
        inbox.clear();
        transaction.reset();
        decoder.close();
    }
}
