package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.lease.ArcCalls;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Threads change and read zones of two backups while the zones go from epoch to epoch. Some changes must be on the
 * disks of both backups, and both streams together have less room in flight than they want. Everything shown or
 * answered is on both backups, or synced there, and everything is answered.
 */
class SyncThreadsTest {

    private static final int FACTOR = Integer.getInteger("granary.threads.factor", 1);
    private static final UUID CLUSTER = new UUID(1, 2);
    private static final int OWNER = 0x8000;
    private static final int[] BACKUPS = {0xA000, 0xC000};
    private static final long FIRST_EPOCH = 5;
    private static final int ZONES = 3;
    private static final int CHUNKS = 4;
    private static final int WRITERS = 3;
    private static final int READERS = 2;
    private static final int BURSTS = 100 * FACTOR;
    private static final int BURSTS_OF_AN_EPOCH = 5;
    private static final int WRITES_IN_BURST = 4;
    private static final int LIMIT_SECONDS = 30;

    /** About two batches, so that a request has only a few. */
    private static final int REQUEST_BYTES = 100;

    /** About one request, so that one stream may have to wait for the other. */
    private static final int SHIPPED_BYTES = 150;

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(3));
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final ThreadScheduler scheduler = new ThreadScheduler("control", thrown::add);
    private final List<ModelBackup> backups =
            List.of(new ModelBackup(ZONES, FIRST_EPOCH), new ModelBackup(ZONES, FIRST_EPOCH));
    private final RpcIdentity identity = identity(OWNER);
    private final RpcClient client = new RpcClient(transport, new SystemClock(), scheduler, identity);
    private final Replication replication = new Replication(
            new SystemClock(),
            scheduler,
            client,
            identity,
            new NoArc(),
            transport.allocator(),
            ReplicationConfig.defaults()
                    .withTimeoutNanos(TimeUnit.SECONDS.toNanos(LIMIT_SECONDS))
                    .within(REQUEST_BYTES, new ReplicationBounds(1 << 20, 1 << 20, 1 << 20, SHIPPED_BYTES, 1 << 20)),
            new ReplicationMetrics(new CollectorRegistry()));

    /**
     * By zone and chunk, the sequence of the last batch that changed it; written without any ordering, as chunks are.
     */
    private final long[][] memory = new long[ZONES][CHUNKS];

    /** The same for the last change that must be on disks. */
    private final long[][] toSync = new long[ZONES][CHUNKS];

    private final AtomicLong early = new AtomicLong();
    private final AtomicLong tooMuchShipped = new AtomicLong();
    private volatile CountDownLatch missing = new CountDownLatch(0);

    private final CyclicBarrier nextBurst =
            new CyclicBarrier(WRITERS, () -> missing = new CountDownLatch(WRITERS * WRITES_IN_BURST));
    private final AtomicInteger writersLeft = new AtomicInteger(WRITERS);

    @AfterEach
    void close() {
        client.close();
        scheduler.close();
        transport.close();
    }

    @Test
    void changesReadsAndEpochs_manyThreads_showAndAnswerOnlyWhatBothBackupsHave() throws Exception {
        List<OwnedZone> zones = begin();
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS + READERS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                running.add(threads.submit(() -> write(zones, writer)));
            }
            for (int r = 0; r < READERS; r++) {
                int reader = r;
                running.add(threads.submit(() -> read(zones, reader)));
            }
            for (Future<?> each : running) {
                each.get(10 * LIMIT_SECONDS, TimeUnit.SECONDS);
            }
        }
        assertThat(thrown).isEmpty();
        assertThat(early).as("shown or answered before both backups had it").hasValue(0);
        assertThat(tooMuchShipped).hasValue(0);
        for (ModelBackup backup : backups) {
            assertThat(backup.problems).isEmpty();
            for (int z = 0; z < ZONES; z++) {
                assertThat(zones.get(z).acked()).isEqualTo(zones.get(z).last());
                assertThat(backup.held.get(z)).isEqualTo(zones.get(z).last());
            }
        }
        for (OwnedZone zone : zones) {
            assertThat(zone.synced()).isGreaterThanOrEqualTo(zone.lastToSync());
            assertThat(zone.placement().epoch()).isGreaterThan(FIRST_EPOCH);
        }
        assertThat(replication.pendingBytes()).isZero();
        assertThat(replication.shippedBytes()).isZero();
        assertThat(replication.zones().held().bytes()).isZero();
    }

    private List<OwnedZone> begin() throws Exception {
        for (int i = 0; i < BACKUPS.length; i++) {
            HostAddress address = transport
                    .listen(
                            new HostAddress("127.0.0.1", 0),
                            new RpcServer(identity(BACKUPS[i]), backups.get(i)::handle))
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS);
            replication.addresses().learn(BACKUPS[i], address);
        }
        CountDownLatch begun = new CountDownLatch(1);
        scheduler.execute(() -> {
            for (int z = 0; z < ZONES; z++) {
                place(z, FIRST_EPOCH);
            }
            begun.countDown();
        });
        assertThat(begun.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        List<OwnedZone> zones = new ArrayList<>();
        for (int z = 0; z < ZONES; z++) {
            OwnedZone zone = replication.zones().byId(zoneId(z));
            assertThat(zone).isNotNull();
            zones.add(zone);
        }
        return zones;
    }

    /** Runs as a task of the scheduler. */
    private void place(int z, long epoch) {
        Placement placement = new Placement(OWNER, BACKUPS, epoch, zoneId(z), PlacementState.IN_SYNC);
        replication.add(new ZoneGrant(
                placement, List.of(new CidRange(cid(z, 0), cid(z, CHUNKS - 1), placement)), 0, true, true));
    }

    private Void write(List<OwnedZone> zones, int writer) throws Exception {
        SplittableRandom random = new SplittableRandom(writer);
        ZoneBatch batch = new ZoneBatch(transport.allocator());
        try {
            for (int burst = 0; burst < BURSTS; burst++) {
                nextBurst.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                if (writer == 0 && burst % BURSTS_OF_AN_EPOCH == 0) {
                    int z = burst / BURSTS_OF_AN_EPOCH % ZONES;
                    long epoch = FIRST_EPOCH + 1 + burst / BURSTS_OF_AN_EPOCH;
                    scheduler.execute(() -> place(z, epoch));
                }
                for (int i = 0; i < WRITES_IN_BURST; i++) {
                    int z = random.nextInt(ZONES);
                    write(zones.get(z), z, random.nextInt(CHUNKS), random.nextInt(3) == 0, batch);
                }
                assertThat(missing.await(LIMIT_SECONDS, TimeUnit.SECONDS))
                        .as("all answers of burst " + burst)
                        .isTrue();
            }
        } finally {
            writersLeft.decrementAndGet();
        }
        return null;
    }

    private void write(OwnedZone zone, int z, int chunk, boolean sync, ZoneBatch batch) {
        long sequence;
        zone.lock();
        try {
            batch.start(zone);
            zone.mark(cid(z, chunk), sync);
            OwnedZone.publishMarks();
            memory[z][chunk] = zone.nextSequence();
            if (sync) {
                toSync[z][chunk] = zone.nextSequence();
            }
            batch.tombstone(cid(z, chunk));
            sequence = batch.append(zone, sync);
        } finally {
            zone.unlock();
        }
        zone.send();
        HeldReply reply = replication.zones().held().hold(() -> true, 1, Long.MAX_VALUE / 4, refusal -> {
            early.addAndGet(refusal == null && areThere(z, sequence, sync ? sequence : 0) ? 0 : 1);
            missing.countDown();
        });
        zone.await(sequence, false, reply);
        if (sync) {
            zone.await(sequence, true, reply);
        }
        reply.begun();
    }

    private boolean areThere(int z, long sequence, long syncedSequence) {
        return backups.stream()
                .allMatch(backup -> backup.held.get(z) >= sequence && backup.synced.get(z) >= syncedSequence);
    }

    private void read(List<OwnedZone> zones, int reader) {
        SplittableRandom random = new SplittableRandom(100 + reader);
        while (writersLeft.get() > 0) {
            int z = random.nextInt(ZONES);
            int chunk = random.nextInt(CHUNKS);
            long seen = memory[z][chunk];
            long seenToSync = toSync[z][chunk];
            OwnedZone.observeMarks();
            OwnedZone zone = zones.get(z);
            boolean shown = zone.hides(cid(z, chunk)) == 0 && zone.hidesUntilSynced(cid(z, chunk)) == 0;
            if (shown && !areThere(z, seen, seenToSync)) {
                early.incrementAndGet();
            }
            if (replication.shippedBytes() > SHIPPED_BYTES) {
                tooMuchShipped.incrementAndGet();
            }
            Thread.onSpinWait();
        }
    }

    private static RpcIdentity identity(int nid) {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, nid);
        identity.joinCluster(CLUSTER);
        identity.takeNid(nid);
        return identity;
    }

    private static int zoneId(int number) {
        return BackupZone.id(OWNER, number + 1);
    }

    private static long cid(int zone, int chunk) {
        return (long) OWNER << 48 | zone * 1000L + chunk + 1;
    }

    /** Fails the test when an arc is asked anything but the address of a slow backup, which has not changed. */
    private final class NoArc implements ArcCalls {
        @Override
        public <Q extends Message, R extends Message> void callArc(
                int nid, MessageType<Q, R> type, Q request, Consumer<R> done, Consumer<Throwable> failed) {
            if (request instanceof AskPeer) {
                scheduler.execute(() -> failed.accept(new IllegalStateException("no other address is known")));
            } else {
                thrown.add(new AssertionError("an arc is asked " + request));
            }
        }
    }
}
