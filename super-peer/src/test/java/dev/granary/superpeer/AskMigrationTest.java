package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.overlay.Cid;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a storage peer hears when it asks what became of a migration. */
class AskMigrationTest {

    private static final long MILLI = 1_000_000L;

    private final SimulatedRing ring = new SimulatedRing();
    private final Map<Integer, ScriptedPeer> peers = new TreeMap<>();
    private final ScriptedPeer[] byNumber = new ScriptedPeer[2];

    private MigrationReply ask(int creator, long number) {
        return ring.call("s0", MessageType.ASK_MIGRATION, new AskMigration(creator, number));
    }

    @Test
    void ask_numberThatNoMigrationWasGiven_isAborted() {
        ring.startRing(1);
        for (int i = 0; i < byNumber.length; i++) {
            byNumber[i] = new ScriptedPeer(ring, i, peers);
            byNumber[i].start();
        }
        for (int i = 0; i < 1000 && !Arrays.stream(byNumber).allMatch(ScriptedPeer::holdsLease); i++) {
            ring.runFor(20 * MILLI);
        }
        int source = byNumber[0].nid();
        assertThat(ask(source, 1).state()).isEqualTo(MigrationState.ABORTED);

        Migrate migrate = new Migrate(Cid.of(source, 1), Cid.of(source, 10), byNumber[1].nid());
        MigrationReply begun = ring.call("s0", MessageType.MIGRATE, migrate);
        assertThat(begun.number()).isEqualTo(1);
        assertThat(ask(source, 1).state()).isEqualTo(MigrationState.RUNNING);
        assertThat(ask(source, 2).state()).isEqualTo(MigrationState.ABORTED);
        assertThat(ring.refusal("s0", MessageType.ASK_MIGRATION, new AskMigration(byNumber[1].nid(), 1))
                        .code())
                .as("number 1 is known for another creator, and not for this one")
                .isEqualTo(ErrorCode.RETRY_LATER);
    }
}
