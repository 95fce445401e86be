package dev.granary.superpeer.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerList.GroupVoters;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.ring.LoneRing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterStatusTest {

    private static final int A = 0x8000;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final LoneRing ring = new LoneRing(1);
    private final ClusterStatus status =
            new ClusterStatus(ring.lone.node(), ring.lone.transport(), ring.book, ring.membership, ring.arcs);

    @AfterEach
    void nothingFailed() {
        assertThat(ring.lone.failures).isEmpty();
    }

    private static PeerInfo peer(boolean live) {
        HostAddress address = LoneNode.address("p");
        PeerStatistics statistics = new PeerStatistics(live ? 5 : 3, 0, 0, 0, 1 << 20, 0, 0);
        return new PeerInfo(
                A, "p", address, address, live, 0, 1, 1, 1, PeerInfo.Drain.NONE, 0, statistics, 0, "", "", false, null);
    }

    private static Answers telling(List<PeerInfo> peers, List<Integer> arcs, GroupVoters... groups) {
        return new Answers()
                .to(MessageType.LIST_PEERS, ask -> new PeerList(1, peers, arcs, List.of(groups)))
                .to(MessageType.ZONE_STATUS, ask -> new ZoneStatus(5, 2, 0, 0, 0, List.of(), List.of(), List.of()));
    }

    private CompletableFuture<String> begin() {
        List<CompletableFuture<String>> begun = new ArrayList<>();
        ring.lone.run(() -> begun.add(status.gather()));
        return begun.getFirst();
    }

    private String gathered() {
        CompletableFuture<String> json = begin();
        ring.await(json::isDone);
        return json.join();
    }

    private static String superPeer(String name, boolean reachable) {
        return "\"name\":\"" + name + "\",\"address\":\"" + name + ":7400\",\"httpAddress\":\"" + name
                + ":7400\",\"reachable\":" + reachable;
    }

    @Test
    void gather_superPeerBelongsToNoRing_tellsAtOnceThatThereIsNone() {
        CompletableFuture<String> json = begin();
        assertThat(json).isCompleted();
        assertThat(json.join()).contains("\"clusterId\":\"\"").contains("\"storagePeers\":[]");
    }

    @Test
    void gather_onlySuperPeer_asksNobodyAndShowsWhatItServes() {
        ring.begin();
        CompletableFuture<String> json = begin();
        assertThat(json).isCompleted();
        assertThat(json.join())
                .contains("\"clusterId\":\"" + LoneNode.CLUSTER + "\"")
                .contains(superPeer("s0", true))
                .contains("\"leader\":true,\"arcServedBy\":\"0x0001\"");
    }

    @Test
    void gather_othersAnswer_allOfItIsPutTogether() {
        ring.begin();
        ring.admit(
                "s1",
                telling(
                        List.of(peer(true)),
                        List.of(LoneRing.SECOND),
                        new GroupVoters(LoneRing.SECOND, List.of(LoneRing.SECOND))));
        ring.admit("s2", telling(List.of(), List.of()));
        assertThat(gathered())
                .contains(superPeer("s1", true) + ",\"votes\":1")
                .contains(superPeer("s2", true) + ",\"votes\":0")
                .contains("\"livePeers\":1")
                .as("of both")
                .contains("\"inSync\":10,\"degraded\":4");
    }

    @Test
    void gather_oneIsSilent_isUnreachableAfterHalfASecondAndTheOthersAreShown() {
        ring.begin();
        ring.admit("s1", new Answers());
        ring.admit("s2", telling(List.of(peer(true)), List.of()));
        CompletableFuture<String> json = begin();
        ring.lone.runFor(480 * MILLI);
        assertThat(json).isNotDone();
        ring.lone.runFor(100 * MILLI);
        assertThat(json).isCompleted();
        assertThat(json.join())
                .contains(superPeer("s1", false))
                .contains(superPeer("s2", true))
                .contains("\"livePeers\":1");
    }

    @Test
    void gather_oneRefusesOrIsNotThere_isUnreachable() {
        ring.begin();
        ring.admit(
                "s1",
                new Answers()
                        .refuse(MessageType.LIST_PEERS, ErrorCode.SHUTTING_DOWN, "stopping")
                        .refuse(MessageType.ZONE_STATUS, ErrorCode.SHUTTING_DOWN, "stopping"));
        ring.admit("s2", new Answers());
        ring.lone.simulation.node("s2").kill();
        assertThat(gathered()).contains(superPeer("s1", false)).contains(superPeer("s2", false));
    }

    /** While an arc changes hands two super-peers know a storage peer; only one of them has heard of it lately. */
    @Test
    void gather_twoTellOfOneStoragePeer_theOneWhereItLivesCounts() {
        ring.begin();
        ring.admit("s1", telling(List.of(peer(false)), List.of()));
        ring.admit("s2", telling(List.of(peer(true)), List.of()));
        ring.admit("s3", telling(List.of(peer(false)), List.of()));
        assertThat(gathered())
                .contains("\"state\":\"live\"")
                .contains("\"storagePeers\":1,\"livePeers\":1,\"ranges\":1,\"chunks\":5");
    }
}
