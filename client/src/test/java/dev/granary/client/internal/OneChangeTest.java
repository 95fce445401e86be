package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.overlay.Cid;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The request ids of changes of one chunk. */
class OneChangeTest {

    private static final byte[] VALUE = {1, 2, 3};
    private static final long CID = Cid.of(ScriptedCluster.STORAGE_NID, 1);

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final AsyncGranaryClient client = cluster.client(ScriptedCluster.options());

    private MutationHeader header(int change) {
        return cluster.changes.get(change).header();
    }

    @Test
    void put_twice_theSecondRequestSaysThatTheFirstIsOver() {
        cluster.await(client.put(CID, VALUE));
        cluster.await(client.put(CID, VALUE));
        assertThat(cluster.changes).extracting(ScriptedCluster.Change::type).containsOnly(MessageType.PUT);
        assertThat(header(0).count()).isEqualTo(1);
        assertThat(header(1).sequence()).isEqualTo(header(0).sequence() + 1);
        assertThat(header(1).ackedSequence()).isEqualTo(header(0).sequence());
    }

    @Test
    void put_refusedForGood_theNextRequestSaysThatItIsOver() {
        cluster.errors.add(ErrorReply.of(ErrorCode.BAD_REQUEST, "broken on purpose"));
        assertThatThrownBy(() -> cluster.await(client.put(CID, VALUE))).isInstanceOf(CompletionException.class);
        cluster.await(client.delete(CID));
        assertThat(cluster.changes)
                .extracting(ScriptedCluster.Change::type)
                .containsExactly(MessageType.PUT, MessageType.DELETE);
        assertThat(header(1).ackedSequence()).isEqualTo(header(0).sequence());
    }

    @Test
    void put_refusedForNow_isSentAgainUnderTheSameId() {
        cluster.errors.add(ErrorReply.retryLater(1_000_000, "not now"));
        cluster.await(client.put(CID, VALUE));
        assertThat(cluster.changes).hasSize(2);
        assertThat(header(1).sequence()).isEqualTo(header(0).sequence());
        assertThat(header(1).clientId()).isEqualTo(header(0).clientId());
        assertThat(header(1).ackedSequence()).isEqualTo(header(0).ackedSequence());
    }
}
