package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.granary.log.batch.Batch;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.ReplicationMessages.CopyFilled;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.FillData;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The remote side of replication: a backup that keeps what it is sent, by the rules of the real one, and answers as a
 * test wants.
 */
public final class AnsweringBackup implements RequestHandler {

    private static final int PORT = 7500;

    public final int nid;
    final HostAddress address;
    final SimulatedNode machine;
    final Map<Integer, Copy> copies = new TreeMap<>();
    final List<Integer> dropped = new ArrayList<>();

    /** The answer to all changes; null for the true answer. */
    @Nullable
    CopyResult answer;

    /** Whether it keeps its answers back; it still takes what it is sent. */
    public boolean silent;

    /** The answers that wait for {@link #answerAll}. */
    final List<Runnable> unanswered = new ArrayList<>();

    boolean holding;

    /** Whether it holds answers to syncs, as a busy disk does. */
    boolean holdingSyncs;

    /** Whether it holds answers to openings of copies, as a busy disk does. */
    boolean holdingOpenings;

    /** Whether it holds the answer to the end of a fill, before which a backup syncs what it was sent. */
    boolean holdingFilled;

    /** By zone, the sequence up to which all in-sync backups hold everything, as the owner has said last. */
    final Map<Integer, Long> acknowledged = new TreeMap<>();

    int requests;
    int syncRequests;

    /** The copy of a zone. */
    static final class Copy {
        long epoch;
        long last;
        boolean filling;
        boolean filled;
        int nextStep;
        List<Integer> members = List.of();
        final TreeMap<Long, ByteBuffer> batches = new TreeMap<>();
        final List<ByteBuffer> base = new ArrayList<>();
    }

    public AnsweringBackup(Simulation world, AnsweringSuperPeer superPeer, int nid) {
        this.nid = nid;
        String host = "backup-" + Integer.toHexString(nid);
        this.address = new HostAddress(host, PORT);
        this.machine = world.node(host);
        superPeer.addresses.put(nid, address);
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, nid);
        identity.joinCluster(superPeer.clusterId);
        identity.takeNid(nid);
        machine.restart(started -> {
            var _ = started.transport().listen(address, new RpcServer(identity, this));
        });
    }

    Copy copy(int zone) {
        Copy copy = copies.get(zone);
        if (copy == null) {
            throw new AssertionError("no copy of zone " + zone);
        }
        return copy;
    }

    /** Returns the chunks of a zone as a recovery would find them. */
    Map<Long, String> replay(int zone) {
        Map<Long, String> chunks = new TreeMap<>();
        EntryVisitor visitor = new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                chunks.put(cid, new String(bytes.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8));
            }

            @Override
            public void tombstone(long cid, long epoch, long sequence) {
                chunks.remove(cid);
            }
        };
        Copy copy = copy(zone);
        copy.base.forEach(batch -> decode(batch).forEach(visitor));
        copy.batches.values().forEach(batch -> decode(batch).forEach(visitor));
        return chunks;
    }

    private static Batch decode(ByteBuffer bytes) {
        Batch batch = Batch.of(bytes);
        if (batch == null) {
            throw new AssertionError("not an intact batch");
        }
        return batch;
    }

    public void answerAll() {
        List<Runnable> all = List.copyOf(unanswered);
        unanswered.clear();
        all.forEach(Runnable::run);
    }

    @Override
    public void handle(RpcRequest request) {
        if (request.type() == MessageType.REPLICATE) {
            replicate(request);
        } else if (request.type() == MessageType.OPEN_COPIES.code()) {
            OpenCopies open = request.read(MessageType.OPEN_COPIES);
            List<CopyState> states = open.copies().stream().map(this::open).toList();
            afterDisk(holdingOpenings, () -> request.reply(new CopyStates(states)));
        } else if (request.type() == MessageType.FILL_DATA) {
            CopyState state = fill(FillData.read(request.payload()), request.payload());
            reply(() -> request.reply(state));
        } else if (request.type() == MessageType.COPY_FILLED.code()) {
            CopyFilled filled = request.read(MessageType.COPY_FILLED);
            Copy copy = copy(filled.zone());
            copy.filled = copy.nextStep == filled.steps();
            CopyState state = state(filled.zone(), copy.filled ? CopyResult.OK : CopyResult.GAP);
            afterDisk(holdingFilled, () -> request.reply(state));
        } else if (request.type() == MessageType.DROP_COPIES.code()) {
            DropCopies drop = request.read(MessageType.DROP_COPIES);
            drop.zones().forEach(zone -> {
                copies.remove(zone.zone());
                dropped.add(zone.zone());
            });
            request.reply(new Empty());
        } else {
            request.fail(ErrorCode.BAD_REQUEST, "not in this test");
        }
    }

    private void afterDisk(boolean held, Runnable answering) {
        if (held) {
            unanswered.add(answering);
        } else {
            reply(answering);
        }
    }

    private void reply(Runnable answering) {
        if (holding) {
            unanswered.add(answering);
        } else if (!silent) {
            answering.run();
        }
    }

    private CopyState open(OpenCopies.Opening wanted) {
        Copy copy = copies.get(wanted.zone());
        if (copy == null && !wanted.filling() && wanted.baseSequence() > 0) {
            return new CopyState(wanted.zone(), CopyResult.UNKNOWN_ZONE, 0, 0);
        }
        if (copy == null || (wanted.filling() && wanted.epoch() > copy.epoch)) {
            copy = new Copy();
            copy.last = wanted.baseSequence();
            copy.filling = wanted.filling();
            copy.filled = !wanted.filling();
            copies.put(wanted.zone(), copy);
        }
        if (wanted.epoch() < copy.epoch) {
            return state(wanted.zone(), CopyResult.FENCED);
        }
        if (wanted.epoch() > copy.epoch && copy.epoch > 0) {
            copy.batches.tailMap(wanted.baseSequence(), false).clear();
            copy.last = Math.min(copy.last, wanted.baseSequence());
        }
        copy.epoch = wanted.epoch();
        copy.members = wanted.members();
        return state(wanted.zone(), CopyResult.OK);
    }

    private CopyState state(int zone, CopyResult result) {
        Copy copy = copies.get(zone);
        return copy == null
                ? new CopyState(zone, CopyResult.UNKNOWN_ZONE, 0, 0)
                : new CopyState(zone, result, copy.epoch, copy.last);
    }

    private CopyState fill(FillData header, ByteBuf in) {
        Copy copy = copy(header.zone());
        if (header.step() == copy.nextStep) {
            for (ByteBuffer batch : batches(in, in.readableBytes())) {
                copy.base.add(batch);
            }
            copy.nextStep++;
        }
        return state(header.zone(), CopyResult.OK);
    }

    private void replicate(RpcRequest request) {
        ByteBuf in = request.payload();
        Replicate header = Replicate.read(in);
        requests++;
        syncRequests += header.flags() & Replicate.FLAG_SYNC;
        List<CopyState> states = new ArrayList<>();
        for (int i = 0; i < header.zones(); i++) {
            int zone = in.readIntLE();
            long epoch = in.readLongLE();
            acknowledged.put(zone, in.readLongLE());
            List<ByteBuffer> batches = batches(in, in.readIntLE());
            states.add(answer != null ? state(zone, answer) : take(zone, epoch, batches));
        }
        afterDisk(holdingSyncs && (header.flags() & Replicate.FLAG_SYNC) != 0, () -> {
            ByteBuf out = request.startReply(states.size() * CopyState.BYTES + 2);
            out.writeShortLE(states.size());
            states.forEach(state -> state.writeTo(out));
            request.reply(out);
        });
    }

    private CopyState take(int zone, long epoch, List<ByteBuffer> batches) {
        Copy copy = copies.get(zone);
        if (copy == null || epoch > copy.epoch) {
            return new CopyState(zone, CopyResult.UNKNOWN_ZONE, 0, 0);
        }
        if (epoch < copy.epoch) {
            return state(zone, CopyResult.FENCED);
        }
        // A part without batches asks how far the copy goes.
        for (ByteBuffer bytes : batches) {
            Batch batch = decode(bytes);
            if (batch.zone() != zone || batch.epoch() != epoch) {
                return state(zone, CopyResult.FAILED);
            }
            if (batch.sequence() > copy.last + 1) {
                return state(zone, CopyResult.GAP);
            }
            if (batch.sequence() == copy.last + 1) {
                copy.batches.put(batch.sequence(), bytes);
                copy.last++;
            }
        }
        return state(zone, CopyResult.OK);
    }

    /** Splits bytes into batches: the size of each is a varint behind checksum and kind. */
    private static List<ByteBuffer> batches(ByteBuf in, int sizeBytes) {
        byte[] all = new byte[sizeBytes];
        in.readBytes(all);
        List<ByteBuffer> batches = new ArrayList<>();
        for (int at = 0; at < sizeBytes; ) {
            int end = at + 5;
            int size = 0;
            int shift = 0;
            do {
                size |= (all[end] & 0x7F) << shift;
                shift += 7;
            } while (all[end++] < 0);
            end += size;
            batches.add(ByteBuffer.wrap(Arrays.copyOfRange(all, at, end)));
            at = end;
        }
        return batches;
    }
}
