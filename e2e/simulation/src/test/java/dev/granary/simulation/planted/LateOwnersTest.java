package dev.granary.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.overlay.Cid;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@link LateOwners} make a backup take what an earlier owner has sent; owners of before must come first for that. */
class LateOwnersTest {

    private static final int ZONE = TamperedRig.ZONE;
    private static final int OLD = 0x8000;
    private static final int NEW = 0x9000;
    private static final long MILLI = 1_000_000;

    private CopyResult result = CopyResult.OK;

    private final TamperedRig rig = TamperedRig.server(LateOwners::of)
            .on(
                    MessageType.OPEN_COPIES,
                    open -> new CopyStates(List.of(
                            new CopyState(ZONE, result, open.copies().getFirst().epoch(), 6))));

    private void open(int owner, long epoch, boolean filling) {
        rig.call(
                MessageType.OPEN_COPIES,
                new OpenCopies(
                        TamperedRig.CLUSTER,
                        owner,
                        List.of(new OpenCopies.Opening(ZONE, epoch, List.of(1), 6, filling))));
    }

    private List<Long> epochs() {
        return rig.batches().stream().map(batch -> batch.epoch()).toList();
    }

    private CompletableFuture<List<CopyState>> send() {
        return rig.replicate(OLD, 1, 7, batch -> batch.tombstone(Cid.of(0x8000, 1)));
    }

    @Test
    void arrives_changeOfAnOwner_comesLaterAndAsItWas() {
        CompletableFuture<List<CopyState>> sent = send();
        rig.world.runFor(100 * MILLI);
        assertThat(rig.batches()).isEmpty();
        rig.await(sent);
        assertThat(epochs()).containsExactly(1L);
    }

    @Test
    void opened_byAnotherOwnerMeanwhile_takesTheOldOwnersChangeInTheNewEpoch() {
        var _ = send();
        rig.world.runFor(20 * MILLI);
        open(NEW, 2, false);
        rig.world.runFor(20 * MILLI);
        assertThat(epochs()).containsExactly(2L);
    }

    @Test
    void opened_bySameOwnerOrToBeFilledOrRefused_takesNothing() {
        var _ = send();
        rig.world.runFor(20 * MILLI);
        result = CopyResult.FENCED;
        open(NEW, 2, false);
        result = CopyResult.OK;
        open(OLD, 2, false);
        rig.world.runFor(20 * MILLI);
        assertThat(rig.batches()).isEmpty();
    }

    @Test
    void opened_toBeFilled_takesNothing() {
        var _ = send();
        rig.world.runFor(20 * MILLI);
        open(NEW, 2, true);
        rig.world.runFor(20 * MILLI);
        assertThat(rig.batches()).isEmpty();
    }
}
