package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RingFounderTest {

    private static final int OTHER = 0x8001;
    private static final int THIRD = 0x4001;
    private static final HostAddress SELF = LoneNode.address("s0");
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private LoneNode lone = new LoneNode();
    private int founded;

    private RingFounder founder(String... seeds) {
        List<HostAddress> addresses = new ArrayList<>(List.of(SELF));
        Arrays.stream(seeds).map(LoneNode::address).forEach(addresses::add);
        lone = new LoneNode(SimulatedRing.withSeeds(SimulatedRing.config("s0"), addresses));
        return new RingFounder(lone.node(), () -> founded++);
    }

    private static Answers newSeed() {
        return new Answers().refuse(MessageType.GET_RING, ErrorCode.RING_INCOMPLETE, "belongs to no cluster yet");
    }

    private static Answers memberOfACluster() {
        HostAddress address = LoneNode.address("s1");
        Ring ring = new Ring(LoneNode.CLUSTER, 1, 1, true, List.of(new RingMember(OTHER, "s1", address, address)));
        return new Answers().to(MessageType.GET_RING, ask -> new RingReply(ring));
    }

    private void begin(RingFounder founder) {
        lone.run(() -> founder.begin(SELF));
    }

    @Test
    void begin_noOtherSeed_mayFoundAtOnce() {
        begin(founder());
        assertThat(founded).isEqualTo(1);
        assertThat(lone.failures).isEmpty();
    }

    @Test
    void begin_noSeedBelongsToACluster_mayFoundOnceAllHaveSaidSo() {
        RingFounder founder = founder("s1", "s2");
        Answers one = newSeed();
        Answers two = newSeed();
        lone.serve("s1", OTHER, one);
        lone.serve("s2", THIRD, two);
        begin(founder);
        assertThat(founded).isZero();
        lone.runFor(400 * MILLI);
        assertThat(founded).isEqualTo(1);
        assertThat(one.asked).hasSize(1);
        assertThat(two.asked).hasSize(1);
    }

    @Test
    void begin_aSeedBelongsToACluster_theProcessEndsAndFoundsNothing() {
        RingFounder founder = founder("s1", "s2");
        lone.serve("s1", OTHER, memberOfACluster());
        lone.serve("s2", THIRD, newSeed());
        begin(founder);
        lone.runFor(10_000 * MILLI);
        assertThat(founded).isZero();
        assertThat(lone.failures)
                .singleElement()
                .asString()
                .contains("super-peer at s1:7400 already belongs to the cluster " + LoneNode.CLUSTER)
                .contains("set ring.bootstrap to false");
    }

    @Test
    void begin_aSeedIsSilent_isAskedFiveTimesAndTheOthersOnce() {
        RingFounder founder = founder("s1", "s2");
        Answers one = newSeed();
        Answers silent = new Answers();
        lone.serve("s1", OTHER, one);
        lone.serve("s2", THIRD, silent);
        begin(founder);
        // Five questions of a second, and half a second between them.
        lone.runFor(6_900 * MILLI);
        assertThat(founded).isZero();
        lone.runFor(400 * MILLI);
        assertThat(founded).isEqualTo(1);
        assertThat(silent.asked).hasSize(5);
        assertThat(one.asked).hasSize(1);
        assertThat(lone.failures).isEmpty();
    }

    @Test
    void begin_aSilentSeedTurnsOutToBelongToACluster_theProcessEnds() {
        RingFounder founder = founder("s1");
        begin(founder);
        lone.runFor(2_000 * MILLI);
        assertThat(founded).isZero();
        lone.serve("s1", OTHER, memberOfACluster());
        lone.runFor(10_000 * MILLI);
        assertThat(founded).isZero();
        assertThat(lone.failures).hasSize(1);
    }

    @Test
    void stop_whileSeedsAreAsked_foundsNothingAndAsksNobody() {
        RingFounder founder = founder("s1");
        Answers silent = new Answers();
        lone.serve("s1", OTHER, silent);
        begin(founder);
        lone.runFor(500 * MILLI);
        lone.run(founder::stop);
        silent.refuse(MessageType.GET_RING, ErrorCode.RING_INCOMPLETE, "belongs to no cluster yet");
        lone.runFor(20_000 * MILLI);
        assertThat(silent.asked).hasSize(1);
        assertThat(founded).isZero();
        assertThat(lone.failures).isEmpty();
    }
}
