package dev.granary.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.ChangeNameReply;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.RingMessages.ResizeRing;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@link Tamperers} do what they say; a bug that is planted and does nothing proves nothing. */
class TamperersTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void twoWriters_resize_isFollowedByAnotherSizeASecondLater() {
        TamperedRig rig = TamperedRig.server(Tamperers::twoWriters).on(MessageType.RESIZE_RING, resize -> new Empty());
        rig.call(MessageType.RESIZE_RING, new ResizeRing(3));
        assertThat(rig.heard).hasSize(1);
        rig.world.runFor(2 * SECOND);
        rig.call(MessageType.RESIZE_RING, new ResizeRing(1));
        rig.world.runFor(2 * SECOND);
        assertThat(rig.heard)
                .startsWith(new ResizeRing(3), new ResizeRing(2))
                .as("a ring of none is refused anyway")
                .contains(new ResizeRing(2))
                .doesNotContain(new ResizeRing(0));
    }

    @Test
    void forgettingRequests_sameChangeTwice_looksLikeTwo() {
        TamperedRig rig = TamperedRig.server(Tamperers::forgettingRequests)
                .on(MessageType.CHANGE_NAME, change -> new ChangeNameReply(true, 0));
        ChangeName change = new ChangeName(9, 5, 4, true, "name", 77, NameCondition.IF_EXPECTED, 66);
        rig.call(MessageType.CHANGE_NAME, change);
        rig.call(MessageType.CHANGE_NAME, change);
        List<ChangeName> heard = rig.heard.stream().map(ChangeName.class::cast).toList();
        assertThat(heard).extracting(ChangeName::clientId).doesNotHaveDuplicates();
        assertThat(heard).hasSize(2).allSatisfy(each -> {
            assertThat(each.repeated()).isFalse();
            assertThat(each.name()).isEqualTo("name");
            assertThat(each.cid()).isEqualTo(77);
            assertThat(each.condition()).isEqualTo(NameCondition.IF_EXPECTED);
            assertThat(each.expectedCid()).isEqualTo(66);
        });
    }

    private static final CommitMigration COMMIT = new CommitMigration(0x8000, 3, 0x9000, 4);

    @Test
    void stayingAfterCommit_arcCommits_sourceHearsThatItIsAborted() {
        TamperedRig rig = TamperedRig.caller("super-0", Tamperers::stayingAfterCommit)
                .on(
                        MessageType.COMMIT_MIGRATION,
                        commit -> new MigrationReply(0x8000, 3, MigrationState.COMMITTED, 9, ""));
        assertThat(rig.call(MessageType.COMMIT_MIGRATION, COMMIT).state()).isEqualTo(MigrationState.ABORTED);
        assertThat(rig.heard).as("the arc was asked").containsExactly(COMMIT);
        rig.on(MessageType.COMMIT_MIGRATION, commit -> new MigrationReply(0x8000, 3, MigrationState.RUNNING, 0, "why"));
        assertThat(rig.call(MessageType.COMMIT_MIGRATION, COMMIT).note())
                .as("as it was")
                .isEqualTo("why");
    }

    @Test
    void stayingAfterCommit_targetIsToBeTold_isNot() {
        TamperedRig rig = TamperedRig.caller("storage-1", Tamperers::stayingAfterCommit)
                .on(MessageType.END_MIGRATION, end -> new Empty());
        CompletableFuture<Empty> told = rig.callLater(MessageType.END_MIGRATION, new EndMigration(0x8000, 3, true, 9));
        rig.world.runFor(SECOND);
        assertThat(told).isNotDone();
        assertThat(rig.heard).isEmpty();
    }

    @Test
    void leavingBeforeCommit_source_believesInACommitThatNobodyWasAskedFor() {
        TamperedRig rig = TamperedRig.caller("super-0", Tamperers::leavingBeforeCommit);
        assertThat(rig.call(MessageType.COMMIT_MIGRATION, COMMIT))
                .isEqualTo(new MigrationReply(0x8000, 3, MigrationState.COMMITTED, 5, ""));
        assertThat(rig.heard).isEmpty();
    }
}
