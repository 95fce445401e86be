package dev.granary.superpeer.arc;

import dev.granary.env.Loop;
import dev.granary.env.Steps;
import dev.granary.net.message.Blob;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.ArcPart;
import dev.granary.net.message.RingMessages.ArcPartReply;
import dev.granary.net.message.RingMessages.SwitchRing;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Committer;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.UnderWay;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves parts of an arc while this super-peer leads it (ADR 0089). Looks at the committed ring and does the next step
 * of its own side. As the target, it asks for the part, imports it and lets the ring switch. As the source, it seals
 * the part and hands it out. Both sides finish a transfer that the ring has switched or cancelled. Each step is a
 * command that may come again, so the next leader can go on. Tasks of the node's scheduler.
 */
public final class ArcTransfers {

    private static final Logger LOG = LoggerFactory.getLogger(ArcTransfers.class);

    private static final int PIECE_BYTES = 256 << 10;
    private static final int HEARTBEATS_PER_LOOK = 2;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * The limit of one step. A leader that commits nothing for 60 seconds has lost its leadership, and calls end much
     * earlier.
     */
    private static final long STEP_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final RingBook book;
    private final ArcReplica arc;
    private final ArcCaller arcs;
    private final Committer<ArcCommand, ArcResult> committer;
    private final UnderWay work;
    private final Loop loop;
    private final Steps steps;
    private @Nullable Export export;

    /** The last part that was fetched or rebuilt. It is kept while the work is under way. */
    private @Nullable Fetch fetching;

    /** A part that is being handed out. It is kept while the part is sealed. */
    private record Export(int operation, ByteBuf bytes, int checksum) {}

    /** A part that is being fetched. */
    private static final class Fetch {
        private final long piece;
        private final RingOperation operation;
        private final Arc part;
        private final ByteBuf bytes = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        private int totalBytes = -1;
        private int checksum;

        private Fetch(long piece, RingOperation operation, Arc part) {
            this.piece = piece;
            this.operation = operation;
            this.part = part;
        }
    }

    ArcTransfers(
            Node node,
            RaftHost host,
            RingBook book,
            ArcReplica arc,
            ArcCaller arcs,
            Committer<ArcCommand, ArcResult> committer) {
        this.book = book;
        this.arc = arc;
        this.arcs = arcs;
        this.committer = committer;
        this.steps = new Steps(node.environment().scheduler(), "arc-parts", host.heartbeatNanos());
        this.work = UnderWay.within(STEP_LIMIT_NANOS, HEARTBEATS_PER_LOOK * host.heartbeatNanos());
        this.loop = Loop.every(
                        node.environment().scheduler(),
                        "arc-transfers",
                        () -> HEARTBEATS_PER_LOOK * host.heartbeatNanos(),
                        this::tick)
                .vital();
    }

    /** Starts to look for steps, as this super-peer leads the arc now. */
    void begin() {
        work.forget();
        export = null;
        fetching = null;
        loop.begin();
    }

    private void tick() {
        if (!arc.leads()) {
            loop.stop();
            return;
        }
        if (work.givesUp()) {
            throw new IllegalStateException("a step of moving a part of the arc " + Nid.toHex(arc.ownerNid())
                    + " has not ended; it is taken again");
        }
        look();
        if (!work.isBusy()) {
            fetching = null;
        }
    }

    /** Does the next step, if there is one and none is under way. */
    void look() {
        RingView view = book.view();
        if (work.isBusy() || view == null || !arc.leads()) {
            return;
        }
        ArcState state = arc.state();
        int leaving = state.leavingBy();
        int coming = state.comingBy();
        if (leaving != 0 && isOver(view, leaving)) {
            boolean switched = view.generationOf(state.leavingPart().toInclusive()) == leaving;
            SuperPeerProbe.ARC_PART_HANDED_OVER.hitIf(switched);
            commit(switched ? new ArcTransfer.Drop(leaving) : new ArcTransfer.Unseal(leaving));
        } else if (coming != 0 && isOver(view, coming)) {
            int mover = state.comingPart().toInclusive();
            boolean switched = mover == arc.ownerNid() ? view.generationOf(mover) == coming : !view.isMember(mover);
            SuperPeerProbe.ARC_PART_ACCEPTED.hitIf(switched);
            commit(switched ? new ArcTransfer.Accept(coming) : new ArcTransfer.Discard(coming));
        } else if (view.operation() != null && isTarget(view, view.operation())) {
            goOn(view, view.operation());
        }
    }

    /**
     * Whether this super-peer knows that the ring is done with an operation. A view from before the operation cannot
     * tell.
     */
    private boolean isOver(RingView view, int operation) {
        return view.version() >= arc.state().movingSince(operation) && !view.isUnderWay(operation);
    }

    private boolean isTarget(RingView view, RingOperation operation) {
        boolean keepsIt = operation.kind() == RingOperation.Kind.REBUILD && view.size() == 1;
        if (operation.kind() == RingOperation.Kind.PROMOTE || keepsIt) {
            return arc.ownerNid() == operation.nid() && arc.generation() == operation.id();
        }
        return view.isMember(operation.nid()) && arc.ownerNid() == successorOf(view.ring(), operation.nid());
    }

    private static int successorOf(Ring ring, int nid) {
        List<RingMember> holders = ring.holdersOf(nid);
        return holders.size() > 1 ? holders.get(1).nid() : Nid.NONE;
    }

    /** Returns the part that an operation moves. */
    private static Arc partOf(RingView view, RingOperation operation) {
        return view.ringWith(operation.nid()).arcOf(operation.nid());
    }

    private void goOn(RingView view, RingOperation operation) {
        ArcState state = arc.state();
        if (state.comingBy() == operation.id() && state.hasArrived()) {
            letRingSwitch(operation);
        } else if (operation.kind() != RingOperation.Kind.REBUILD && mayTake(operation)) {
            long piece = work.begin();
            steps.run(() -> fetch(new Fetch(piece, operation, partOf(view, operation))), () -> work.end(piece));
        }
    }

    private boolean mayTake(RingOperation operation) {
        int coming = arc.state().comingBy();
        return arc.isComplete()
                && (coming == 0 || coming == operation.id())
                && !arc.state().isArrivalOver(operation.id());
    }

    /** Returns the part that this arc is to take from a rebuild, as its replicas are lost; null when there is none. */
    @Nullable
    public Arc partToRebuild() {
        RingView view = book.view();
        RingOperation operation = view == null ? null : view.operation();
        return view != null
                        && operation != null
                        && arc.leads()
                        && operation.kind() == RingOperation.Kind.REBUILD
                        && isTarget(view, operation)
                ? partOf(view, operation)
                : null;
    }

    /**
     * Takes a part of an arc that was rebuilt from reports, if this member can take the part now. If not, the caller
     * has to rebuild the part again.
     *
     * @return whether the part is being taken
     */
    public boolean takeRebuilt(ArcState rebuilt) {
        RingView view = book.view();
        RingOperation operation = view == null ? null : view.operation();
        Arc part = partToRebuild();
        boolean takes = view != null
                && operation != null
                && part != null
                && !work.isBusy()
                && mayTake(operation)
                && !(arc.state().comingBy() == operation.id() && arc.state().hasArrived());
        if (!takes) {
            return false;
        }
        long piece = work.begin();
        steps.run(
                () -> {
                    Fetch fetch = new Fetch(piece, Objects.requireNonNull(operation), Objects.requireNonNull(part));
                    rebuilt.writePart(fetch.part, fetch.bytes);
                    fetching = fetch;
                    fetch.totalBytes = fetch.bytes.readableBytes();
                    importFrom(fetch, 0);
                },
                () -> work.end(piece));
        return true;
    }

    /**
     * Commits the end of a transfer. Then the services of the leader start again, as they know the arc as it was
     * before.
     */
    private void commit(ArcTransfer command) {
        long piece = work.begin();
        steps.run(
                () -> Async.whenDone(committer.commit(command), (result, failure) -> {
                    // Restart the services also when this piece of work was given up: they know the arc as it was
                    // before.
                    work.end(piece);
                    if (failure == null) {
                        LOG.atInfo()
                                .addKeyValue("arc", Nid.toHex(arc.ownerNid()))
                                .log("moving a part: {}", command);
                        steps.run(this::beginAnew, this::beginAnew);
                    }
                }),
                () -> work.end(piece));
    }

    private void beginAnew() {
        export = null;
        arc.restartServices();
    }

    private void fetch(Fetch fetch) {
        fetching = fetch;
        ArcPart request = new ArcPart(
                fetch.operation.nid(), fetch.operation.id(), fetch.operation.version(), fetch.bytes.readableBytes());
        arcs.call(
                fetch.operation.nid(),
                MessageType.ARC_PART,
                request,
                (reply, failure) -> steps.run(() -> fetched(fetch, reply), () -> work.end(fetch.piece)));
    }

    private void fetched(Fetch fetch, @Nullable ArcPartReply reply) {
        if (!work.goesOn(fetch.piece)) {
            return;
        }
        if (reply == null || !take(fetch, reply)) {
            work.end(fetch.piece);
        } else if (fetch.bytes.readableBytes() < fetch.totalBytes) {
            fetch(fetch);
        } else if (checksum(fetch.bytes) != fetch.checksum) {
            work.end(fetch.piece);
            LOG.atWarn().log("a part of an arc has arrived damaged, fetching it again");
        } else {
            importFrom(fetch, 0);
        }
    }

    /** Appends a piece. Returns false when it is of another state of the part than the pieces before. */
    private static boolean take(Fetch fetch, ArcPartReply reply) {
        if (fetch.totalBytes < 0) {
            fetch.totalBytes = reply.totalBytes();
            fetch.checksum = reply.checksum();
        }
        fetch.bytes.writeBytes(reply.piece().bytes());
        boolean moves = reply.piece().bytes().length > 0;
        return moves && fetch.totalBytes == reply.totalBytes() && fetch.checksum == reply.checksum();
    }

    private void importFrom(Fetch fetch, int offset) {
        byte[] piece = new byte[Math.min(PIECE_BYTES, fetch.totalBytes - offset)];
        fetch.bytes.getBytes(offset, piece);
        ArcTransfer.Import command = new ArcTransfer.Import(
                fetch.operation.id(), fetch.part, fetch.operation.version(), offset, fetch.totalBytes, piece);
        int next = offset + piece.length;
        Async.whenDone(
                committer.commit(command),
                (result, failure) -> steps.run(
                        () -> {
                            if (!work.goesOn(fetch.piece)) {
                                return;
                            }
                            if (failure == null && result instanceof ArcResult.Applied && next < fetch.totalBytes) {
                                importFrom(fetch, next);
                                return;
                            }
                            work.end(fetch.piece);
                            if (failure == null) {
                                look();
                            }
                        },
                        () -> work.end(fetch.piece)));
    }

    private void letRingSwitch(RingOperation operation) {
        long piece = work.begin();
        Runnable then = () -> {
            if (work.end(piece)) {
                look();
            }
        };
        steps.run(() -> arc.membership().letSwitch(new SwitchRing(operation.id()), then), then);
    }

    /** Hands out a piece of the part that an operation moves away from this arc. Seals the part first. */
    void send(RpcRequest request, ArcPart wanted) {
        RingView view = book.view();
        RingOperation operation = view == null ? null : view.operation();
        if (view == null || operation == null || operation.id() != wanted.operation()) {
            SuperPeerProbe.PART_OF_AN_UNKNOWN_OPERATION.hit();
            request.fail(ErrorReply.retryLater(
                    RETRY_NANOS, "operation " + wanted.operation() + " of the ring is not known here to be under way"));
            return;
        }
        ArcTransfer.Seal seal = new ArcTransfer.Seal(operation.id(), partOf(view, operation), operation.version());
        if (arc.state().leavingBy() == operation.id()) {
            sendSealed(request, wanted);
            return;
        }
        Answers.whenCommitted(request, committer.commit(seal), result -> {
            LOG.atInfo().addKeyValue("arc", Nid.toHex(arc.ownerNid())).log("sealed a part: {}", seal);
            SuperPeerProbe.ARC_SPLIT.hit();
            SuperPeerProbe.ARC_SPLIT_DURING_A_RECOVERY.hitIf(
                    arc.state().zones().stream().anyMatch(ZoneRecord::isRecovering));
            SuperPeerProbe.ARC_SPLIT_DURING_A_MIGRATION.hitIf(
                    !arc.state().runningMigrations().isEmpty());
            sendSealed(request, wanted);
        });
    }

    private void sendSealed(RpcRequest request, ArcPart wanted) {
        Export current = export;
        if (current == null || current.operation != wanted.operation()) {
            // In pieces: an array that grows would be in memory three times.
            ByteBuf bytes = Unpooled.compositeBuffer(Integer.MAX_VALUE);
            arc.state().writePart(arc.state().leavingPart(), bytes);
            current = new Export(wanted.operation(), bytes, checksum(bytes));
            export = current;
        }
        int totalBytes = current.bytes.readableBytes();
        if (wanted.offset() < 0 || wanted.offset() >= totalBytes) {
            request.fail(ErrorCode.BAD_REQUEST, "the part has " + totalBytes + " bytes");
            return;
        }
        byte[] piece = new byte[Math.min(totalBytes - wanted.offset(), PIECE_BYTES)];
        current.bytes.getBytes(wanted.offset(), piece);
        request.reply(new ArcPartReply(totalBytes, current.checksum, new Blob(piece)));
    }

    /** Returns the bytes of the part that is being handed out or fetched. */
    long bytes() {
        Export out = export;
        Fetch in = fetching;
        long outBytes = out == null ? 0 : out.bytes.readableBytes();
        return outBytes + (in == null || !work.isBusy() ? 0 : in.bytes.readableBytes());
    }

    private static int checksum(ByteBuf bytes) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer piece : bytes.nioBuffers()) {
            crc.update(piece);
        }
        return (int) crc.getValue();
    }
}
