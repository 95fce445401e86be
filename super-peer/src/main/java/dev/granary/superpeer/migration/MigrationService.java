package dev.granary.superpeer.migration;

import dev.granary.env.Loop;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AbortMigration;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.RangeMessages.AwayRanges;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.process.MigrationRound;
import dev.granary.superpeer.lease.ArcService;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.RangeResult;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The migrations of one arc (ADR 0093). Begins each migration, tells its source to carry it out, and commits it. Also
 * finds out which owners of the arc's chunks have restarted. Runs as tasks of the node's scheduler.
 *
 * <p>Invariants: (1) begin, commit and abort are committed before anybody is told of them; (2) what an owner of another
 * arc had is lost only when that owner's arc has said that its incarnation has ended (SAFETY rule "two arcs for one
 * range").
 */
public final class MigrationService {

    private static final Logger LOG = LoggerFactory.getLogger(MigrationService.class);

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long BUSY_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A migration is given up when its source or target has been silent for 15 seconds. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /**
     * The limit for a migration of a restore, whose source does not report progress. The process that restores sends at
     * once what takes a few seconds at most.
     */
    private static final long RESTORE_NANOS = TimeUnit.MINUTES.toNanos(2);

    /**
     * The most LIDs of one migration, as in {@code Migrations.MAX_LIDS} of the storage peer; a slot group moves as a
     * whole and may have more.
     */
    public static final int MAX_LIDS = 1 << 17;

    private static final int MAX_AWAY_RANGES = 16_384;

    private final Node node;
    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcService arc;
    private final ArcCaller arcs;
    private final PeerFacts facts;
    private final PeerCatalog catalog;
    private final ZonePlanner zones;

    /** By number of a running migration, when its source was last heard of. */
    private final Map<Long, Long> heardNanos = new TreeMap<>();

    /** Commands that are being committed, so that none is proposed twice. */
    private final Set<ArcCommand> committing = new HashSet<>();

    private final Loop loop;

    private final MigrationRound round =
            new MigrationRound(LOG, "migrations begin, and others may follow", "no migration runs any more", false);

    /** By number, the migrations of the round that run as far as it knows. */
    private final Map<Long, MigrationRecord> told = new TreeMap<>();

    /** @param commit commits a command, then applies it */
    public MigrationService(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcService arc,
            ArcCaller arcs,
            PeerFacts facts,
            PeerCatalog catalog,
            ZonePlanner zones) {
        this.node = node;
        this.state = state;
        this.commit = commit;
        this.arc = arc;
        this.arcs = arcs;
        this.facts = facts;
        this.catalog = catalog;
        this.zones = zones;
        this.loop = Loop.every(node.environment().scheduler(), "migrations", TICK_NANOS, this::look)
                .vital();
    }

    public void begin() {
        loop.beginAfter(TICK_NANOS);
    }

    public void stop() {
        loop.stop();
    }

    private void look() {
        if (!arc.isServing()) {
            return;
        }
        state.strangers().forEach((nid, epoch) -> {
            PeerInfo info = catalog.find(nid);
            if (info != null && info.fencedEpoch() >= epoch) {
                SuperPeerProbe.STRANGER_FENCED.hit();
                commitOnce(new RangeCommand.FencePeer(nid, info.fencedEpoch() + 1));
            }
        });
        List<MigrationRecord> running = state.runningMigrations();
        heardNanos
                .keySet()
                .retainAll(running.stream().map(MigrationRecord::number).toList());
        running.forEach(this::run);
        running.forEach(this::tellBegun);
        tellEnded();
    }

    private void tellBegun(MigrationRecord record) {
        if (record.sourceNid() != Nid.NONE && told.putIfAbsent(record.number(), record) == null) {
            round.began(nameOf(record), node.nanoTime());
        }
    }

    private void tellEnded() {
        told.values().removeIf(begun -> {
            MigrationRecord now = state.migration(begun.creatorNid(), begun.number());
            boolean over = now == null || now.state() != MigrationState.RUNNING;
            if (over) {
                boolean moved = now != null && now.state() == MigrationState.COMMITTED;
                round.ended(nameOf(begun), moved, 0, node.nanoTime());
            }
            return over;
        });
        round.look(node.nanoTime());
    }

    private static String nameOf(MigrationRecord record) {
        return Nid.toHex(record.creatorNid()) + "/" + record.number();
    }

    private void commitOnce(ArcCommand command) {
        if (committing.add(command)) {
            Async.whenDone(commit.apply(command), (result, failure) -> committing.remove(command));
        }
    }

    /** Tells the source to carry a migration out, or asks how far it is. */
    private void run(MigrationRecord record) {
        long nowNanos = node.nanoTime();
        long heard = heardNanos.computeIfAbsent(record.number(), number -> nowNanos);
        boolean restores = record.sourceNid() == Nid.NONE;
        if (nowNanos - heard > (restores ? RESTORE_NANOS : SILENCE_NANOS)) {
            abort(record, restores ? "it was not carried on" : "source or target does not answer");
            return;
        }
        if (restores) {
            return;
        }
        facts.ask(
                record.targetNid(),
                (target, targetFailure) -> facts.ask(record.sourceNid(), (source, failure) -> {
                    if (target != null && source != null) {
                        run(record, source, target);
                    }
                }));
    }

    private void run(MigrationRecord record, PeerInfo source, PeerInfo target) {
        RunMigration order = new RunMigration(
                record.creatorNid(),
                record.number(),
                record.startCid(),
                record.endCidInclusive(),
                record.sourceEpoch(),
                record.targetNid(),
                record.targetEpoch(),
                target.address());
        arcs.callNode(source.address(), source.nid(), MessageType.RUN_MIGRATION, order, (reply, failure) -> {
            if (reply == null) {
                facts.forget(source.nid());
                return;
            }
            heardNanos.computeIfPresent(record.number(), (number, before) -> node.nanoTime());
            if (reply.failed()) {
                SuperPeerProbe.MIGRATION_FAILED_AT_SOURCE.hit();
                abort(record, noteOf(reply));
            }
        });
    }

    private static String noteOf(RunMigrationReply reply) {
        return reply.note().isEmpty() ? "the source has given up" : reply.note();
    }

    private void abort(MigrationRecord record, String note) {
        commitOnce(new RangeCommand.AbortMigration(record.creatorNid(), record.number(), note));
    }

    public void migrate(RpcRequest request, Migrate migrate) {
        int creator = Cid.nid(migrate.startCid());
        long lids = migrate.endCidInclusive() - migrate.startCid() + 1;
        boolean ofGroup = SlotGroup.isGroup(creator);
        if (creator == Nid.NONE
                || creator != Cid.nid(migrate.endCidInclusive())
                || lids < 1
                || (lids > MAX_LIDS && !ofGroup)) {
            request.fail(
                    ErrorCode.BAD_REQUEST, "a migration is of 1 to " + MAX_LIDS + " consecutive chunks of one creator");
            return;
        }
        if (!arc.answersFor(request)) {
            return;
        }
        CidRange range = state.find(migrate.startCid());
        if (range == null || !range.placement().isServed()) {
            request.fail(ErrorCode.NOT_FOUND, "nobody owns the chunk " + Cid.toHex(migrate.startCid()));
            return;
        }
        if (ofGroup && !isWhole(range, migrate.startCid(), migrate.endCidInclusive())) {
            request.fail(ErrorCode.BAD_REQUEST, partOfGroupMessage(range));
            return;
        }
        int source = range.placement().owner();
        if (source == migrate.targetNid()) {
            SuperPeerProbe.MIGRATION_TO_THE_OWNER.hit();
            request.reply(new MigrationReply(
                    creator, 0, MigrationState.COMMITTED, range.placement().epoch(), ""));
            return;
        }
        MigrationRecord running = running(migrate, ofGroup);
        if (running != null) {
            // The request was sent before, and its answer was late; or two plans have the same move.
            answer(request, new RangeResult.Migration(running));
            return;
        }
        if (!zones.canTakeOver(creator, migrate.targetNid())) {
            request.fail(ErrorCode.OUT_OF_MEMORY, ArcState.outOfZonesMessage(creator));
            return;
        }
        facts.ask(
                migrate.targetNid(),
                (target, targetFailure) -> facts.ask(
                        source,
                        (known, failure) -> Answers.orFail(request, () -> {
                            if (target == null || known == null || !target.live()) {
                                request.fail(ErrorReply.retryLater(
                                        BUSY_RETRY_NANOS,
                                        "storage peer "
                                                + Nid.toHex(
                                                        target == null || !target.live() ? migrate.targetNid() : source)
                                                + " is not there"));
                                return;
                            }
                            begin(
                                    request,
                                    ofGroup
                                            ? new Migrate(range.startCid(), range.endCidInclusive(), target.nid())
                                            : migrate,
                                    source,
                                    known.epoch(),
                                    target.epoch());
                        })));
    }

    /** Returns the running migration of the same chunks to the same storage peer, or null. */
    private @Nullable MigrationRecord running(Migrate migrate, boolean ofGroup) {
        for (MigrationRecord record : state.runningMigrations()) {
            if (record.startCid() == migrate.startCid()
                    && (ofGroup || record.endCidInclusive() == migrate.endCidInclusive())
                    && record.targetNid() == migrate.targetNid()
                    && record.sourceNid() != Nid.NONE) {
                return record;
            }
        }
        return null;
    }

    /** Whether a request for chunks of a slot group is for all of them. It may name LIDs that the group has not got. */
    static boolean isWhole(CidRange group, long startCid, long endCidInclusive) {
        return startCid == group.startCid() && Cid.compare(endCidInclusive, group.endCidInclusive()) >= 0;
    }

    static String partOfGroupMessage(CidRange group) {
        return "the slot group " + Nid.toHex(Cid.nid(group.startCid())) + " moves as a whole: ask for its chunks "
                + Cid.toHex(group.startCid()) + " to " + Cid.toHex(group.endCidInclusive());
    }

    private void begin(RpcRequest request, Migrate migrate, int source, long sourceEpoch, long targetEpoch) {
        RangeCommand command = new RangeCommand.BeginMigration(
                migrate.startCid(), migrate.endCidInclusive(), source, sourceEpoch, migrate.targetNid(), targetEpoch);
        Answers.whenCommitted(request, commit.apply(command), result -> {
            if (result instanceof RangeResult.Migration(MigrationRecord record)) {
                tellBegun(record);
                LOG.atDebug()
                        .addKeyValue("migration", nameOf(record))
                        .addKeyValue("firstCid", Cid.toHex(record.startCid()))
                        .addKeyValue("lastCid", Cid.toHex(record.endCidInclusive()))
                        .addKeyValue("sourceNid", Nid.toHex(record.sourceNid()))
                        .addKeyValue("targetNid", Nid.toHex(record.targetNid()))
                        .log("a migration begins");
                run(record);
            }
            answer(request, result);
        });
    }

    public void commit(RpcRequest request, CommitMigration asked) {
        if (!arc.answersFor(request)) {
            return;
        }
        MigrationRecord record = state.migration(asked.creatorNid(), asked.number());
        if (record == null || record.state() != MigrationState.RUNNING) {
            commitNow(request, asked);
            return;
        }
        // A target with a later incarnation has lost what it took: then the source stays the owner.
        facts.ask(record.targetNid(), (target, failure) -> {
            if (target != null && target.epoch() > record.targetEpoch()) {
                RangeCommand fence = new RangeCommand.FencePeer(target.nid(), target.epoch());
                Answers.whenCommitted(request, commit.apply(fence), result -> commitNow(request, asked));
            } else {
                commitNow(request, asked);
            }
        });
    }

    private void commitNow(RpcRequest request, CommitMigration asked) {
        RangeCommand command = new RangeCommand.CommitMigration(
                asked.creatorNid(), asked.number(), asked.sourceNid(), asked.sourceEpoch());
        Answers.whenCommitted(request, commit.apply(command), result -> {
            tellEnded();
            answer(request, result);
        });
    }

    public void abort(RpcRequest request, AbortMigration asked) {
        if (arc.answersFor(request)) {
            RangeCommand command = new RangeCommand.AbortMigration(asked.creatorNid(), asked.number(), asked.reason());
            Answers.whenCommitted(request, commit.apply(command), result -> {
                if (result instanceof RangeResult.Migration(MigrationRecord record)
                        && record.state() == MigrationState.ABORTED) {
                    tellAborted(record);
                }
                answer(request, result);
            });
        }
    }

    /** Tells source and target that a migration was aborted. They would find out by themselves, but later. */
    private void tellAborted(MigrationRecord record) {
        EndMigration end = new EndMigration(record.creatorNid(), record.number(), false, 0);
        for (int nid : new int[] {record.sourceNid(), record.targetNid()}) {
            PeerInfo info = nid == Nid.NONE ? null : facts.last(nid);
            if (info != null) {
                arcs.callNode(info.address(), nid, MessageType.END_MIGRATION, end, (reply, failure) -> {});
            }
        }
    }

    public void ask(RpcRequest request, AskMigration asked) {
        if (arc.answersFor(request)) {
            MigrationRecord record = state.migration(asked.creatorNid(), asked.number());
            if (record == null && !state.wasMigrationBegun(asked.number())) {
                // Otherwise a target that takes chunks for this migration would ask for ever.
                request.reply(new MigrationReply(
                        asked.creatorNid(), asked.number(), MigrationState.ABORTED, 0, "there was no such migration"));
                return;
            }
            answer(
                    request,
                    record == null
                            ? new RangeResult.NotNow("there is no such migration")
                            : new RangeResult.Migration(record));
        }
    }

    public static void answer(RpcRequest request, ArcResult result) {
        switch (result) {
            case RangeResult.Migration(MigrationRecord record) ->
                request.reply(new MigrationReply(
                        record.creatorNid(), record.number(), record.state(), record.epoch(), record.note()));
            case RangeResult.NotNow(String message) -> request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, message));
            default -> throw new IllegalStateException("unexpected " + result);
        }
    }

    public void askPeer(RpcRequest request, AskPeer asked) {
        if (!arc.answersFor(request)) {
            return;
        }
        PeerInfo info = arc.peerInfo(asked.nid());
        if (info == null) {
            request.fail(ErrorCode.NOT_FOUND, "there is no storage peer " + Nid.toHex(asked.nid()));
        } else {
            request.reply(info);
        }
    }

    public void awayRanges(RpcRequest request, AwayRanges asked) {
        if (!arc.answersFor(request)) {
            return;
        }
        List<CidRange> away = state.awayRanges(asked.nid(), asked.fromCid(), MAX_AWAY_RANGES);
        boolean more = away.size() == MAX_AWAY_RANGES;
        long last = more ? away.getLast().endCidInclusive() : 0;
        request.reply(new RangeList(more && last != Cid.lastOf(asked.nid()) ? last + 1 : 0, away));
    }
}
