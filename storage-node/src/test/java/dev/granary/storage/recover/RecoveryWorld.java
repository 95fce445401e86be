package dev.granary.storage.recover;

import dev.granary.env.Scheduler;
import dev.granary.log.batch.BatchWriter;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.backup.BackupPeer;
import dev.granary.storage.backup.Owner;
import dev.granary.storage.data.LearntRequests;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.prometheus.client.CollectorRegistry;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two backups of a dead owner's zones. The first recovers the zones into a real memory; the test plays the arc. {@link
 * #close} verifies the memory and closes it.
 */
final class RecoveryWorld implements AutoCloseable {

    static final int ZONE = BackupZone.id(Owner.NID, 1);
    static final int CANDIDATE = 0x8000;
    static final long INCARNATION_EPOCH = 9;

    final Simulation world = new Simulation(20_261_121);
    final BackupPeer candidate = new BackupPeer(world, "candidate", CANDIDATE);
    final BackupPeer other = new BackupPeer(world, "other", 0xC000);
    final Owner owner = new Owner(world);
    final ChunkMemory memory;
    final Ownership ownership;
    final Arc arc = new Arc();
    final List<Taken> taken = new ArrayList<>();
    final List<String> learnt = new ArrayList<>();
    WindowBounds window = WindowBounds.usual();
    boolean acceptDamage;
    private @Nullable Recoveries recoveries;

    /** A zone that the candidate now serves. */
    record Taken(Placement placement, List<CidRange> ranges, long lastSequence, boolean opened) {}

    RecoveryWorld(long memoryBytes, int nid, long firstLid) {
        memory = ChunkMemories.open(
                ChunkMemoryConfig.of(nid, memoryBytes).withHugePages(false).withFirstLid(firstLid));
        ownership = new Ownership(nid, firstLid);
        candidate.with(requests -> Recoveries.addTo(requests, this::recoveries)).start();
        other.start();
        world.runFor(1_000_000);
        recoveries = new Recoveries(site());
    }

    Recoveries recoveries() {
        Recoveries present = recoveries;
        if (present == null) {
            throw new AssertionError("too early");
        }
        return present;
    }

    RecoverySite site() {
        BackupPeer.Life life = candidate.life();
        Scheduler scheduler = life.world().environment().scheduler();
        arc.scheduler = scheduler;
        return new RecoverySite(
                life.world().environment().clock(),
                scheduler,
                scheduler,
                life.rpc(),
                arc,
                BackupPeer.CLUSTER,
                life::log,
                memory,
                ownership,
                INCARNATION_EPOCH,
                new LearntRequests() {
                    @Override
                    public void request(
                            long clientId,
                            long requestSequence,
                            long ackedSequence,
                            MemorySegment bytes,
                            long offset,
                            int length) {
                        learnt.add("request " + clientId + "/" + requestSequence + " of " + length);
                    }

                    @Override
                    public void token(long cid, long token) {
                        learnt.add("token " + Cid.lid(cid) + " " + token);
                    }
                },
                new ZoneTaker() {
                    @Override
                    public void take(Placement placement, List<CidRange> ranges, long lastSequence, boolean opened) {
                        taken.add(new Taken(placement, ranges, lastSequence, opened));
                    }

                    @Override
                    public void returned(long startCid, long endCidInclusive) {
                        learnt.add("returned " + Cid.lid(startCid) + ".." + Cid.lid(endCidInclusive));
                    }
                },
                () -> CompletableFuture.completedFuture(null),
                () -> learnt.add("wake"),
                window,
                new RecoveryMetrics(new CollectorRegistry()));
    }

    /** Opens copies of a zone at both peers. */
    void open(int zone) {
        owner.open(candidate, zone, 1, 0, false);
        owner.open(other, zone, 1, 0, false);
    }

    /** Sends a batch to both peers. */
    void replicate(int zone, long sequence, Consumer<BatchWriter> entries) {
        byte[] batch = owner.batch(zone, 1, sequence, entries);
        owner.replicate(candidate, zone, 1, false, batch);
        owner.replicate(other, zone, 1, false, batch);
    }

    /** Seals both copies and orders the recovery. */
    void recover(int zone, long epoch, long lastSequence, List<RunRecovery.Span> spans, long nextCid) {
        owner.seal(candidate, zone, epoch);
        if (other.machine().isRunning()) {
            owner.seal(other, zone, epoch);
        }
        ask(zone, epoch, lastSequence, spans, nextCid);
    }

    RunRecoveryReply.Progress ask(int zone, long epoch, long lastSequence, List<RunRecovery.Span> spans, long nextCid) {
        return order(List.of(task(zone, epoch, lastSequence, spans, nextCid))).getFirst();
    }

    RunRecovery.Task task(int zone, long epoch, long lastSequence, List<RunRecovery.Span> spans, long nextCid) {
        return new RunRecovery.Task(
                zone,
                epoch,
                lastSequence,
                List.of(
                        new RunRecovery.Member(CANDIDATE, candidate.address()),
                        new RunRecovery.Member(other.nid(), other.address())),
                spans,
                nextCid,
                acceptDamage);
    }

    /** Sends an order for several zones. */
    List<RunRecoveryReply.Progress> order(List<RunRecovery.Task> tasks) {
        return owner.call(candidate, MessageType.RUN_RECOVERY, new RunRecovery(INCARNATION_EPOCH, tasks))
                .zones();
    }

    /** Waits until the recovery of a zone is over. */
    RunRecoveryReply.Progress ended(int zone, long epoch) {
        for (int i = 0; i < 1000; i++) {
            RunRecoveryReply.Progress state = ask(zone, epoch, 0, List.of(), 0);
            if (state.state() != RunRecoveryReply.State.RUNNING) {
                return state;
            }
            world.runFor(10_000_000);
        }
        throw new AssertionError("the recovery does not end");
    }

    static List<RunRecovery.Span> span(long firstLid, long lastLid) {
        return List.of(new RunRecovery.Span(Cid.of(Owner.NID, firstLid), Cid.of(Owner.NID, lastLid)));
    }

    @Override
    public void close() {
        memory.verify().throwIfBroken();
        memory.close();
    }

    /** The arcs of the creators, played by the test. */
    static final class Arc implements ArcCalls {

        final List<Recovered> told = new ArrayList<>();
        final Map<Integer, Placement> placements = new TreeMap<>();
        final Map<Long, RangeList> ranges = new TreeMap<>();
        int failures;

        /** How many more answers are lost: the arc does what it is asked, but nobody hears of it. */
        int lostAnswers;

        @Nullable
        Scheduler scheduler;

        @Override
        public <Q extends Message, R extends Message> void callArc(
                int nid, MessageType<Q, R> type, Q request, Consumer<R> done, Consumer<Throwable> failed) {
            Scheduler present = scheduler;
            if (present == null) {
                throw new AssertionError("too early");
            }
            present.schedule(2_000_000, () -> {
                if (failures > 0) {
                    failures--;
                    failed.accept(new IllegalStateException("the arc is not there"));
                    return;
                }
                Message answer = answer(request);
                if (lostAnswers > 0) {
                    lostAnswers--;
                    failed.accept(new IllegalStateException("the answer of the arc is lost"));
                } else {
                    done.accept(type.readReply(written(answer)));
                }
            });
        }

        private Message answer(Message request) {
            if (request instanceof Recovered recovered) {
                told.add(recovered);
                return new ZonePlacement(placements.computeIfAbsent(
                        recovered.zone(),
                        zone -> new Placement(
                                recovered.nid(),
                                new int[] {0xC000},
                                recovered.epoch(),
                                zone,
                                PlacementState.DEGRADED)));
            }
            if (request instanceof ZoneRanges more) {
                RangeList list = ranges.get(more.fromCid());
                if (list != null) {
                    return list;
                }
            }
            throw new AssertionError("not expected: " + request);
        }

        private static ByteBuf written(Message message) {
            ByteBuf out = Unpooled.buffer();
            message.writeTo(out);
            return out;
        }
    }
}
