package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
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
 * Threads change and read zones at once, over a stream with real connections to a backup that takes batches by the
 * rules and is sometimes busy: everything shown or answered is on the backup. Lincheck cannot run this, because it
 * takes I/O threads, a scheduler and the locks of several zones.
 */
class ReplicationThreadsTest {

    private static final int FACTOR = Integer.getInteger("granary.threads.factor", 1);
    private static final UUID CLUSTER = new UUID(1, 2);
    private static final int OWNER = 0x8000;
    private static final int BACKUP = 0xA000;
    private static final long EPOCH = 5;
    private static final int ZONES = 3;
    private static final int CHUNKS = 4;
    private static final int WRITERS = 3;
    private static final int READERS = 2;
    private static final int BURSTS = 250 * FACTOR;
    private static final int WRITES_IN_BURST = 3;
    private static final int LIMIT_SECONDS = 30;

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(2));
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final ThreadScheduler scheduler = new ThreadScheduler("control", thrown::add);
    private final ModelBackup backup = new ModelBackup(ZONES, EPOCH);
    private final RpcIdentity identity = identity(OWNER);
    private final RpcClient client = new RpcClient(transport, new SystemClock(), scheduler, identity);
    private final Replication replication = new Replication(
            new SystemClock(),
            scheduler,
            client,
            identity,
            new NoArc(),
            transport.allocator(),
            ReplicationConfig.defaults().withTimeoutNanos(TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)),
            new ReplicationMetrics(new CollectorRegistry()));

    /**
     * By zone and chunk, the sequence of the last batch that changed it; written without any ordering, as chunks are.
     */
    private final long[][] memory = new long[ZONES][CHUNKS];

    private final AtomicLong early = new AtomicLong();

    /**
     * Answers that are missing in this burst: the next one begins when all are there, so that nothing hides a lost one.
     */
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
    void changesAndReads_manyThreads_showAndAnswerOnlyWhatTheBackupHas() throws Exception {
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
        assertThat(backup.problems).isEmpty();
        assertThat(early).as("shown or answered before the backup had it").hasValue(0);
        for (int z = 0; z < ZONES; z++) {
            assertThat(zones.get(z).acked()).isEqualTo(zones.get(z).last());
            assertThat(backup.held.get(z)).isEqualTo(zones.get(z).last());
        }
        assertThat(replication.pendingBytes()).isZero();
        assertThat(replication.zones().held().bytes()).isZero();
    }

    private List<OwnedZone> begin() throws Exception {
        HostAddress address = transport
                .listen(new HostAddress("127.0.0.1", 0), new RpcServer(identity(BACKUP), backup::handle))
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        replication.addresses().learn(BACKUP, address);
        CountDownLatch begun = new CountDownLatch(1);
        scheduler.execute(() -> {
            for (int z = 0; z < ZONES; z++) {
                Placement placement =
                        new Placement(OWNER, new int[] {BACKUP}, EPOCH, zoneId(z), PlacementState.IN_SYNC);
                replication.add(new ZoneGrant(
                        placement, List.of(new CidRange(cid(z, 0), cid(z, CHUNKS - 1), placement)), 0, true, true));
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

    private Void write(List<OwnedZone> zones, int writer) throws Exception {
        SplittableRandom random = new SplittableRandom(writer);
        ZoneBatch batch = new ZoneBatch(transport.allocator());
        try {
            for (int burst = 0; burst < BURSTS; burst++) {
                nextBurst.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                for (int i = 0; i < WRITES_IN_BURST; i++) {
                    int z = random.nextInt(ZONES);
                    write(zones.get(z), z, random.nextInt(CHUNKS), batch);
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

    private void write(OwnedZone zone, int z, int chunk, ZoneBatch batch) {
        long sequence;
        zone.lock();
        try {
            batch.start(zone);
            zone.mark(cid(z, chunk), false);
            OwnedZone.publishMarks();
            memory[z][chunk] = zone.nextSequence();
            batch.tombstone(cid(z, chunk));
            sequence = batch.append(zone, false);
        } finally {
            zone.unlock();
        }
        zone.send();
        HeldReply reply = replication.zones().held().hold(() -> true, 1, Long.MAX_VALUE / 4, refusal -> {
            early.addAndGet(refusal == null && backup.held.get(z) >= sequence ? 0 : 1);
            missing.countDown();
        });
        zone.await(sequence, false, reply);
        reply.begun();
    }

    private void read(List<OwnedZone> zones, int reader) {
        SplittableRandom random = new SplittableRandom(100 + reader);
        while (writersLeft.get() > 0) {
            int z = random.nextInt(ZONES);
            int chunk = random.nextInt(CHUNKS);
            long seen = memory[z][chunk];
            OwnedZone.observeMarks();
            if (zones.get(z).hides(cid(z, chunk)) == 0 && backup.held.get(z) < seen) {
                early.incrementAndGet();
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

    /** Fails the test when an arc is asked: nothing goes wrong for which one would be asked. */
    private final class NoArc implements ArcCalls {
        @Override
        public <Q extends Message, R extends Message> void callArc(
                int nid, MessageType<Q, R> type, Q request, Consumer<R> done, Consumer<Throwable> failed) {
            thrown.add(new AssertionError("an arc is asked " + request));
        }
    }
}
