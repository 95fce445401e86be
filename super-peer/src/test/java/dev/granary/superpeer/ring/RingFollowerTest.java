package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Blob;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.JoinRing;
import dev.granary.net.message.RingMessages.JoinRingReply;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RingFollowerTest {

    private static final int OTHER = 0x8001;
    private static final int THIRD = 0x4001;
    private static final HostAddress SELF = LoneNode.address("s0");
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final JoinRing JOIN = new JoinRing(new UUID(3, 1), 1, "s0", SELF, SELF);

    private final List<JoinRingReply> taken = new ArrayList<>();
    private LoneNode lone = new LoneNode();
    private RingBook book = new RingBook(lone.node());
    private boolean leads;

    private RingFollower follower(String... seeds) {
        List<HostAddress> addresses =
                Arrays.stream(seeds).map(LoneNode::address).toList();
        lone = new LoneNode(SimulatedRing.withSeeds(SimulatedRing.config("s0"), addresses));
        book = new RingBook(lone.node());
        return new RingFollower(lone.node(), JOIN, book, () -> leads, taken::add);
    }

    private static RingView view(boolean formed) {
        SuperPeerRecord self = new SuperPeerRecord(LoneNode.NID, new UUID(3, 1), "s0", SELF, SELF, 1);
        HostAddress address = LoneNode.address("s2");
        SuperPeerRecord third = new SuperPeerRecord(THIRD, new UUID(3, 2), "s2", address, address, 2);
        return new RingView(1, LoneNode.CLUSTER, 1, 2, formed, false, List.of(self, third), null, List.of());
    }

    private static Answers leader() {
        return new Answers()
                .to(
                        MessageType.JOIN_RING,
                        join -> join.equals(JOIN)
                                ? new JoinRingReply(
                                        LoneNode.NID, new Blob(view(true).toBytes()))
                                : null);
    }

    private void begin(RingFollower follower) {
        lone.run(follower::begin);
    }

    @AfterEach
    void nothingFailed() {
        assertThat(lone.failures).isEmpty();
    }

    @Test
    void begin_seedNamesTheLeader_leaderIsAskedFirstFromThenOn() {
        RingFollower follower = follower("s0", "s1");
        Answers seed = new Answers()
                .refuse(
                        MessageType.JOIN_RING,
                        ErrorReply.redirect(LoneNode.address("s2"), 1, "another super-peer leads the ring"));
        Answers leader = leader();
        lone.serve("s1", OTHER, seed);
        lone.serve("s2", THIRD, leader);
        begin(follower);
        lone.runFor(2_000 * MILLI);
        assertThat(taken).hasSizeGreaterThan(5).allMatch(reply -> reply.yourNid() == LoneNode.NID);
        assertThat(follower.lastLeader()).isEqualTo(LoneNode.address("s2"));
        assertThat(follower.lastTrouble()).isEmpty();
        assertThat(seed.asked).hasSize(1);
        assertThat(leader.asked).hasSameSizeAs(taken);
    }

    @Test
    void begin_ringIsFormed_asksEverySecondAndALittle() {
        RingFollower follower = follower("s1");
        lone.run(() -> book.learn(view(true)));
        lone.serve("s1", OTHER, leader());
        begin(follower);
        lone.runFor(900 * MILLI);
        assertThat(taken).hasSize(1);
        lone.runFor(400 * MILLI);
        assertThat(taken).hasSize(2);
    }

    @Test
    void begin_leaderItself_asksNobody() {
        leads = true;
        RingFollower follower = follower("s1");
        Answers leader = leader();
        lone.serve("s1", OTHER, leader);
        begin(follower);
        lone.runFor(2_000 * MILLI);
        assertThat(leader.asked).isEmpty();
        assertThat(follower.lastTrouble()).isEmpty();
        leads = false;
        lone.runFor(500 * MILLI);
        assertThat(taken).isNotEmpty();
    }

    @Test
    void begin_nobodyToAsk_saysSo() {
        RingFollower follower = follower("s0");
        begin(follower);
        lone.runFor(1_000 * MILLI);
        assertThat(follower.lastTrouble()).isEqualTo("there is no other super-peer to ask: cluster.seeds is empty");
        assertThat(follower.lastLeader()).isNull();
    }

    @Test
    void begin_seedIsSilent_superPeersOfTheLastViewAreAsked() {
        RingFollower follower = follower("s1");
        lone.run(() -> book.learn(view(true)));
        lone.serve("s1", OTHER, new Answers());
        lone.serve("s2", THIRD, leader());
        begin(follower);
        lone.runFor(1_900 * MILLI);
        assertThat(taken).as("the seed has two seconds").isEmpty();
        lone.runFor(400 * MILLI);
        assertThat(taken).hasSize(1);
        assertThat(follower.lastLeader()).isEqualTo(LoneNode.address("s2"));
    }

    @Test
    void begin_allRefuse_troubleIsOverOnceTheLeaderAnswers() {
        RingFollower follower = follower("s1");
        Answers seed = new Answers().refuse(MessageType.JOIN_RING, ErrorCode.RETRY_LATER, "nobody leads");
        lone.serve("s1", OTHER, seed);
        begin(follower);
        lone.runFor(1_000 * MILLI);
        assertThat(follower.lastTrouble()).startsWith("super-peer at s1:7400: ").contains("nobody leads");
        assertThat(seed.asked).as("every fifth of a second").hasSizeGreaterThan(2);
        seed.to(
                MessageType.JOIN_RING,
                join -> new JoinRingReply(LoneNode.NID, new Blob(view(true).toBytes())));
        lone.runFor(500 * MILLI);
        assertThat(follower.lastTrouble()).isEmpty();
        assertThat(taken).isNotEmpty();
    }

    @Test
    void begin_allNidsAreGiven_nobodyElseIsAsked() {
        RingFollower follower = follower("s1", "s2");
        Answers second = leader();
        lone.serve("s1", OTHER, new Answers().refuse(MessageType.JOIN_RING, ErrorCode.RING_FULL, "all are given"));
        lone.serve("s2", THIRD, second);
        begin(follower);
        lone.runFor(1_000 * MILLI);
        assertThat(second.asked).isEmpty();
        assertThat(follower.lastTrouble()).contains("all are given");
    }

    @Test
    void stop_answerIsOnItsWay_isNotTaken() {
        RingFollower follower = follower("s1");
        Answers leader = leader();
        lone.serve("s1", OTHER, leader);
        lone.run(() -> {
            follower.begin();
            follower.stop();
        });
        lone.runFor(3_000 * MILLI);
        assertThat(leader.asked).hasSizeLessThan(2);
        assertThat(taken).isEmpty();
    }
}
