package dev.granary.storage;

import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.process.ProcessControl;
import dev.granary.storage.data.ChunkService;
import dev.granary.storage.data.ChunkService.Refused;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.LeaseKeeper;
import dev.granary.storage.lease.LidReserver;
import dev.granary.storage.migrate.Migrations;
import dev.granary.storage.park.ParkFiles;
import dev.granary.storage.park.ParkManifest;
import dev.granary.storage.replicate.Replication;
import dev.granary.storage.replicate.ZoneContent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a storage peer to sleep (SAFETY rule "one writer", ADR 0120):
 *
 * <pre>
 *   WORKING --refuse changes--> REFUSING --park--> DUMPING --> RECORDING --> PARKED, until the process ends
 *      ^                           |                  |
 *      +-- work, or nobody asks ---+                  |             |
 *                                  +-- disk is full --+-------------+
 * </pre>
 *
 * <p>The program that hibernates a cluster asks again and again. A request that is delivered late comes once. So a peer
 * that is not asked again takes changes again, and a peer that was not asked before is not parked at once (ADR 0204).
 *
 * <p>Invariants: (1) from REFUSING on nothing is changed, moved or recovered here; (2) the dump is made of a memory
 * that nobody uses; (3) from RECORDING on no copy is taken, so that those on the disk are whole; (4) PARKED is
 * committed by the super-peers; before that a crash is a crash, and those who have copies take this peer's place.
 *
 * <p>Tasks of the scheduler.
 */
final class PlannedStop {

    private static final Logger LOG = LoggerFactory.getLogger(PlannedStop.class);

    private static final long NOT_YET_RETRY_NANOS = 50_000_000;

    /** A storage peer that is not asked again within this time takes changes again. An operator asks every 2 s. */
    private static final long ASKED_AGAIN_NANOS = 30_000_000_000L;

    private static final long LOOK_NANOS = 1_000_000_000;

    /** Longer than a stalled connection takes to deliver all that it held. */
    private static final long REFUSED_BEFORE_NANOS = 1_000_000_000;

    private enum Phase {
        WORKING,
        REFUSING,
        DUMPING,
        RECORDING,
        PARKED
    }

    /** What is put to sleep. */
    record Site(
            UUID clusterId,
            ChunkMemory memory,
            Ownership ownership,
            ChunkService chunks,
            Replication replication,
            Migrations migrations,
            Backups backups,
            LeaseKeeper keeper,
            LidReserver lids) {}

    private final Scheduler scheduler;
    private final Clock clock;
    private final Executor worker;
    private final ParkFiles files;
    private final LongSupplier random;
    private final ProcessControl control;

    /** While changes are refused. */
    private final Loop looks;

    private @Nullable Site site;
    private volatile Phase phase = Phase.WORKING;

    /** Completes when the changes have ended that were under way when this peer began to refuse them. */
    private CompletableFuture<Void> turnedOver = CompletableFuture.completedFuture(null);

    private long refusingSinceNanos;
    private long askedNanos;

    /** Whether this incarnation may be about to be ended, as it has no chunk. */
    private boolean held;

    private String problem = "";
    private boolean stopping;

    /** Completes when the dump that is being written is over. */
    private CompletableFuture<Void> dumped = CompletableFuture.completedFuture(null);

    /**
     * @param worker does the work that waits for the disk
     * @param random for the number of a dump
     * @param control called when the super-peers do not park this peer: its lease is gone then
     */
    PlannedStop(
            Scheduler scheduler,
            Clock clock,
            Executor worker,
            ParkFiles files,
            LongSupplier random,
            ProcessControl control) {
        this.scheduler = scheduler;
        this.clock = clock;
        this.worker = worker;
        this.files = files;
        this.random = random;
        this.control = control;
        this.looks = Loop.every(scheduler, "planned-stop", LOOK_NANOS, this::lookWhetherAsked);
    }

    /** The peer serves, and may be put to sleep. */
    void serve(Site served) {
        site = served;
    }

    /** Whether nothing may come to this peer or leave it. */
    boolean isRefusing() {
        return phase != Phase.WORKING;
    }

    /** Whether the lease is over, and the memory on the disk. */
    boolean isParked() {
        return phase == Phase.PARKED;
    }

    /** Puts nobody to sleep any more; completes when nothing is being written of the memory. */
    CompletableFuture<Void> stop() {
        stopping = true;
        looks.stop();
        files.stop();
        return dumped;
    }

    void addTo(RequestTable requests) {
        requests.addTask(MessageType.HIBERNATE, scheduler, this::take);
    }

    private void take(RpcRequest request, Hibernate order) {
        Site served = site;
        if (stopping) {
            request.fail(ErrorReply.of(ErrorCode.SHUTTING_DOWN, "this storage peer is stopping"));
            return;
        }
        if (served == null) {
            request.fail(ErrorReply.retryLater(NOT_YET_RETRY_NANOS, "this storage peer does not serve yet"));
            return;
        }
        askedNanos = clock.nanoTime();
        request.reply(
                switch (order.step()) {
                    case WORK -> work(served);
                    case REFUSE_CHANGES -> refuseChanges(served);
                    case PARK -> park(served);
                });
    }

    private HibernateReply work(Site served) {
        if (phase == Phase.REFUSING && !held) {
            phase = Phase.WORKING;
            looks.stop();
            served.chunks().refuse(Refused.NOTHING);
            LOG.atInfo().log("this storage peer takes changes again");
        }
        return reply(phase == Phase.WORKING);
    }

    /** Nobody knows of a stop that a late request has begun, so that nobody would end it. */
    private void lookWhetherAsked() {
        Site served = site;
        if (served != null && phase == Phase.REFUSING && !held && clock.nanoTime() - askedNanos >= ASKED_AGAIN_NANOS) {
            LOG.atWarn().log("nobody asks this storage peer any more to refuse changes");
            work(served);
        }
    }

    private HibernateReply refuseChanges(Site served) {
        if (phase == Phase.WORKING) {
            if (!served.migrations().isIdle() || !served.backups().isIdle()) {
                return new HibernateReply(
                        false, 0, 0, "chunks are being moved or recovered; try again when that is over");
            }
            phase = Phase.REFUSING;
            problem = "";
            refusingSinceNanos = clock.nanoTime();
            looks.beginAfter(LOOK_NANOS);
            served.chunks().refuse(Refused.CHANGES);
            turnedOver = served.chunks().turnOver();
            LOG.atInfo().log("this storage peer refuses changes: it is about to be put to sleep");
        }
        return reply(phase != Phase.REFUSING || isQuiet(served));
    }

    private boolean isQuiet(Site served) {
        return turnedOver.isDone() && served.replication().isSettled();
    }

    /**
     * What refuses changes, and has none that its backups do not have, and takes none until {@link #letGo};
     * null when it takes some or is further.
     */
    @Nullable
    Site holdQuietSite() {
        Site served = site;
        if (served == null || phase != Phase.REFUSING || !isQuiet(served)) {
            return null;
        }
        held = true;
        return served;
    }

    /** Changes are refused still, and it may be asked to take some. */
    void letGo() {
        held = false;
        askedNanos = clock.nanoTime();
        Site served = site;
        if (served != null && !stopping) {
            served.chunks().refuse(Refused.CHANGES);
        }
    }

    private HibernateReply park(Site served) {
        if (phase == Phase.WORKING) {
            // All others refuse changes by now: this process began after they had been asked to.
            return new HibernateReply(false, 0, 0, refuseChanges(served).problem());
        }
        boolean refusedBefore = clock.nanoTime() - refusingSinceNanos >= REFUSED_BEFORE_NANOS;
        if (phase == Phase.REFUSING && !held && refusedBefore && isQuiet(served)) {
            phase = Phase.DUMPING;
            problem = "";
            served.chunks().refuse(Refused.EVERYTHING);
            dumped = served.chunks().turnOver().thenRunAsync(() -> dump(served), worker);
        }
        return reply(phase == Phase.PARKED);
    }

    /** On the worker. */
    private void dump(Site served) {
        try {
            files.writeDump(served.memory());
            scheduler.execute(() -> {
                phase = Phase.RECORDING;
                ParkManifest manifest = describe(served, numberOfDump());
                var _ = served.backups()
                        .freeze()
                        .thenRunAsync(() -> write(manifest), worker)
                        .whenCompleteAsync(
                                (written, failure) -> {
                                    if (failure == null) {
                                        leave(served, manifest.dumpId());
                                    } else {
                                        failed(served, failure);
                                    }
                                },
                                scheduler);
            });
        } catch (IOException | RuntimeException e) {
            scheduler.execute(() -> failed(served, e));
        }
    }

    private void write(ParkManifest manifest) {
        try {
            files.write(manifest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void leave(Site served, long dumpId) {
        served.migrations().stop();
        served.lids().stop();
        served.keeper().revoke();
        served.replication().stop();
        var _ = served.keeper()
                .park(dumpId)
                .whenCompleteAsync(
                        (parked, failure) -> {
                            if (failure != null) {
                                control.fail("the super-peers have given this storage peer up", failure);
                                return;
                            }
                            phase = Phase.PARKED;
                            LOG.atInfo().log(
                                    "this storage peer is parked: its memory is on its disk, the process may be"
                                            + " stopped");
                        },
                        scheduler);
    }

    /** It serves on and refuses changes. */
    private void failed(Site served, Throwable failure) {
        problem = "its memory could not be written to its disk: " + failure.getMessage();
        LOG.atError().setCause(failure).log("this storage peer cannot be parked");
        phase = Phase.REFUSING;
        askedNanos = clock.nanoTime();
        if (!stopping) {
            served.backups().thaw();
            served.chunks().refuse(Refused.CHANGES);
        }
        dumped = CompletableFuture.runAsync(
                () -> {
                    try {
                        files.discard();
                    } catch (IOException e) {
                        LOG.atWarn().setCause(e).log("what was written of the memory could not be deleted");
                    }
                },
                worker);
    }

    private long numberOfDump() {
        long number = random.getAsLong();
        return number == 0 ? 1 : number;
    }

    private static ParkManifest describe(Site served, long dumpId) {
        List<ParkManifest.Request> requests = new ArrayList<>();
        List<ParkManifest.Token> tokens = new ArrayList<>();
        served.chunks().content(served.memory()).tell(0, -1L, new ZoneContent.Visitor() {
            @Override
            public void request(long clientId, long sequence, long ackedSequence, byte[] completion, int sizeBytes) {
                requests.add(new ParkManifest.Request(clientId, sequence, Arrays.copyOf(completion, sizeBytes)));
            }

            @Override
            public void token(long cid, long token) {
                tokens.add(new ParkManifest.Token(cid, token));
            }
        });
        return new ParkManifest(
                served.clusterId(),
                served.ownership().nid(),
                dumpId,
                served.keeper().epoch(),
                served.keeper().firstLid(),
                served.lids().limit(),
                served.replication().grants().stream()
                        .map(grant -> new ParkManifest.Zone(grant.placement(), grant.lastSequence(), grant.ranges()))
                        .toList(),
                served.ownership().knownRanges(),
                requests,
                tokens);
    }

    private HibernateReply reply(boolean done) {
        Site served = site;
        long total = served == null ? 0 : served.memory().statistics().usedBytes();
        long written = phase == Phase.DUMPING ? Math.min(total, files.dumpBytes()) : 0;
        return new HibernateReply(done, done || phase == Phase.RECORDING ? total : written, total, problem);
    }
}
