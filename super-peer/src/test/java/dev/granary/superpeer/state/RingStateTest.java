package dev.granary.superpeer.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.superpeer.state.RingCommand.AdmitMember;
import dev.granary.superpeer.state.RingCommand.AdoptRing;
import dev.granary.superpeer.state.RingCommand.AssignNid;
import dev.granary.superpeer.state.RingCommand.FoundRing;
import dev.granary.superpeer.state.RingResult.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RingStateTest {

    private static final UUID CLUSTER = new UUID(9, 9);
    private static final HostAddress HTTP = new HostAddress("h", 7401);

    private final RingState state = new RingState();

    private static FoundRing found(int size) {
        return new FoundRing(CLUSTER, size, new UUID(0, 0), "s0", new HostAddress("s0", 7400), HTTP);
    }

    private static AdmitMember admit(int disk, String host) {
        return new AdmitMember(new UUID(0, disk), "s" + disk, new HostAddress(host, 7400), HTTP);
    }

    private static RingResult.Member member(RingResult result) {
        assertThat(result).isInstanceOf(RingResult.Member.class);
        return (RingResult.Member) result;
    }

    private static Reason refused(RingResult result) {
        assertThat(result).isInstanceOf(RingResult.Refused.class);
        return ((RingResult.Refused) result).reason();
    }

    private static String snapshot(RingState state) {
        ByteBuf out = Unpooled.buffer();
        state.writeSnapshot(out);
        return ByteBufUtil.hexDump(out);
    }

    @Test
    void found_emptyState_leadsARingOfItself() {
        RingResult.Member result = member(state.apply(found(3)));
        assertThat(result.nid()).isEqualTo(0x0001);
        assertThat(result.ring().isComplete()).isFalse();
        assertThat(state.isLeader()).isTrue();
        assertThat(refused(state.apply(found(3)))).isEqualTo(Reason.CONFLICT);
    }

    @Test
    void admit_newDisks_spreadNidsUntilFull() {
        state.apply(found(3));
        assertThat(member(state.apply(admit(1, "a"))).nid()).isEqualTo(0x8001);
        assertThat(member(state.apply(admit(2, "b"))).nid()).isEqualTo(0x4001);
        assertThat(Objects.requireNonNull(state.ring()).isComplete()).isTrue();
        assertThat(refused(state.apply(admit(3, "c")))).isEqualTo(Reason.FULL);
    }

    @Test
    void admit_knownDisk_keepsItsNidAndMovesWithNextEpoch() {
        state.apply(found(3));
        long epoch = member(state.apply(admit(1, "a"))).ring().epoch();
        RingResult.Member same = member(state.apply(admit(1, "a")));
        assertThat(same.ring().epoch()).isEqualTo(epoch);
        RingResult.Member moved = member(state.apply(admit(1, "elsewhere")));
        assertThat(moved.nid()).isEqualTo(0x8001);
        assertThat(moved.ring().epoch()).isEqualTo(epoch + 1);
        assertThat(moved.ring().member(0x8001).orElseThrow().address().host()).isEqualTo("elsewhere");
    }

    @Test
    void admitAndAssign_notLeading_refused() {
        assertThat(refused(state.apply(admit(1, "a")))).isEqualTo(Reason.NOT_LEADER);
        assertThat(refused(state.apply(new AssignNid(new UUID(5, 5))))).isEqualTo(Reason.NOT_LEADER);
    }

    @Test
    void assign_disks_firstIs8000AndRepeatable() {
        state.apply(found(1));
        assertThat(state.apply(new AssignNid(new UUID(5, 1)))).isEqualTo(new RingResult.Assigned(0x8000));
        assertThat(state.apply(new AssignNid(new UUID(5, 2)))).isEqualTo(new RingResult.Assigned(0x4000));
        assertThat(state.apply(new AssignNid(new UUID(5, 1)))).isEqualTo(new RingResult.Assigned(0x8000));
    }

    @Test
    void assign_moreDisksThanNids_refused() {
        state.apply(found(1));
        for (int k = 1; k < Nid.NODES_PER_ROLE; k++) {
            assertThat(state.apply(new AssignNid(new UUID(5, k)))).isInstanceOf(RingResult.Assigned.class);
        }
        assertThat(refused(state.apply(new AssignNid(new UUID(6, 6))))).isEqualTo(Reason.FULL);
    }

    @Test
    void adopt_newerRing_takenAndOlderIgnored() {
        RingState leader = new RingState();
        leader.apply(found(3));
        Ring first = member(leader.apply(admit(1, "a"))).ring();
        Ring second = member(leader.apply(admit(2, "b"))).ring();
        assertThat(member(state.apply(new AdoptRing(0x8001, second))).ring()).isEqualTo(second);
        assertThat(member(state.apply(new AdoptRing(0x8001, first))).ring()).isEqualTo(second);
        assertThat(state.isLeader()).isFalse();
        assertThat(state.ownNid()).isEqualTo(0x8001);
    }

    @Test
    void adopt_otherClusterOrNid_refused() {
        RingState leader = new RingState();
        leader.apply(found(3));
        Ring ring = member(leader.apply(admit(1, "a"))).ring();
        state.apply(new AdoptRing(0x8001, ring));
        Ring foreign = new Ring(new UUID(8, 8), 99, 3, ring.leaderNid(), ring.members());
        assertThat(refused(state.apply(new AdoptRing(0x8001, foreign)))).isEqualTo(Reason.CONFLICT);
        assertThat(refused(state.apply(new AdoptRing(0x0001, ring)))).isEqualTo(Reason.CONFLICT);
        assertThat(refused(state.apply(new AdoptRing(0x4001, ring)))).isEqualTo(Reason.CONFLICT);
    }

    @Test
    void readSnapshot_unknownVersion_refused() {
        assertThatThrownBy(() -> state.readSnapshot(Unpooled.wrappedBuffer(new byte[] {9})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 9");
    }

    /** Random commands; a second machine that reads the encoded commands, and is restored now and then, stays equal. */
    @Test
    void apply_randomCommands_sameFromSnapshotAndLogAndNidsForEver() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int run = 0; run < 100; run++) {
            RingState subject = new RingState();
            RingState shadow = new RingState();
            Map<UUID, Integer> given = new HashMap<>();
            long epoch = 0;
            for (int step = 0; step < 60; step++) {
                RingCommand command =
                        switch (random.nextInt(4)) {
                            case 0 -> found(1 + random.nextInt(4));
                            case 1 -> admit(random.nextInt(6), "h" + random.nextInt(3));
                            default -> new AssignNid(new UUID(5, random.nextInt(10)));
                        };
                ByteBuf encoded = Unpooled.buffer();
                subject.encode(command, encoded);
                RingResult result = subject.apply(command);
                assertThat(shadow.apply(shadow.decode(encoded)))
                        .as("seed %d", seed)
                        .isEqualTo(result);
                if (random.nextInt(8) == 0) {
                    ByteBuf out = Unpooled.buffer();
                    shadow.writeSnapshot(out);
                    shadow = new RingState();
                    shadow.readSnapshot(out);
                }
                assertThat(snapshot(shadow)).as("seed %d", seed).isEqualTo(snapshot(subject));
                if (command instanceof AssignNid assign && result instanceof RingResult.Assigned assigned) {
                    assertThat(given.computeIfAbsent(assign.diskId(), disk -> assigned.nid()))
                            .as("seed %d", seed)
                            .isEqualTo(assigned.nid());
                }
                Ring ring = subject.ring();
                if (ring != null) {
                    assertThat(ring.epoch()).as("seed %d", seed).isGreaterThanOrEqualTo(epoch);
                    epoch = ring.epoch();
                }
            }
            assertThat(given.values()).as("seed %d", seed).doesNotHaveDuplicates();
        }
    }
}
