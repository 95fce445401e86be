package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.RangeMessages.CreatorList.Creator;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.PeerRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an arc knows of chunks that come from a cluster backup (ADR 0140). */
class RestoreStateTest {

    private static final int A = 0x8000;
    private static final int GONE = 0xC000;
    private static final Arc ALL = new Arc(Nid.MAX, Nid.MAX);
    private static final HostAddress ADDRESS = new HostAddress("a", 1);

    private ArcState state = new ArcState();

    RestoreStateTest() {
        open(A, 11);
    }

    @AfterEach
    void snapshot_anyState_comesBackAsItIs() {
        ByteBuf out = Unpooled.buffer();
        state.writeSnapshot(out);
        String before = ByteBufUtil.hexDump(out);
        state = new ArcState();
        state.readSnapshot(out);
        ByteBuf again = Unpooled.buffer();
        state.writeSnapshot(again);
        assertThat(ByteBufUtil.hexDump(again)).isEqualTo(before);
    }

    @Test
    void restore_emptyPeer_endsItAndItsNextIncarnationBeginsAtTheMark() {
        apply(new PeerCommand.RestoreCreator(A, 11, 5000, 77));

        assertThat(peer(A).closed()).isTrue();
        assertThat(placementState(A, 1)).isEqualTo(PlacementState.RECOVERING);
        assertThat(placementState(A, 4999)).isEqualTo(PlacementState.RECOVERING);
        open(A, 12);
        assertThat(peer(A).firstLid()).isEqualTo(5000);
        assertThat(owner(A, 5000)).isEqualTo(A);
        assertThat(placementState(A, 4999)).as("as before").isEqualTo(PlacementState.RECOVERING);
    }

    @Test
    void restore_nidWithoutPeer_isRememberedUntilThereIsOne() {
        apply(new PeerCommand.RestoreCreator(GONE, 0, 100, 77));

        assertThat(state.peer(GONE)).isNull();
        assertThat(state.creators(ALL)).containsExactly(new Creator(A, 1, 257, 0), new Creator(GONE, 100, 100, 77));
        assertThat(placementState(GONE, 99)).isEqualTo(PlacementState.RECOVERING);
        assertThat(placementState(GONE, 100)).isEqualTo(PlacementState.LOST);
        open(GONE, 13);
        assertThat(peer(GONE).firstLid()).isEqualTo(100);
        assertThat(owner(GONE, 100)).isEqualTo(GONE);
        assertThat(placementState(GONE, 99)).isEqualTo(PlacementState.RECOVERING);
    }

    @Test
    void restore_askedAgain_changesNothing_andWithAnotherMarkIsRefused() {
        apply(new PeerCommand.RestoreCreator(A, 11, 5000, 77));
        open(A, 12);

        assertThat(state.apply(new PeerCommand.RestoreCreator(A, 11, 5000, 77))).isEqualTo(new ArcResult.Applied());
        assertThat(peer(A).closed()).isFalse();
        assertRefused(new PeerCommand.RestoreCreator(A, 12, 6000, 77));
        assertRefused(new PeerCommand.RestoreCreator(A, 12, 5000, 78));
    }

    @Test
    void restore_othersHaveChunksOfIt_isRefused() {
        open(GONE, 13);
        MigrationRecord begun = migration(new RangeCommand.BeginMigration(cid(1), cid(9), A, 1, GONE, 1));
        apply(new RangeCommand.CommitMigration(A, begun.number(), A, 1));

        assertRefused(new PeerCommand.RestoreCreator(A, 11, 5000, 77));
        assertRefused(new PeerCommand.RestoreCreator(GONE, 0, 100, 77));
        assertThat(peer(A).closed()).isFalse();
    }

    @Test
    void commit_chunksOfTheBackup_belongToTheTarget() {
        apply(new PeerCommand.RestoreCreator(A, 11, 5000, 77));
        open(A, 12);
        MigrationRecord begun = migration(new RangeCommand.BeginMigration(cid(1), cid(99), Nid.NONE, 0, A, 2));

        MigrationRecord committed = migration(new RangeCommand.CommitMigration(A, begun.number(), Nid.NONE, 0));

        assertThat(committed.state()).isEqualTo(MigrationState.COMMITTED);
        assertThat(owner(A, 1)).isEqualTo(A);
        assertThat(owner(A, 99)).isEqualTo(A);
        assertThat(placementState(A, 100)).isEqualTo(PlacementState.RECOVERING);
        assertThat(state.apply(new RangeCommand.BeginMigration(cid(50), cid(60), Nid.NONE, 0, A, 2)))
                .as("somebody has them")
                .isInstanceOf(RangeResult.NotNow.class);
    }

    @Test
    void begin_notWaitingToBeRestored_isRefused() {
        assertThat(state.apply(new RangeCommand.BeginMigration(cid(1), cid(9), Nid.NONE, 0, A, 1)))
                .isInstanceOf(RangeResult.NotNow.class);
    }

    @Test
    void begin_onceMoreByAnother_abortsTheFirst() {
        apply(new PeerCommand.RestoreCreator(GONE, 0, 100, 77));
        RangeCommand.BeginMigration begin =
                new RangeCommand.BeginMigration(Cid.of(GONE, 1), Cid.of(GONE, 99), Nid.NONE, 0, A, 1);
        MigrationRecord first = migration(begin);

        MigrationRecord second = migration(begin);

        assertThat(Objects.requireNonNull(state.migration(GONE, first.number())).state())
                .isEqualTo(MigrationState.ABORTED);
        assertThat(second.state()).isEqualTo(MigrationState.RUNNING);
    }

    @Test
    void endRestore_whatHasNotCome_isLost() {
        apply(new PeerCommand.RestoreCreator(A, 11, 5000, 77));
        open(A, 12);
        MigrationRecord begun = migration(new RangeCommand.BeginMigration(cid(1), cid(99), Nid.NONE, 0, A, 2));
        migration(new RangeCommand.CommitMigration(A, begun.number(), Nid.NONE, 0));

        apply(new PeerCommand.EndRestore(A));

        assertThat(owner(A, 99)).isEqualTo(A);
        assertThat(placementState(A, 100)).isEqualTo(PlacementState.LOST);
        assertThat(placementState(A, 4999)).isEqualTo(PlacementState.LOST);
        assertThat(owner(A, 5000)).isEqualTo(A);
    }

    private void open(int nid, long incarnation) {
        ArcResult result = state.apply(new PeerCommand.OpenPeer(
                nid,
                new UUID(1, nid),
                incarnation,
                "n" + nid,
                ADDRESS,
                ADDRESS,
                1 << 20,
                256,
                "",
                "",
                List.of(new NewZone(256, List.of(), 0)),
                0,
                null));
        assertThat(result).isInstanceOf(ArcResult.Done.class);
    }

    private void apply(ArcCommand command) {
        assertThat(state.apply(command))
                .isNotInstanceOf(ArcResult.Refused.class)
                .isNotInstanceOf(RangeResult.NotNow.class);
    }

    private void assertRefused(ArcCommand command) {
        assertThat(state.apply(command)).isInstanceOf(ArcResult.Refused.class);
    }

    private MigrationRecord migration(ArcCommand command) {
        return ((RangeResult.Migration) state.apply(command)).record();
    }

    private PeerRecord peer(int nid) {
        return Objects.requireNonNull(state.peer(nid));
    }

    private int owner(int creator, long lid) {
        return Objects.requireNonNull(state.find(Cid.of(creator, lid)))
                .placement()
                .owner();
    }

    private PlacementState placementState(int creator, long lid) {
        return Objects.requireNonNull(state.find(Cid.of(creator, lid)))
                .placement()
                .state();
    }

    private static long cid(long lid) {
        return Cid.of(A, lid);
    }
}
