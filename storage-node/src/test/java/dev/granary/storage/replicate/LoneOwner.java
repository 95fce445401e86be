package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Environment;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.LostCopy;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.backup.BackupPeer;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.testkit.Callers;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The replication of one storage peer with real backups in the simulator; the test is the arc. Ends the replication
 * and verifies that nothing is left of it.
 */
public final class LoneOwner implements AutoCloseable {

    public static final int NID = 0x8000;
    public static final int B = 0xA000;
    public static final int C = 0xC000;
    public static final int ZONE = BackupZone.id(NID, 1);
    static final long INCARNATION_EPOCH = 9;
    public static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    static final long TIMEOUT_NANOS = ReplicationConfig.defaults().timeoutNanos();

    private static final HostAddress ADDRESS = new HostAddress("lone-owner", 7500);
    private static final long FIRST_CID = Cid.of(NID, 1);
    private static final long LAST_CID = Cid.of(NID, 1_000);

    public final Simulation world = new Simulation(20_261_121);
    final Map<Integer, BackupPeer> backups = new TreeMap<>();
    final CollectorRegistry registry = new CollectorRegistry();

    /** What the arc was asked for, in this order. */
    final List<ChangeCopies> changes = new ArrayList<>();

    /** How often the arc was asked for the placements of zones. */
    int lists;

    /** How the zone is placed, as far as the arc has committed; null when there is no such zone. */
    @Nullable
    Placement placement;

    /** Which copies the arc was last told to be lost, and how often it was told of some. */
    List<LostCopy> lostCopies = List.of();

    int lostCopyReports;

    /** The arc answers nothing but this refusal. */
    @Nullable
    ErrorReply arcRefusal;

    /** The arc answers and changes nothing. */
    boolean arcKeeps;

    public int wantedCopies;

    /** What the owner answers. */
    public final RequestTable requests = new RequestTable("a lone owner");

    private @Nullable Callers client;
    private @Nullable Replication replication;
    private @Nullable Environment environment;

    public LoneOwner() {
        for (int nid : new int[] {B, C}) {
            backups.put(nid, new BackupPeer(world, "backup-" + nid, nid).start());
        }
        world.node("lone-owner").start(this::begin);
        world.node("lone-client").start(started -> client = new Callers(started));
        world.runFor(MILLI);
        run(() -> {
            backups.forEach((nid, backup) -> replication().addresses().learn(nid, backup.address()));
            replication().start(INCARNATION_EPOCH);
        });
    }

    private void begin(SimulatedNode.World started) {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 1);
        identity.joinCluster(BackupPeer.CLUSTER);
        identity.takeNid(NID);
        environment = started.environment();
        var _ = started.transport().listen(ADDRESS, new RpcServer(identity, requests));
        replication = new Replication(
                started.environment().clock(),
                started.environment().scheduler(),
                new RpcClient(
                        started.transport(),
                        started.environment().clock(),
                        started.environment().scheduler(),
                        identity),
                identity,
                new Arc(),
                started.transport().allocator(),
                ReplicationConfig.defaults(),
                new ReplicationMetrics(registry));
    }

    public Replication replication() {
        return Objects.requireNonNull(replication);
    }

    public long nowNanos() {
        return Objects.requireNonNull(environment).clock().nanoTime();
    }

    public BackupPeer backup(int nid) {
        return Objects.requireNonNull(backups.get(nid));
    }

    /** Asks the owner as a client does; the answer comes while the world runs. */
    public <Q extends Message, R extends Message> CompletableFuture<R> ask(MessageType<Q, R> type, Q request) {
        return Objects.requireNonNull(client).call(ADDRESS, NID, type, request, 10_000 * MILLI);
    }

    /** The same for a request that is written, and whose reply is read, in place. */
    public <R> CompletableFuture<R> send(int type, Consumer<ByteBuf> write, Function<ByteBuf, R> read) {
        return Objects.requireNonNull(client).call(ADDRESS, NID, type, write, read, 10_000 * MILLI);
    }

    /** Does something as a task of the owner's scheduler. */
    public void run(Runnable task) {
        AtomicBoolean done = new AtomicBoolean();
        Objects.requireNonNull(environment).scheduler().execute(() -> {
            task.run();
            done.set(true);
        });
        assertThat(world.runUntil(done::get, MILLI)).isTrue();
    }

    /** The same with the lock of a zone. */
    <T> T locked(OwnedZone zone, Supplier<T> task) {
        List<T> result = new ArrayList<>();
        run(() -> {
            zone.lock();
            try {
                result.add(task.get());
            } finally {
                zone.unlock();
            }
        });
        return result.getFirst();
    }

    static Placement placement(long epoch, PlacementState state, int... members) {
        return new Placement(NID, members, epoch, ZONE, state);
    }

    /** A new zone with copies on these backups, which have opened them. */
    public OwnedZone zone(int... members) {
        Placement placed = placement(1, PlacementState.IN_SYNC, members);
        placement = placed;
        run(() -> replication()
                .add(new ZoneGrant(placed, List.of(new CidRange(FIRST_CID, LAST_CID, placed)), 0, false, true)));
        world.runFor(50 * MILLI);
        return Objects.requireNonNull(replication().zones().byId(ZONE));
    }

    static ZoneCopy copy(OwnedZone zone, int nid) {
        return Objects.requireNonNull(zone.copyOn(nid));
    }

    /** Logs that a chunk was deleted, and sends it. */
    public void delete(OwnedZone zone, long lid, boolean sync) {
        run(() -> {
            ZoneBatch batch = new ZoneBatch(replication().allocator());
            zone.lock();
            try {
                batch.start(zone);
                zone.mark(Cid.of(NID, lid), sync);
                OwnedZone.publishMarks();
                batch.tombstone(Cid.of(NID, lid));
                batch.append(zone, sync);
            } finally {
                zone.unlock();
            }
            zone.send();
        });
    }

    @Override
    public void close() {
        run(() -> replication().stop());
        world.runFor(30_000 * MILLI);
        assertThat(replication().pendingBytes()).isZero();
        assertThat(replication().shippedBytes()).isZero();
        assertThat(replication().transfers().bytes()).isZero();
        assertThat(replication().zones().held().bytes()).isZero();
    }

    private final class Arc implements ArcCalls {

        @Override
        public <Q extends Message, R extends Message> void callArc(
                int nid, MessageType<Q, R> type, Q request, Consumer<R> done, Consumer<Throwable> failed) {
            Objects.requireNonNull(environment).scheduler().schedule(MILLI, () -> {
                ErrorReply refusal = arcRefusal;
                Message answer = answer(request, refusal == null);
                if (refusal != null || answer == null) {
                    ErrorReply told = refusal == null ? ErrorReply.of(ErrorCode.NOT_FOUND, "no such peer") : refusal;
                    failed.accept(new RemoteErrorException("refused", told));
                    return;
                }
                ByteBuf out = Unpooled.buffer();
                answer.writeTo(out);
                done.accept(type.readReply(out));
            });
        }

        private @Nullable Message answer(Message request, boolean willing) {
            if (request instanceof ChangeCopies change) {
                changes.add(change);
                if (willing && !arcKeeps) {
                    commit(change);
                }
                return placement == null ? null : new ZonePlacement(placement);
            }
            if (request instanceof ReportLostCopies report) {
                assertThat(report.ownerNid()).isEqualTo(NID);
                assertThat(report.ownerEpoch()).isEqualTo(INCARNATION_EPOCH);
                lostCopies = report.copies();
                lostCopyReports++;
                return new Empty();
            }
            if (request instanceof ListZones) {
                lists++;
                return new ZoneList(wantedCopies, 0, placement == null ? List.of() : List.of(placement));
            }
            return null;
        }

        private void commit(ChangeCopies change) {
            Placement now = Objects.requireNonNull(placement);
            if (change.expectedEpoch() == now.epoch()) {
                List<Integer> members = new ArrayList<>();
                Arrays.stream(now.backups())
                        .filter(member -> !change.dropped().contains(member)
                                && !change.added().contains(member))
                        .forEach(members::add);
                members.addAll(change.added());
                placement = placement(
                        now.epoch() + 1,
                        members.size() < wantedCopies ? PlacementState.DEGRADED : PlacementState.IN_SYNC,
                        members.stream().mapToInt(Integer::intValue).toArray());
            }
        }
    }
}
