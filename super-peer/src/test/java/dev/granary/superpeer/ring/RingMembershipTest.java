package dev.granary.superpeer.ring;

import static dev.granary.superpeer.SimulatedRing.address;
import static dev.granary.superpeer.SimulatedRing.config;
import static dev.granary.superpeer.SimulatedRing.founder;
import static dev.granary.superpeer.SimulatedRing.onPort;
import static dev.granary.superpeer.SimulatedRing.withSeeds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.Blob;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.RaftMessage;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.GroupId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RingMembershipTest {

    private static final UUID DISK = new UUID(7, 7);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final SimulatedRing ring = new SimulatedRing();

    private Ring ringOf(String name) {
        return ring.call(name, MessageType.GET_RING, new Empty()).ring();
    }

    private int assign(String name, UUID disk) {
        return ring.call(name, MessageType.ASSIGN_NID, new AssignNid(disk, 1, "p"))
                .nid();
    }

    @Test
    void start_bootstrapOnEmptyDisk_foundsAndKeepsTheClusterOverPowerLoss() {
        ring.startRing(1);
        Ring founded = ringOf("s0");
        assertThat(founded.formed()).isTrue();
        assertThat(founded.members()).extracting("nid").containsExactly(0x0001);
        ring.node("s0").powerOff();
        ring.start(founder("s0", 3));
        ring.awaitReady("s0");
        assertThat(ringOf("s0")).isEqualTo(founded);
    }

    @Test
    void start_emptyDiskWithoutFlagAndNobodyThere_neverMakesACluster() {
        ring.start(config("s1"));
        ring.runFor(5 * MINUTE);
        ErrorReply refusal = ring.refusal("s1", MessageType.GET_RING, new Empty());
        assertThat(refusal.code()).isEqualTo(ErrorCode.RING_INCOMPLETE);
        assertThat(ring.superPeer("s1").notReadyReason()).get().asString().contains("waiting to be admitted");
        assertThat(ring.failures()).isEmpty();
    }

    @Test
    void start_emptyDiskWithoutFlagAndSeeds_failsAndSaysWhatToSet() {
        ring.start(withSeeds(config("s1"), List.of()));
        ring.runFor(MINUTE);
        assertThat(ring.failures()).hasSize(1);
        assertThat(ring.failures().getFirst()).contains("cluster.seeds").contains("ring.bootstrap=true");
    }

    @Test
    void start_threeInAnyOrder_oneRingWithAllArcs() {
        ring.start(config("s2"));
        ring.start(config("s1"));
        ring.runFor(TimeUnit.SECONDS.toNanos(5));
        ring.start(founder("s0", 3));
        for (String name : List.of("s0", "s1", "s2")) {
            ring.awaitReady(name);
        }
        Ring known = ringOf("s0");
        assertThat(ringOf("s1")).isEqualTo(known);
        assertThat(ringOf("s2")).isEqualTo(known);
        assertThat(known.members()).extracting("nid").containsExactly(0x0001, 0x4001, 0x8001);
        for (int nid = 2; nid < 0x10000; nid += 2) {
            assertThat(known.arcOf(known.ownerOf(nid).nid()).contains(nid)).isTrue();
        }
    }

    @Test
    void start_oneMoreThanTheRingHolds_isACandidateOutside() {
        ring.startRing(2);
        Ring before = ringOf("s0");
        ring.start(config("s9"));
        ring.awaitReady("s9");
        ring.runFor(MINUTE);
        assertThat(ringOf("s0")).isEqualTo(before);
        assertThat(ringOf("s9")).isEqualTo(before);
        assertThat(ring.status("s0")).contains("\"candidates\":[{\"nid\":\"0x4001\",\"name\":\"s9\"");
        ring.node("s9").powerOff();
        ring.start(onPort(config("s9"), 9999));
        ring.awaitReady("s9");
        ring.runFor(TimeUnit.SECONDS.toNanos(5));
        assertThat(ring.status("s0")).contains("s9:9999");
        assertThat(ringOf("s0")).isEqualTo(before);
    }

    @Test
    void start_bootstrapAfterLostDiskWhileOthersKnowTheCluster_refused() {
        ring.startRing(3);
        Ring before = ringOf("s1");
        ring.node("s0").powerOff();
        ring.node("s0").disk().replace();
        ring.start(founder("s0", 3));
        ring.runFor(MINUTE);
        assertThat(ring.failures()).hasSize(1);
        assertThat(ring.failures().getFirst())
                .contains("already belongs to the cluster " + before.clusterId())
                .contains("ring.bootstrap");
        assertThat(ring.refusal("s0", MessageType.GET_RING, new Empty()).code()).isEqualTo(ErrorCode.RING_INCOMPLETE);
        assertThat(ringOf("s1")).isEqualTo(before);
    }

    @Test
    void restart_followerWithNewAddress_sameNidAndAllLearnTheAddress() {
        ring.startRing(3);
        Ring before = ringOf("s0");
        int nid = ring.superPeer("s2").nid();
        ring.node("s2").powerOff();
        ring.start(onPort(config("s2"), 9999));
        ring.awaitReady("s2");
        ring.runFor(TimeUnit.SECONDS.toNanos(5));
        for (String name : List.of("s0", "s1")) {
            assertThat(ringOf(name).epoch()).isEqualTo(before.epoch() + 1);
            assertThat(ringOf(name).member(nid).orElseThrow().address()).isEqualTo(new HostAddress("s2", 9999));
        }
        assertThat(ring.superPeer("s2").nid()).isEqualTo(nid);
    }

    @Test
    void restart_leaderWithNewAddress_tellsTheOthersWhoWouldNotFindIt() {
        ring.startRing(3);
        Ring before = ringOf("s1");
        ring.node("s0").powerOff();
        ring.start(onPort(config("s0"), 9999));
        awaitFounderAt(new HostAddress("s0", 9999), "s1", "s2");
        assertThat(ringOf("s1").epoch()).isEqualTo(before.epoch() + 1);
        assertThat(ringOf("s2")).isEqualTo(ringOf("s1"));
    }

    @Test
    void restart_leaderAndFollowersWithNewAddresses_allFindEachOtherAgain() {
        ring.startRing(3);
        Ring before = ringOf("s1");
        for (String name : List.of("s0", "s1", "s2")) {
            ring.node(name).powerOff();
        }
        ring.start(onPort(config("s0"), 9999));
        ring.start(onPort(withSeeds(config("s1"), List.of(new HostAddress("s0", 9999))), 9998));
        ring.start(onPort(withSeeds(config("s2"), List.of(new HostAddress("s1", 9998))), 9997));
        awaitFounderAt(new HostAddress("s0", 9999), "s1", "s2");
        ring.runFor(TimeUnit.SECONDS.toNanos(5));
        Ring after = ring.superPeer("s0").ring();
        assertThat(after.clusterId()).isEqualTo(before.clusterId());
        assertThat(after.members())
                .extracting(member -> member.address().port())
                .containsOnly(9997, 9998, 9999);
    }

    private void awaitFounderAt(HostAddress address, String... names) {
        for (String name : names) {
            boolean learned = ring.simulation.runUntil(
                    () -> ring.isReady(name) && founderAddress(name).equals(address), MINUTE);
            assertThat(learned).as("%s: %s", ring, name).isTrue();
        }
    }

    private HostAddress founderAddress(String name) {
        return ring.superPeer(name).ring().member(0x0001).orElseThrow().address();
    }

    @Test
    void start_wholeRingAfterPowerLoss_sameRing() {
        ring.startRing(3);
        Ring before = ringOf("s0");
        for (String name : List.of("s0", "s1", "s2")) {
            ring.node(name).powerOff();
        }
        ring.start(config("s2"));
        ring.start(config("s0"));
        ring.start(config("s1"));
        for (String name : List.of("s0", "s1", "s2")) {
            ring.awaitReady(name);
            assertThat(ringOf(name)).isEqualTo(before);
        }
    }

    @Test
    void assignNid_ringIncomplete_refusedWithWhatIsMissing() {
        ring.start(founder("s0", 3));
        ring.runFor(TimeUnit.SECONDS.toNanos(20));
        ErrorReply refusal = ring.refusal("s0", MessageType.ASSIGN_NID, new AssignNid(DISK, 1, "p"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.RING_INCOMPLETE);
        assertThat(refusal.message()).contains("1 of 3").contains("2 are missing");
        assertThat(ring.superPeer("s0").notReadyReason()).get().asString().contains("1 of 3");
    }

    @Test
    void assignNid_atFollower_redirectedToTheLeader() {
        ring.startRing(3);
        ErrorReply refusal = ring.refusal("s1", MessageType.ASSIGN_NID, new AssignNid(DISK, 1, "p"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(refusal.redirect()).isEqualTo(address("s0"));
        assertThat(refusal.ringEpoch()).isEqualTo(ringOf("s0").epoch());
    }

    @Test
    void assignNid_sameDiskAfterPowerLoss_sameNidAndNeverAnothers() {
        ring.startRing(1);
        int nid = assign("s0", DISK);
        assertThat(nid).isEqualTo(0x8000);
        ring.node("s0").powerOff();
        ring.start(config("s0"));
        ring.awaitReady("s0");
        assertThat(assign("s0", new UUID(8, 8))).isEqualTo(0x4000);
        assertThat(assign("s0", DISK)).isEqualTo(nid);
    }

    @Test
    void status_mergedOverAllAndUnreachableMarked() {
        ring.startRing(3);
        assertThat(ring.status("s1")).doesNotContain("\"reachable\":false");
        ring.simulation.network().cutBoth("s1", "s2");
        String json = ring.status("s1");
        assertThat(json).contains("\"name\":\"s2\"").containsOnlyOnce("\"reachable\":false");
        assertThat(json.indexOf("\"reachable\":false")).isGreaterThan(json.indexOf("\"name\":\"s2\""));
        assertThat(ring.status("s0")).doesNotContain("\"reachable\":false");
    }

    @Test
    void commit_diskFails_nothingIsAnsweredAndTheProcessIsToldToStop() {
        ring.startRing(1);
        ring.node("s0").disk().failSyncAfter(0);
        ErrorReply refusal = ring.refusal("s0", MessageType.ASSIGN_NID, new AssignNid(DISK, 1, "p"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(ring.failures()).hasSize(1);
        assertThat(ring.failures().getFirst()).contains("disk has failed");
        assertThat(ring.refusal("s0", MessageType.ASSIGN_NID, new AssignNid(DISK, 1, "p"))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(ring.failures()).hasSize(1);
    }

    @Test
    void start_dataDirectoryOfTheFirstForm_refusedAndSaid() throws IOException {
        ring.startRing(1);
        ring.node("s0").powerOff();
        ring.node("s0").start(world -> {
            try {
                world.environment().disk().writeAtomically("arc-0000000000000001.log", new byte[0]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        ring.runFor(MINUTE);
        ring.node("s0").powerOff();
        assertThatThrownBy(() -> {
                    ring.start(founder("s0", 1));
                    ring.runFor(MINUTE);
                })
                .hasStackTraceContaining("without replicated super-peers");
    }

    @Test
    void stop_running_refusesRequestsAndEndsItsTimers() {
        ring.startRing(1);
        var stopped = ring.superPeer("s0").stop();
        ring.simulation.runUntil(stopped::isDone, MINUTE);
        assertThat(stopped).isCompleted();
        assertThat(ring.refusal("s0", MessageType.GET_RING, new Empty()).code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    }

    /**
     * Sends a Raft message as a member that has missed changes of the group and takes a super-peer for an earlier
     * member.
     */
    private void sendRaftMessage(String to, long membership) {
        int nid = ring.superPeer(to).nid();
        ring.call(
                to,
                MessageType.RAFT,
                new RaftMessage(GroupId.RING, GroupId.member(membership, nid).value(), new Blob(new byte[] {1})));
    }

    private void deleteFiles(String name, String prefix) {
        ring.node(name).start(world -> {
            try {
                for (String file : world.environment().disk().list()) {
                    if (file.startsWith(prefix)) {
                        world.environment().disk().delete(file);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        ring.runFor(1);
        ring.node(name).kill();
    }

    private boolean takesPartAs(String name, long membership) {
        String log = GroupId.logName(
                GroupId.RING, GroupId.member(membership, ring.superPeer(name).nid()));
        return ring.node(name).disk().fileNames().stream().anyMatch(file -> file.startsWith(log + "-"));
    }

    @Test
    void raftMessage_toAMemberThatHasEnded_neverMakesItAgain() {
        ring.startRing(2);
        ring.start(config("s9"));
        ring.awaitReady("s9");
        sendRaftMessage("s9", 5);
        assertThat(takesPartAs("s9", 5)).isTrue();
        sendRaftMessage("s9", 7);
        ring.runFor(1);
        assertThat(takesPartAs("s9", 5)).isFalse();
        assertThat(takesPartAs("s9", 7)).isTrue();

        // The new log was not synced yet: nothing is left of either membership but the note that one has ended.
        ring.node("s9").powerOff();
        deleteFiles("s9", "raft-ring-m");
        ring.start(config("s9"));
        ring.awaitReady("s9");
        sendRaftMessage("s9", 5);
        assertThat(takesPartAs("s9", 5)).isFalse();
        sendRaftMessage("s9", 8);
        assertThat(takesPartAs("s9", 8)).isTrue();
        assertThat(ring.failures()).isEmpty();
    }
}
