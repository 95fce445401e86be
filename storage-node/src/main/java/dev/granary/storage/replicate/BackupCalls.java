package dev.granary.storage.replicate;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.FillData;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an owner to the backups of its zones: who calls, where the backups are, and how long they may take.
 * Thread-safe, except for {@link #askAddress}.
 */
final class BackupCalls {

    private final Clock clock;
    private final Scheduler scheduler;
    private final RpcClient rpc;
    private final RpcIdentity identity;
    private final PeerAddresses addresses;
    private final long timeoutNanos;

    /**
     * @param timeoutNanos a backup that has not answered for this long is taken for silent
     */
    BackupCalls(
            Clock clock,
            Scheduler scheduler,
            RpcClient rpc,
            RpcIdentity identity,
            PeerAddresses addresses,
            long timeoutNanos) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.rpc = rpc;
        this.identity = identity;
        this.addresses = addresses;
        this.timeoutNanos = timeoutNanos;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    long nanoTime() {
        return clock.nanoTime();
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    /** Returns the NID of this peer, the owner. */
    int nid() {
        return identity.nid();
    }

    UUID clusterId() {
        return identity.clusterId();
    }

    /** Returns where a backup was last known to be; null when it has to be asked for. */
    @Nullable
    HostAddress addressOf(int nid) {
        return addresses.find(nid);
    }

    /** Asks for the present address of a backup. As a task of the scheduler. */
    void askAddress(int nid) {
        addresses.ask(nid, () -> {});
    }

    <Q extends Message, R extends Message> CompletableFuture<R> call(
            HostAddress to, int nid, MessageType<Q, R> type, Q request, long limitNanos) {
        return rpc.call(to, nid, type, request, limitNanos);
    }

    /** Sends a shipment; the answer has a state for each of its parts. */
    CompletableFuture<List<CopyState>> ship(HostAddress to, int nid, Shipment shipment, long limitNanos) {
        return rpc.call(
                to,
                nid,
                MessageType.REPLICATE,
                out -> shipment.writeTo(out, clusterId(), nid()),
                shipment::readReply,
                limitNanos);
    }

    /** Sends a shipment without parts. A backup answers it whatever its disk does. */
    CompletableFuture<Boolean> ping(HostAddress to, int nid) {
        return rpc.call(
                to,
                nid,
                MessageType.REPLICATE,
                new Replicate(clusterId(), nid(), 0, 0)::writeTo,
                in -> Boolean.TRUE,
                timeoutNanos);
    }

    /** Sends a step of a fill. */
    CompletableFuture<CopyState> fill(HostAddress to, int nid, FillData header, byte[] batch) {
        return rpc.call(
                to,
                nid,
                MessageType.FILL_DATA,
                out -> {
                    header.writeTo(out);
                    out.writeBytes(batch);
                },
                CopyState::read,
                2 * timeoutNanos);
    }

    /** Tells a backup that it need not keep its copy. If the message is lost, the super-peers tell the backup later. */
    void dropCopy(ZoneCopy copy, long epoch) {
        HostAddress address = addresses.find(copy.nid());
        if (address != null) {
            DropCopies order = new DropCopies(clusterId(), List.of(new ZoneEpoch(copy.zone.id(), epoch)));
            var _ = call(address, copy.nid(), MessageType.DROP_COPIES, order, timeoutNanos);
        }
    }
}
