package dev.granary.storage.backup;

import dev.granary.log.batch.BatchWriter;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyFilled;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import dev.granary.net.message.ReplicationMessages.FetchedCopy;
import dev.granary.net.message.ReplicationMessages.FillData;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.testkit.Callers;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Talks to backups as an owner and a super-peer do, and waits for their answers on virtual time. */
public final class Owner {

    public static final int NID = 0x4000;

    private static final long TIMEOUT_NANOS = 5_000_000_000L;
    private static final long LIMIT_NANOS = 20_000_000_000L;

    private final Simulation world;
    private final Callers rpc;
    private final BatchWriter writer = new BatchWriter();

    /** The cluster to which it claims to belong. */
    public UUID cluster = BackupPeer.CLUSTER;

    public Owner(Simulation world) {
        this.world = world;
        List<Callers> made = new ArrayList<>();
        world.node("owner").start(started -> made.add(new Callers(started)));
        if (!world.runUntil(() -> !made.isEmpty(), LIMIT_NANOS)) {
            throw new AssertionError("the owner does not start");
        }
        this.rpc = made.getFirst();
    }

    /** Returns a batch with the entries that an action adds. */
    public byte[] batch(int zone, long epoch, long sequence, Consumer<BatchWriter> entries) {
        writer.start(zone, epoch, sequence);
        entries.accept(writer);
        ByteBuffer finished = writer.finish();
        byte[] bytes = new byte[finished.remaining()];
        finished.get(bytes);
        return bytes;
    }

    public CopyState open(BackupPeer at, int zone, long epoch, long base, boolean filling) {
        OpenCopies.Opening copy = new OpenCopies.Opening(zone, epoch, List.of(at.nid()), base, filling);
        return call(at, MessageType.OPEN_COPIES, new OpenCopies(cluster, NID, List.of(copy)))
                .copies()
                .getFirst();
    }

    public CopyState replicate(BackupPeer at, int zone, long epoch, boolean sync, byte[]... batches) {
        return await(replicateLater(at, zone, epoch, sync, batches));
    }

    public CompletableFuture<CopyState> replicateLater(
            BackupPeer at, int zone, long epoch, boolean sync, byte[]... batches) {
        return rpc.call(
                at.address(),
                at.nid(),
                MessageType.REPLICATE,
                out -> {
                    new Replicate(cluster, NID, sync ? Replicate.FLAG_SYNC : 0, 1).writeTo(out);
                    int size = 0;
                    for (byte[] batch : batches) {
                        size += batch.length;
                    }
                    out.writeIntLE(zone).writeLongLE(epoch).writeLongLE(0).writeIntLE(size);
                    for (byte[] batch : batches) {
                        out.writeBytes(batch);
                    }
                },
                Owner::onlyState,
                TIMEOUT_NANOS);
    }

    private static CopyState onlyState(ByteBuf in) {
        if (in.readUnsignedShortLE() != 1) {
            throw new IllegalArgumentException("one state was expected");
        }
        return CopyState.read(in);
    }

    public CopyState fill(BackupPeer at, int zone, long epoch, int step, byte[]... batches) {
        return await(rpc.call(
                at.address(),
                at.nid(),
                MessageType.FILL_DATA,
                out -> {
                    new FillData(cluster, NID, zone, epoch, step).writeTo(out);
                    for (byte[] batch : batches) {
                        out.writeBytes(batch);
                    }
                },
                CopyState::read,
                TIMEOUT_NANOS));
    }

    public CopyState filled(BackupPeer at, int zone, long epoch, int steps) {
        return call(at, MessageType.COPY_FILLED, new CopyFilled(cluster, NID, zone, epoch, steps, 0));
    }

    public SealedCopies.Copy seal(BackupPeer at, int zone, long epoch) {
        return call(at, MessageType.SEAL_ZONES, new SealZones(cluster, List.of(new ZoneEpoch(zone, epoch))))
                .copies()
                .getFirst();
    }

    public void drop(BackupPeer at, int zone, long epoch) {
        call(at, MessageType.DROP_COPIES, new DropCopies(cluster, List.of(new ZoneEpoch(zone, epoch))));
    }

    public FetchedCopy fetch(BackupPeer at, int zone, long epoch, long upTo, long cursor) {
        return call(at, MessageType.FETCH_COPY, new FetchCopy(cluster, zone, epoch, upTo, cursor));
    }

    public <Q extends Message, R extends Message> R call(BackupPeer at, MessageType<Q, R> type, Q request) {
        return await(rpc.call(at.address(), at.nid(), type, request, TIMEOUT_NANOS));
    }

    /** Notices that the connections to a machine that lost its power, that of each role, are gone. */
    public void reconnect(BackupPeer at) {
        CompletableFuture<?> asSuperPeer =
                rpc.call(at.address(), at.nid(), MessageType.LIST_COPIES, new ListCopies(0, 0), TIMEOUT_NANOS);
        CompletableFuture<?> asOwner = rpc.call(
                at.address(),
                at.nid(),
                MessageType.OPEN_COPIES,
                new OpenCopies(cluster, NID, List.of()),
                TIMEOUT_NANOS);
        world.runUntil(() -> asSuperPeer.isDone() && asOwner.isDone(), LIMIT_NANOS);
    }

    public <T> T await(CompletableFuture<T> future) {
        world.runUntil(future::isDone, LIMIT_NANOS);
        return future.join();
    }
}
