package dev.granary.superpeer;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.testkit.SimulatedNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A storage peer as super-peers see it: it keeps a lease, and answers about copies as the test wants. Its {@link
 * #copies} are on its disk and outlive its process.
 */
public final class ScriptedPeer {

    private static final int PORT = 7500;
    private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A copy on the disk. */
    static final class Copy {
        long epoch = 1;
        long lastSequence;
        boolean continuous = true;
        boolean filled = true;
        long fencedEpoch;
    }

    final Map<Integer, Copy> copies = new TreeMap<>();

    /** The zones that it owns, according to the last order. */
    final Map<Integer, Placement> owned = new TreeMap<>();

    /** The orders to recover that it was given, oldest first, each with zone and last sequence. */
    final List<RunRecovery.Task> orders = new ArrayList<>();

    final Set<Integer> dropped = new HashSet<>();

    /** The names of which its process keeps a complete copy. */
    public final TreeMap<String, Long> names = new TreeMap<>();

    /** The chunks that it owns, as it answers when asked what could move away. */
    final List<SurveyReply.Piece> pieces = new ArrayList<>();

    /** How often a copy of names was begun. */
    public int namesBegun;

    boolean hasRoom = true;
    boolean reads = true;
    boolean answersSeals = true;
    boolean finishes = true;
    boolean fills = true;

    private final SimulatedRing ring;
    private final String name;
    private final UUID disk;
    private final Map<Integer, ScriptedPeer> peers;
    private long incarnation;
    private int nid;
    private long epoch;
    private @Nullable Life life;

    /**
     * @param peers all scripted peers by NID; this one is added when it has a NID
     */
    public ScriptedPeer(SimulatedRing ring, int number, Map<Integer, ScriptedPeer> peers) {
        this.ring = ring;
        this.name = "p" + number;
        this.disk = new UUID(9, number);
        this.peers = peers;
        this.incarnation = 100L * (number + 1);
    }

    int nid() {
        return nid;
    }

    long epoch() {
        return epoch;
    }

    long incarnation() {
        return incarnation;
    }

    boolean holdsLease() {
        return life != null && epoch != 0;
    }

    /** Starts a new process; what the old one held in memory is gone. */
    public void start() {
        incarnation++;
        epoch = 0;
        owned.clear();
        names.clear();
        Life started = new Life();
        life = started;
        ring.node(name).start(started::begin);
    }

    private ScriptedPeer target(FillCopy fill) {
        return Objects.requireNonNull(peers.get(fill.targetNid()));
    }

    /** Ends the process without a word. */
    public void kill() {
        ring.node(name).kill();
        life = null;
        epoch = 0;
        copies.values().forEach(copy -> copy.continuous = false);
    }

    /** One process. */
    private final class Life {
        private @Nullable RpcClient rpc;
        private SimulatedNode.@Nullable World world;
        private final TreeMap<String, Long> filling = new TreeMap<>();
        private long fillingVersion;
        private long namesVersion;

        private void begin(SimulatedNode.World begun) {
            world = begun;
            RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, incarnation);
            rpc = new RpcClient(
                    begun.transport(),
                    begun.environment().clock(),
                    begun.environment().scheduler(),
                    identity);
            var _ = begun.transport().listen(new HostAddress("0.0.0.0", PORT), new RpcServer(identity, request -> {
                if (life == this) {
                    handle(request);
                }
            }));
            later(0, () -> assign(identity));
        }

        private void later(long nanos, Runnable task) {
            Objects.requireNonNull(world).environment().scheduler().schedule(nanos, () -> {
                if (life == this) {
                    task.run();
                }
            });
        }

        /** Asks one super-peer after the other until one answers, or all refuse finally. */
        private <Q extends Message, R extends Message> void ask(
                MessageType<Q, R> type, Q request, int at, BiConsumer<@Nullable R, @Nullable ErrorCode> then) {
            var _ = Objects.requireNonNull(rpc)
                    .call(SimulatedRing.address("s" + at % 3), 0, type, request, CALL_NANOS)
                    .whenCompleteAsync(
                            (reply, failure) -> {
                                if (life != this) {
                                    return;
                                }
                                Throwable cause =
                                        failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
                                ErrorCode code = cause instanceof RemoteErrorException remote ? remote.code() : null;
                                if (reply != null) {
                                    then.accept(reply, null);
                                } else if (code != null && !code.isRetryable()) {
                                    then.accept(null, code);
                                } else {
                                    later(RETRY_NANOS, () -> ask(type, request, at + 1, then));
                                }
                            },
                            Objects.requireNonNull(world).environment().scheduler());
        }

        private void assign(RpcIdentity identity) {
            ask(MessageType.ASSIGN_NID, new AssignNid(disk, incarnation, name), 0, (given, refused) -> {
                if (given != null) {
                    identity.joinCluster(given.ring().clusterId());
                    identity.takeNid(given.nid());
                    nid = given.nid();
                    peers.put(nid, ScriptedPeer.this);
                    HostAddress address = new HostAddress(name, PORT);
                    OpenLease open =
                            new OpenLease(nid, disk, incarnation, name, address, address, 1 << 20, "", "", 0, null);
                    ask(MessageType.OPEN_LEASE, open, 0, (opened, why) -> {
                        if (opened != null) {
                            opened(opened);
                        }
                    });
                }
            });
        }

        private void opened(OpenLeaseReply opened) {
            epoch = opened.epoch();
            for (CidRange range : opened.ranges()) {
                own(range.placement());
            }
            renew();
        }

        private void renew() {
            RenewLease renew = new RenewLease(nid, incarnation, epoch, new PeerStatistics(0, 0, 0, 0, 1 << 20, 0, 0));
            ask(MessageType.RENEW_LEASE, renew, 0, (renewed, refused) -> {
                if (refused == ErrorCode.UNKNOWN_LEASE) {
                    life = null;
                    epoch = 0;
                }
            });
            later(SimulatedRing.LEASE_NANOS / 10, this::renew);
        }

        /** Becomes the owner of a zone: the in-sync backups hold all of it. */
        private void own(Placement placement) {
            owned.put(placement.zone(), placement);
            for (int member : placement.backups()) {
                Copy copy = Objects.requireNonNull(peers.get(member))
                        .copies
                        .computeIfAbsent(placement.zone(), zone -> new Copy());
                copy.epoch = placement.epoch();
            }
        }

        private void handle(RpcRequest request) {
            if (request.type() == MessageType.SEAL_ZONES.code()) {
                SealZones seal = request.read(MessageType.SEAL_ZONES);
                if (answersSeals) {
                    request.reply(new SealedCopies(
                            seal.zones().stream().map(this::seal).toList()));
                } else {
                    request.fail(ErrorCode.RETRY_LATER, "not now");
                }
            } else if (request.type() == MessageType.RUN_RECOVERY.code()) {
                RunRecovery run = request.read(MessageType.RUN_RECOVERY);
                if (run.candidateEpoch() == epoch) {
                    request.reply(new RunRecoveryReply(
                            run.zones().stream().map(this::run).toList()));
                } else {
                    request.fail(ErrorCode.BAD_REQUEST, "another incarnation");
                }
            } else if (request.type() == MessageType.FILL_COPY.code()) {
                FillCopy fill = request.read(MessageType.FILL_COPY);
                Placement zone = owned.get(fill.zone());
                if (fill.ownerEpoch() == epoch && zone != null) {
                    request.reply(new Empty());
                    if (fills && ring.node(target(fill).name).isRunning()) {
                        later(WORK_NANOS, () -> fill(fill));
                    }
                } else {
                    request.fail(ErrorCode.NOT_FOUND, "not the owner");
                }
            } else if (request.type() == MessageType.SAVE_NAMES.code()) {
                boolean taken = save(request.read(MessageType.SAVE_NAMES));
                request.reply(new NamesSaved(taken, namesVersion));
            } else if (request.type() == MessageType.LIST_COPIES.code()) {
                request.reply(new CopyList(epoch, 0, List.of()));
            } else if (request.type() == MessageType.DROP_COPIES.code()) {
                for (ZoneEpoch zone : request.read(MessageType.DROP_COPIES).zones()) {
                    Copy copy = copies.get(zone.zone());
                    if (copy != null && copy.epoch < zone.epoch()) {
                        copies.remove(zone.zone());
                        dropped.add(zone.zone());
                    }
                }
                request.reply(new Empty());
            } else if (request.type() == MessageType.SURVEY.code()) {
                request.reply(new SurveyReply(Cid.NONE, pieces));
            } else if (request.type() == MessageType.DRAIN_PEER.code()) {
                request.reply(new Empty());
            } else if (request.type() == MessageType.RUN_MIGRATION.code()) {
                RunMigration run = request.read(MessageType.RUN_MIGRATION);
                request.reply(new RunMigrationReply(false, 1, 10, ""));
                later(WORK_NANOS, () -> moved(run));
            } else {
                request.fail(ErrorCode.BAD_REQUEST, "not scripted");
            }
        }

        private void moved(RunMigration run) {
            CommitMigration commit = new CommitMigration(run.creatorNid(), run.number(), nid, epoch);
            ask(MessageType.COMMIT_MIGRATION, commit, 0, (reply, refused) -> {
                if (reply != null && reply.state() == MigrationState.COMMITTED) {
                    pieces.removeIf(piece -> piece.startCid() == run.startCid());
                }
            });
        }

        private boolean save(SaveNames save) {
            if (save.step() == SaveNames.Step.BEGIN) {
                namesBegun++;
                filling.clear();
                fillingVersion = save.version();
                return true;
            }
            boolean whole = save.step() == SaveNames.Step.CHANGE;
            if (save.baseVersion() != (whole ? namesVersion : fillingVersion)) {
                return false;
            }
            for (NameEntry change : save.changes()) {
                if (change.cid() == Cid.NONE) {
                    (whole ? names : filling).remove(change.name());
                } else {
                    (whole ? names : filling).put(change.name(), change.cid());
                }
            }
            if (whole) {
                namesVersion = save.version();
            } else {
                fillingVersion = save.version();
            }
            if (save.step() == SaveNames.Step.FINISH) {
                names.clear();
                names.putAll(filling);
                namesVersion = fillingVersion;
            }
            return true;
        }

        private SealedCopies.Copy seal(ZoneEpoch zone) {
            Copy copy = copies.get(zone.zone());
            if (copy == null) {
                return new SealedCopies.Copy(zone.zone(), false, 0, 0, 0, false, false, zone.epoch(), 0);
            }
            copy.fencedEpoch = Math.max(copy.fencedEpoch, zone.epoch());
            return new SealedCopies.Copy(
                    zone.zone(),
                    true,
                    copy.epoch,
                    0,
                    copy.lastSequence,
                    copy.continuous,
                    copy.filled,
                    copy.fencedEpoch,
                    copy.lastSequence);
        }

        private RunRecoveryReply.Progress run(RunRecovery.Task order) {
            boolean known =
                    orders.stream().anyMatch(each -> each.zone() == order.zone() && each.epoch() == order.epoch());
            if (!known) {
                orders.add(order);
                if (hasRoom && finishes && (reads || order.acceptDamage())) {
                    later(WORK_NANOS, () -> recovered(order));
                }
            }
            if (!reads && !order.acceptDamage()) {
                return new RunRecoveryReply.Progress(
                        order.zone(), order.epoch(), RunRecoveryReply.State.DAMAGED, 0, 0, "unreadable");
            }
            RunRecoveryReply.State state = hasRoom ? RunRecoveryReply.State.RUNNING : RunRecoveryReply.State.NO_ROOM;
            return new RunRecoveryReply.Progress(order.zone(), order.epoch(), state, 1, 10, hasRoom ? "" : "full");
        }

        private void recovered(RunRecovery.Task order) {
            for (RunRecovery.Member member : order.members()) {
                Copy copy =
                        Objects.requireNonNull(peers.get(member.nid())).copies.get(order.zone());
                if (copy != null) {
                    copy.epoch = order.epoch();
                    copy.lastSequence = order.lastSequence();
                }
            }
            Recovered done = new Recovered(order.zone(), order.epoch(), nid, epoch, 1, 10, !reads);
            ask(MessageType.RECOVERED, done, BackupZone.creatorOf(order.zone()), (placement, refused) -> {
                if (placement != null && placement.placement().owner() == nid) {
                    owned.put(order.zone(), placement.placement());
                }
            });
        }

        private void fill(FillCopy fill) {
            Copy copy = new Copy();
            copy.epoch = fill.epoch();
            Objects.requireNonNull(peers.get(fill.targetNid())).copies.put(fill.zone(), copy);
            Placement present = Objects.requireNonNull(owned.get(fill.zone()));
            ChangeCopies change = new ChangeCopies(
                    fill.zone(), nid, epoch, present.epoch(), List.of(), List.of(fill.targetNid()), "");
            ask(MessageType.CHANGE_COPIES, change, 0, (placement, refused) -> {
                if (placement != null && placement.placement().owner() == nid) {
                    boolean adopted = placement.placement().epoch() == present.epoch() + 1;
                    owned.put(fill.zone(), placement.placement());
                    if (!adopted) {
                        later(WORK_NANOS, () -> fill(fill));
                    }
                }
            });
        }
    }

    /** Returns the peers that hold copies of a zone on their disks. */
    static Map<Integer, Copy> holders(Map<Integer, ScriptedPeer> peers, int zone) {
        Map<Integer, Copy> holders = new HashMap<>();
        peers.forEach((nid, peer) -> {
            Copy copy = peer.copies.get(zone);
            if (copy != null) {
                holders.put(nid, copy);
            }
        });
        return holders;
    }
}
