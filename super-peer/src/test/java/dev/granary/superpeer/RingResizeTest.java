package dev.granary.superpeer;

import static dev.granary.superpeer.SimulatedRing.config;
import static dev.granary.superpeer.SimulatedRing.founder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.name.NamePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Super-peers join the ring and leave it while their arcs hold peers and names. */
class RingResizeTest {

    private static final HostAddress PEER = new HostAddress("p", 7500);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int PEERS = 12;
    private static final int NAMES = 40;

    private final SimulatedRing ring = new SimulatedRing(new Random().nextLong());
    private final TreeMap<Integer, Long> epochs = new TreeMap<>();

    private void startWithCandidates(int founded, int candidates) {
        ring.start(founder("s0", founded));
        for (int i = 1; i < founded; i++) {
            ring.start(config("s" + i));
        }
        for (int i = 0; i < founded + candidates; i++) {
            if (i >= founded) {
                ring.start(config("s" + i));
            }
            ring.awaitReady("s" + i);
        }
        ring.runFor(2 * SECOND);
    }

    /**
     * Asks the super-peer that is responsible for a place on the ring, as s0 knows it, or the one that it names, until
     * there is an answer. Another super-peer may lead the group of an arc for seconds after a restart.
     */
    private <Q extends Message, R extends Message> R ask(int place, MessageType<Q, R> type, Q request) {
        HostAddress named = null;
        for (int attempt = 0; attempt < 100; attempt++) {
            RingMember owner = ring.superPeer("s0").ring().ownerOf(place);
            var reply = ring.send(named == null ? owner.address() : named, type, request);
            if (!reply.isCompletedExceptionally()) {
                return reply.join();
            }
            ErrorReply refusal = SimulatedRing.errorOf(reply);
            assertThat(refusal.code()).as("%s: %s", ring, refusal).isIn(ErrorCode.RETRY_LATER, ErrorCode.REDIRECT);
            named = refusal.redirect();
            ring.runFor(SECOND / 20);
        }
        throw new AssertionError(ring + ": no answer to " + request);
    }

    private void fill() {
        for (int i = 0; i < PEERS; i++) {
            UUID disk = new UUID(3, i);
            int nid =
                    ask(1, MessageType.ASSIGN_NID, new AssignNid(disk, 1, "p")).nid();
            OpenLeaseReply opened = ask(
                    nid,
                    MessageType.OPEN_LEASE,
                    new OpenLease(nid, disk, i + 1, "p" + i, PEER, PEER, 4096, "", "", 0, null));
            epochs.put(nid, opened.epoch());
        }
        for (int i = 0; i < NAMES; i++) {
            ChangeName change =
                    new ChangeName(5, i + 1, i, false, "name-" + i, Cid.of(0x8000, i + 1), NameCondition.ALWAYS, 0);
            ask(NamePosition.of("name-" + i), MessageType.CHANGE_NAME, change);
        }
    }

    private void checkAll() {
        int i = 0;
        for (int nid : new ArrayList<>(epochs.keySet())) {
            assertThat(ask(nid, MessageType.LOOKUP, new Lookup(Cid.of(nid, 1)))
                            .range()
                            .placement()
                            .owner())
                    .isEqualTo(nid);
            i++;
        }
        assertThat(i).isEqualTo(PEERS);
        for (int name = 0; name < NAMES; name++) {
            assertThat(ask(NamePosition.of("name-" + name), MessageType.GET_NAME, new GetName("name-" + name))
                            .cid())
                    .as("%s, name %d", ring, name)
                    .isEqualTo(Cid.of(0x8000, name + 1));
        }
    }

    private void renewAll() {
        int i = 0;
        for (var peer : epochs.entrySet()) {
            RenewLease renew = new RenewLease(
                    peer.getKey(),
                    incarnationOf(peer.getKey()),
                    peer.getValue(),
                    new PeerStatistics(0, 0, 0, 0, 1, 0, 0));
            assertThat(ask(peer.getKey(), MessageType.RENEW_LEASE, renew).leaseNanos())
                    .isEqualTo(SimulatedRing.LEASE_NANOS);
            i++;
        }
        assertThat(i).isEqualTo(PEERS);
    }

    /** Returns the incarnation whose disk has a NID: NIDs are given in the order of the disks. */
    private static long incarnationOf(int nid) {
        return Nid.reverse16(nid);
    }

    private void resize(int size) {
        for (int attempt = 0; attempt < 100; attempt++) {
            for (String name : List.of("s0", "s1", "s2", "s3", "s4")) {
                if (!ring.node(name).isRunning()) {
                    continue;
                }
                var reply = ring.send(SimulatedRing.address(name), MessageType.RESIZE_RING, new ResizeRing(size));
                if (!reply.isCompletedExceptionally()) {
                    return;
                }
            }
            ring.runFor(SECOND / 10);
        }
        throw new AssertionError(ring + ": the ring cannot be resized");
    }

    private void awaitSize(int size) {
        boolean reached = ring.simulation.runUntil(
                () -> ring.superPeer("s0").ring().members().size() == size, 60 * SECOND);
        assertThat(reached).as("%s: %s", ring, ring.status("s0")).isTrue();
    }

    @Test
    void resize_oneToThreeAndBack_nothingIsLostAndEpochsRise() {
        startWithCandidates(1, 2);
        fill();
        Ring before = ring.superPeer("s0").ring();
        resize(3);
        awaitSize(3);
        checkAll();
        renewAll();
        assertThat(ring.superPeer("s0").ring().epoch()).isEqualTo(before.epoch() + 2);
        ring.runFor(10 * SECOND);
        assertThat(ring.status("s1")).contains("\"complete\":true").contains("\"kind\":\"promoted\"");
        resize(1);
        awaitSize(1);
        checkAll();
        renewAll();
        assertThat(ring.status("s2")).contains("\"kind\":\"demoted\"");
        assertThat(ring.failures()).isEmpty();
    }

    @Test
    void resize_whileSuperPeersAreKilled_goesOnAndNothingIsLost() {
        startWithCandidates(3, 2);
        fill();
        Random random = new Random(ring.simulation.seed());
        for (int round = 0; round < 4; round++) {
            resize(round % 2 == 0 ? 5 : 3);
            for (int i = 0; i < 3; i++) {
                ring.runFor(random.nextLong(SECOND));
                String name = "s" + random.nextInt(5);
                ring.node(name).powerOff();
                ring.runFor(random.nextLong(SECOND));
                ring.start(config(name));
            }
            awaitSize(round % 2 == 0 ? 5 : 3);
            checkAll();
        }
        renewAll();
        assertThat(ring.failures()).isEmpty();
    }

    /**
     * A part of an arc is fetched in pieces. A piece is handed out and its answer is lost, again and again. The next
     * request comes at once, not after the limit of a minute for a step.
     */
    @Test
    void resize_answersBetweenSuperPeersAreLost_goesOnSoonAfterTheLastOne() {
        startWithCandidates(3, 2);
        fill();
        Random random = new Random(ring.simulation.seed());
        for (int size : List.of(5, 3, 5)) {
            long before = ring.simulation.network().resetsAfterFrames();
            resize(size);
            for (int i = 0; i < 100; i++) {
                String from = "s" + random.nextInt(5);
                String to = "s" + random.nextInt(5);
                ring.simulation.network().resetAfterNextFrame(from, to);
                ring.runFor(random.nextLong(SECOND / 50));
            }
            ring.simulation.network().disarm();
            assertThat(ring.simulation.network().resetsAfterFrames())
                    .as("answers were lost")
                    .isGreaterThan(before + 20);

            boolean reached = ring.simulation.runUntil(
                    () -> ring.superPeer("s0").ring().members().size() == size, 20 * SECOND);
            assertThat(reached).as("%s: %s", ring, ring.status("s0")).isTrue();
            checkAll();
        }
        renewAll();
        assertThat(ring.failures()).isEmpty();
    }

    @Test
    void superPeer_deadForGood_isReplacedByACandidate() {
        startWithCandidates(3, 1);
        fill();
        ring.node("s2").powerOff();
        resize(4);
        awaitSize(4);
        ring.runFor(15 * SECOND);
        resize(3);
        awaitSize(3);
        assertThat(ring.superPeer("s0").ring().members())
                .extracting(RingMember::name)
                .containsExactlyInAnyOrder("s0", "s1", "s3");
        checkAll();
        renewAll();
    }
}
