package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.internal.ScriptedCluster.Change;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.Cid;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What a client does when a storage peer does not know the outcome of a change. */
class UnknownOutcomeTest {

    private static final byte[] VALUE = {1, 2, 3};
    private static final long CID = Cid.of(ScriptedCluster.STORAGE_NID, 1);
    private static final ErrorReply ASK_AGAIN =
            new ErrorReply(ErrorCode.UNKNOWN_OUTCOME, 50_000_000, 0, null, "the lease ended");
    private static final ErrorReply FORGOTTEN = ErrorReply.of(ErrorCode.UNKNOWN_OUTCOME, "not known any more");

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final AsyncGranaryClient client = cluster.client(ScriptedCluster.options());

    @Test
    void put_leaseEndedBeforeTheReply_isAskedForAgainUnderTheSameId() {
        cluster.errors.add(ASK_AGAIN);
        cluster.await(client.put(CID, VALUE));
        assertThat(cluster.changes).hasSize(2);
        assertThat(cluster.changes)
                .extracting(Change::header)
                .extracting(header -> header.clientId() + "/" + header.sequence())
                .containsOnly(cluster.changes.getFirst().header().clientId() + "/"
                        + cluster.changes.getFirst().header().sequence());
    }

    @Test
    void delete_outcomeForgotten_failsAtOnce() {
        cluster.errors.add(FORGOTTEN);
        assertThatThrownBy(() -> cluster.await(client.delete(CID)))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(cluster.changes).hasSize(1);
    }
}
