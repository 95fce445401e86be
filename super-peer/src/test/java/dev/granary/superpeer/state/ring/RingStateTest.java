package dev.granary.superpeer.state.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.state.ring.RingCommand.Admit;
import dev.granary.superpeer.state.ring.RingCommand.AssignNid;
import dev.granary.superpeer.state.ring.RingCommand.FoundRing;
import dev.granary.superpeer.state.ring.RingResult.Reason;
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
        return new FoundRing(1, CLUSTER, size, new UUID(0, 0), "s0", new HostAddress("s0", 7400), HTTP);
    }

    private static Admit admit(int disk, String host) {
        return new Admit(2, new UUID(0, disk), "s" + disk, new HostAddress(host, 7400), HTTP);
    }

    private static int nid(RingResult result) {
        assertThat(result).isInstanceOf(RingResult.Admitted.class);
        return ((RingResult.Admitted) result).nid();
    }

    private RingView view() {
        return Objects.requireNonNull(state.view());
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
    void found_emptyState_aRingOfTheFounderOnce() {
        assertThat(nid(state.apply(found(3)))).isEqualTo(RingState.FOUNDER_NID).isEqualTo(0x0001);
        assertThat(view().formed()).isFalse();
        assertThat(nid(state.apply(found(3)))).as("the same again").isEqualTo(0x0001);
        FoundRing other = new FoundRing(1, new UUID(8, 8), 3, new UUID(0, 0), "s0", HTTP, HTTP);
        assertThat(refused(state.apply(other))).isEqualTo(Reason.CONFLICT);
        assertThat(view().clusterId()).isEqualTo(CLUSTER);
    }

    @Test
    void admit_newDisks_onTheRingUntilItIsFormedThenCandidates() {
        state.apply(found(3));
        assertThat(nid(state.apply(admit(1, "a")))).isEqualTo(0x8001);
        assertThat(view().formed()).isFalse();
        assertThat(nid(state.apply(admit(2, "b")))).isEqualTo(0x4001);
        assertThat(view().formed()).isTrue();
        long epoch = view().epoch();
        assertThat(nid(state.apply(admit(3, "c")))).isEqualTo(0xC001);
        assertThat(view().epoch()).isEqualTo(epoch);
        assertThat(view().isMember(0xC001)).isFalse();
        assertThat(view().ring().members()).extracting("nid").containsExactly(0x0001, 0x4001, 0x8001);
        assertThat(view().superPeers()).extracting(SuperPeerRecord::generation).containsExactly(1, 3, 2, 0);
    }

    @Test
    void admit_knownDisk_keepsItsNidAndMovesWithNextEpoch() {
        state.apply(found(3));
        state.apply(admit(1, "a"));
        RingView before = view();
        assertThat(nid(state.apply(admit(1, "a")))).isEqualTo(0x8001);
        assertThat(view()).isEqualTo(before);
        assertThat(nid(state.apply(admit(1, "elsewhere")))).isEqualTo(0x8001);
        assertThat(view().epoch()).isEqualTo(before.epoch() + 1);
        assertThat(view().version()).isGreaterThan(before.version());
        SuperPeerRecord moved = view().superPeer(0x8001).orElseThrow();
        assertThat(moved.address().host()).isEqualTo("elsewhere");
        assertThat(moved.generation()).isEqualTo(before.generationOf(0x8001));
    }

    @Test
    void admitAndAssign_nothingFounded_refused() {
        assertThat(refused(state.apply(admit(1, "a")))).isEqualTo(Reason.CONFLICT);
        assertThat(refused(state.apply(new AssignNid(new UUID(5, 5))))).isEqualTo(Reason.CONFLICT);
    }

    @Test
    void admitAndAssign_diskOfTheOtherRole_refused() {
        state.apply(found(1));
        state.apply(new AssignNid(new UUID(0, 7)));
        assertThat(refused(state.apply(admit(7, "a")))).isEqualTo(Reason.CONFLICT);
        assertThat(refused(state.apply(new AssignNid(new UUID(0, 0))))).isEqualTo(Reason.CONFLICT);
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
        for (int k = 1; k < SlotGroup.END_OF_PEERS; k++) {
            assertThat(state.apply(new AssignNid(new UUID(5, k)))).isInstanceOf(RingResult.Assigned.class);
        }
        assertThat(refused(state.apply(new AssignNid(new UUID(6, 6))))).isEqualTo(Reason.FULL);
    }

    @Test
    void readSnapshot_unknownVersion_refused() {
        assertThatThrownBy(() -> state.readSnapshot(Unpooled.wrappedBuffer(new byte[] {9})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 9");
    }

    /** Random commands: a second machine that reads the encoded commands, and is sometimes restored, stays equal. */
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
                RingView view = subject.view();
                if (view != null) {
                    assertThat(view.epoch()).as("seed %d", seed).isGreaterThanOrEqualTo(epoch);
                    epoch = view.epoch();
                    assertThat(RingView.read(view.toBytes()))
                            .as("seed %d", seed)
                            .isEqualTo(view);
                }
            }
            assertThat(given.values()).as("seed %d", seed).doesNotHaveDuplicates();
        }
    }
}
