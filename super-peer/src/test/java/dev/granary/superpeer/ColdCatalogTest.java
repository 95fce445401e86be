package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.overlay.Placement;
import dev.granary.superpeer.node.SuperPeerConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three real super-peers that have just started, and three scripted storage peers, one in each arc: the super-peers
 * plan nothing before they know the storage peers of all arcs.
 */
class ColdCatalogTest {

    private static final long MILLI = 1_000_000L;
    private static final int PEERS = 3;

    private final Map<Integer, ScriptedPeer> peers = new TreeMap<>();
    private final ScriptedPeer[] byNumber = new ScriptedPeer[PEERS];

    private static SuperPeerConfig config(int number) {
        SuperPeerConfig config = number == 0 ? SimulatedRing.founder("s0", 3) : SimulatedRing.config("s" + number);
        return SimulatedRing.withBackups(config, 3);
    }

    private SimulatedRing begin(long seed) {
        SimulatedRing ring = new SimulatedRing(seed);
        for (int i = 0; i < 3; i++) {
            ring.start(config(i));
        }
        for (int i = 0; i < 3; i++) {
            ring.awaitReady("s" + i);
        }
        for (int i = 0; i < PEERS; i++) {
            byNumber[i] = new ScriptedPeer(ring, i, peers);
            byNumber[i].start();
        }
        await(ring, () -> Arrays.stream(byNumber).allMatch(ScriptedPeer::holdsLease));
        return ring;
    }

    private static void await(SimulatedRing ring, BooleanSupplier condition) {
        for (int i = 0; i < 1000 && !condition.getAsBoolean(); i++) {
            ring.runFor(20 * MILLI);
        }
        assertThat(condition.getAsBoolean()).as("%s", ring).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void reserveLids_allSuperPeersHaveStartedAnew_zonesForCopiesOnAllOtherPeers(long seed) {
        SimulatedRing ring = begin(seed);
        for (int i = 0; i < 3; i++) {
            ring.node("s" + i).kill();
        }
        for (int i = 0; i < 3; i++) {
            ring.start(config(i));
        }
        List<CompletableFuture<ReserveLidsReply>> replies = new ArrayList<>();
        long limit = 1 + SimulatedRing.LID_BLOCK;
        for (int millis = 0; millis < 4000; millis += 20) {
            ring.runFor(20 * MILLI);
            for (ScriptedPeer peer : byNumber) {
                ReserveLids reserve = new ReserveLids(peer.nid(), peer.incarnation(), 1, limit + 1 + millis);
                for (int i = 0; i < 3; i++) {
                    replies.add(ring.begin("s" + i, MessageType.RESERVE_LIDS, reserve));
                }
            }
        }
        ring.runFor(4000 * MILLI);

        List<Integer> wanted = replies.stream()
                .filter(reply -> !reply.isCompletedExceptionally())
                .map(reply -> reply.join().wantedCopies())
                .toList();
        assertThat(wanted).as("%s", ring).hasSizeGreaterThan(100).containsOnly(2);
        for (ScriptedPeer peer : byNumber) {
            for (Placement zone : zonesOf(ring, peer)) {
                assertThat(zone.backupCount()).as("%s: %s", ring, zone).isEqualTo(2);
            }
        }
    }

    private static List<Placement> zonesOf(SimulatedRing ring, ScriptedPeer peer) {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<ZoneList> reply = ring.send(
                    SimulatedRing.address("s" + i), MessageType.LIST_ZONES, new ListZones(peer.nid(), peer.nid(), 0));
            if (!reply.isCompletedExceptionally()) {
                return reply.join().zones();
            }
        }
        throw new AssertionError(ring + ": nobody tells the zones");
    }
}
