package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ClientOptions;
import dev.granary.client.LockHeldException;
import dev.granary.client.LockLostException;
import dev.granary.client.NamedChunk;
import dev.granary.client.Place;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.client.internal.ConnectedClient;
import dev.granary.env.Environment;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.overlay.Cid;
import dev.granary.simulation.planted.HastyWorld;
import dev.granary.simulation.planted.world.CrawlingClock;
import dev.granary.simulation.planted.world.LyingDisk;
import dev.granary.testkit.LockHistory;
import dev.granary.testkit.LockHistory.Wish;
import dev.granary.testkit.NameHistory;
import dev.granary.testkit.NameHistory.Change;
import dev.granary.testkit.NameHistory.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names and client locks from the client to the super-peers and back; bugs in what they rest on are caught. */
class NamesAndLocksTest {

    private static final long SECOND = 1_000_000_000;
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration NO_WAIT = Duration.ZERO;

    private @Nullable SimulatedCluster running;

    @AfterEach
    void giveBackMemory() {
        if (running != null) {
            running.close();
        }
    }

    private SimulatedCluster open(ClusterShape shape) {
        SimulatedCluster cluster = new SimulatedCluster(7, shape);
        running = cluster;
        return cluster;
    }

    private SimulatedCluster cluster() {
        return Objects.requireNonNull(running);
    }

    private AsyncGranaryClient client(int index) {
        return cluster().clients().get(index).client();
    }

    private <T> CompletableFuture<T> ended(CompletableFuture<T> future) {
        assertThat(cluster().simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future;
    }

    private <T> T await(CompletableFuture<T> future) {
        return ended(future).join();
    }

    private Throwable failure(CompletableFuture<?> future) {
        return ended(future).exceptionNow();
    }

    private long newChunk() {
        return await(client(0).create(new byte[] {1}, Place.anywhere()));
    }

    @Test
    void names_onThreeSuperPeers_arePutFoundListedAndRemoved() {
        open(ClusterShape.of(3, 2, 2)).start();
        long cid = newChunk();
        List<NamedChunk> expected = new ArrayList<>();
        for (int i = 10; i < 60; i++) {
            assertThat(await(client(0).names().put("user:" + i, cid))).isEmpty();
            expected.add(new NamedChunk("user:" + i, cid));
        }
        await(client(0).names().put("other", cid));
        assertThat(await(client(1).names().get("user:33"))).hasValue(cid);
        assertThat(await(client(1).names().putIfAbsent("user:33", cid))).isFalse();
        assertThat(await(client(1).names().list("user:", "", 100))).isEqualTo(expected);
        assertThat(await(client(1).names().list("user:", "user:19", 7))).isEqualTo(expected.subList(10, 17));
        assertThat(await(client(1).names().remove("user:33"))).hasValue(cid);
        assertThat(await(client(0).names().get("user:33"))).isEmpty();
        assertThat(await(client(0).names().replace("user:34", cid + 1, cid))).isFalse();
        assertThat(await(client(0).names().remove("user:34", cid))).isTrue();
    }

    @Test
    void name_ofAChunkThatIsNotThere_isRefused() {
        open(ClusterShape.of(1, 1, 1)).start();
        long cid = newChunk();
        await(client(0).delete(cid));
        assertThat(failure(client(0).names().put("a", cid))).hasMessageContaining("does not exist");
        assertThat(failure(client(0).names().put("", cid))).hasMessageContaining("0 bytes");
        assertThat(await(client(0).names().get("a"))).isEmpty();
    }

    @Test
    void lock_thatHasPassedOn_changesNothingAnyMore() {
        open(ClusterShape.of(1, 1, 2)).start();
        long cid = newChunk();
        AsyncChunkLock first = await(client(0).lock(cid, LEASE, NO_WAIT));
        assertThat(failure(client(1).lock(cid, LEASE, NO_WAIT))).isInstanceOf(LockHeldException.class);
        await(first.put(new byte[] {2}));
        await(first.renew());
        assertThat(first.isHeld()).isTrue();
        AsyncChunkLock second = await(client(1).lock(cid, LEASE, Duration.ofSeconds(3)));
        assertThat(first.isHeld()).isFalse();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(failure(first.put(new byte[] {3}))).isInstanceOf(LockLostException.class);
        assertThat(failure(first.delete())).isInstanceOf(LockLostException.class);
        assertThat(failure(first.renew())).isInstanceOf(LockLostException.class);
        assertThat(await(client(0).get(cid))).containsExactly(2);
        await(first.unlock());
        assertThat(await(client(0).lockView(cid)).token()).isEqualTo(second.token());
        await(second.put(new byte[] {4}));
        await(second.unlock());
        assertThat(await(client(0).lockView(cid)).token()).isZero();
        assertThat(await(client(0).get(cid))).containsExactly(4);
    }

    @Test
    void lock_holdersClockStandsStill_tokenProtectsTheChunk() {
        SimulatedCluster cluster = open(ClusterShape.of(1, 1, 1));
        cluster.start();
        List<AsyncGranaryClient> sleepers = new ArrayList<>();
        cluster.simulation()
                .node("sleeper")
                .start(world -> sleepers.add(new ConnectedClient(
                        new CrawlingClock(world.environment().clock()),
                        world.environment().scheduler(),
                        world.environment().random(),
                        world.transport(),
                        ClientOptions.of("super-0:" + SimulatedCluster.SUPER_PEER_PORT))));
        assertThat(cluster.simulation().runUntil(() -> !sleepers.isEmpty(), SECOND))
                .isTrue();
        long cid = newChunk();
        AsyncChunkLock lock = await(sleepers.getFirst().lock(cid, LEASE, NO_WAIT));
        AsyncChunkLock next = await(client(0).lock(cid, LEASE, Duration.ofSeconds(3)));
        assertThat(lock.isHeld()).as("the sleeper believes so").isTrue();
        assertThat(failure(lock.put(new byte[] {9}))).isInstanceOf(LockLostException.class);
        await(next.put(new byte[] {2}));
        assertThat(await(client(0).get(cid))).containsExactly(2);
    }

    @Test
    void lock_chunkMovesToAnotherPeer_oldTokensAreRefusedThere() {
        open(ClusterShape.of(1, 2, 2)).start();
        long cid = newChunk();
        AsyncChunkLock first = await(client(0).lock(cid, LEASE, NO_WAIT));
        AsyncChunkLock second = await(client(1).lock(cid, Duration.ofSeconds(30), Duration.ofSeconds(3)));
        int target = cluster().storagePeers().stream()
                .mapToInt(StorageMachine::nid)
                .filter(nid -> nid != Cid.nid(cid))
                .findFirst()
                .orElseThrow();
        AsyncClusterAdmin admin = cluster().operator().orElseThrow().admin();
        MigrationReply moved = await(admin.beginMigration(cid, cid, target).thenCompose(admin::awaitMigration));
        assertThat(moved.state()).isEqualTo(MigrationState.COMMITTED);
        assertThat(failure(first.put(new byte[] {3}))).isInstanceOf(LockLostException.class);
        await(second.put(new byte[] {4}));
        await(second.renew());
        assertThat(await(client(0).get(cid))).containsExactly(4);
    }

    @Test
    void lock_storagePeerRestarts_isHeldButItsChunkIsLost() {
        open(ClusterShape.of(1, 1, 2)).start();
        long cid = newChunk();
        AsyncChunkLock lock = await(client(0).lock(cid, Duration.ofSeconds(30), NO_WAIT));
        StorageMachine peer = cluster().storagePeers().getFirst();
        peer.kill();
        peer.start();
        assertThat(cluster().simulation().runUntil(peer::isReady, 30 * SECOND)).isTrue();
        await(lock.renew());
        assertThat(failure(lock.put(new byte[] {2}))).hasMessageContaining("is lost");
        assertThat(failure(client(1).lock(cid, LEASE, NO_WAIT))).isInstanceOf(LockHeldException.class);
        await(lock.unlock());
        assertThat(failure(client(1).lock(cid, LEASE, NO_WAIT))).hasMessageContaining("is lost");
        assertThat(await(client(1).lockView(cid)).token()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void namesAndLocks_anySuperPeerDies_areServedByTheOthers(int dead) {
        open(ClusterShape.of(3, 2, 2)).start();
        long cid = newChunk();
        for (int i = 0; i < 20; i++) {
            await(client(0).names().put("name-" + i, cid));
        }
        AsyncChunkLock lock = await(client(0).lock(cid, Duration.ofSeconds(30), NO_WAIT));
        cluster().superPeers().get(dead).kill();
        for (int i = 0; i < 20; i++) {
            assertThat(await(client(1).names().get("name-" + i))).hasValue(cid);
        }
        assertThat(await(client(1).names().list("name-", "", 100))).hasSize(20);
        await(client(1).names().put("later", cid));
        await(lock.renew());
        assertThat(failure(client(1).lock(cid, LEASE, NO_WAIT))).isInstanceOf(LockHeldException.class);
        await(lock.put(new byte[] {2}));
        await(lock.unlock());
        AsyncChunkLock next = await(client(1).lock(cid, LEASE, NO_WAIT));
        assertThat(next.token()).isGreaterThan(lock.token());
    }

    @Test
    void names_diskOfTheSuperPeerLies_areCaught() {
        NameHistory names = new NameHistory(() -> 0);
        LockHistory locks = new LockHistory();
        loseTheSuperPeersPower(true, names, locks);
        assertThatThrownBy(names::check).hasMessageStartingWith("name a:");
        assertThatThrownBy(locks::check).hasMessageStartingWith("lock of " + Cid.toHex(Cid.of(0x8000, 1)));
    }

    @Test
    void names_diskOfTheSuperPeerIsHonest_areKept() {
        NameHistory names = new NameHistory(() -> 0);
        LockHistory locks = new LockHistory();
        loseTheSuperPeersPower(false, names, locks);
        names.check();
        locks.check();
        assertThat(locks.grants()).isEqualTo(2);
    }

    private void loseTheSuperPeersPower(boolean diskLies, NameHistory names, LockHistory locks) {
        List<LyingDisk> disks = new ArrayList<>();
        open(ClusterShape.of(1, 1, 2).withSuperPeerWorld(world -> {
            LyingDisk disk = new LyingDisk(world.disk());
            disks.add(disk);
            return new Environment(world.clock(), world.scheduler(), world.random(), disk);
        }));
        cluster().start();
        long cid = newChunk();
        if (diskLies) {
            disks.getFirst().beginToLie();
        }
        Change put = names.begin("c", Kind.PUT, "a", cid);
        put.saw(await(client(0).names().put("a", cid)).orElse(NameHistory.NOTHING));
        lock(0, cid, locks);
        SuperPeerMachine superPeer = cluster().superPeers().getFirst();
        superPeer.powerOff();
        superPeer.start();
        assertThat(cluster().simulation().runUntil(superPeer::isReady, 30 * SECOND))
                .isTrue();
        Change get = names.begin("c", Kind.GET, "a", NameHistory.NOTHING);
        get.saw(await(client(1).names().get("a")).orElse(NameHistory.NOTHING));
        lock(1, cid, locks);
    }

    @Test
    void locks_timeOfTheSuperPeerRuns_areCaught() {
        LockHistory locks = new LockHistory();
        open(ClusterShape.of(1, 1, 2).withSuperPeerWorld(HastyWorld::of)).start();
        long cid = newChunk();
        lock(0, cid, locks);
        lock(1, cid, locks);
        assertThatThrownBy(locks::check).hasMessageContaining("holds the lock");
    }

    private void lock(int client, long cid, LockHistory locks) {
        Wish wish = locks.begin("client-" + client, cid);
        AsyncChunkLock lock = await(client(client).lock(cid, LEASE, Duration.ofSeconds(4)));
        wish.granted(lock.token(), lock::isHeld);
    }
}
