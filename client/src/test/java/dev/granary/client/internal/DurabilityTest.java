package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.Durability;
import dev.granary.client.Place;
import dev.granary.client.internal.ScriptedCluster.Change;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a storage peer sees the durability level that a client asks for. */
class DurabilityTest {

    private static final byte[] VALUE = {1, 2, 3};
    private static final long TOKEN = 5;

    private static final List<Integer> KINDS = List.of(
            MessageType.CREATE,
            MessageType.CREATE,
            MessageType.PUT,
            MessageType.PUT,
            MessageType.DELETE,
            MessageType.DELETE,
            MessageType.PUT,
            MessageType.DELETE);

    private final ScriptedCluster cluster = new ScriptedCluster();

    /** One change of each kind, in the order of {@link #KINDS}. */
    private void changeAll(AsyncGranaryClient client) {
        long cid = cluster.await(client.create(VALUE, Place.anywhere()));
        long[] cids = cluster.await(client.createZeroed(2, 8, Place.on(ScriptedCluster.STORAGE_NID)));
        cluster.await(client.put(cid, VALUE));
        cluster.await(client.putAll(cids, List.of(VALUE, VALUE)));
        cluster.await(client.delete(cid));
        cluster.await(client.deleteAll(cids));
        cluster.await(client.heldLock(cid, TOKEN).put(VALUE));
        cluster.await(client.heldLock(cid, TOKEN).delete());
    }

    /** Returns the flags of all changes so far and forgets them. */
    private List<Integer> flags() {
        assertThat(cluster.changes).extracting(Change::type).isEqualTo(KINDS);
        List<Integer> flags =
                cluster.changes.stream().map(change -> change.header().flags()).toList();
        cluster.changes.clear();
        return flags;
    }

    private static List<Integer> flagsWith(int durability) {
        int create = durability | ChunkLayouts.FLAG_EPOCH;
        int tokens = durability | ChunkLayouts.FLAG_TOKENS;
        return List.of(
                create,
                create | ChunkLayouts.FLAG_ZEROED,
                durability,
                durability,
                durability,
                durability,
                tokens,
                tokens);
    }

    /** The flags by name: the protocol and the application use the same names for the levels. */
    private static int flagsOf(Durability durability) {
        return dev.granary.net.message.Durability.valueOf(durability.name()).flags();
    }

    @Test
    void change_noDurabilityAsked_sendsNone() {
        changeAll(cluster.client(ScriptedCluster.options()));
        assertThat(flags())
                .isEqualTo(flagsWith(0))
                .allMatch(flags -> (flags & dev.granary.net.message.Durability.FLAGS) == 0);
    }

    @ParameterizedTest
    @EnumSource
    void change_durabilityInTheOptions_arrives(Durability durability) {
        changeAll(cluster.client(ScriptedCluster.options().withDurability(durability)));
        assertThat(flags()).isEqualTo(flagsWith(flagsOf(durability)));
    }

    @Test
    void change_throughAView_hasItsDurabilityAndTheClientKeepsItsOwn() {
        AsyncGranaryClient client = cluster.client(ScriptedCluster.options().withDurability(Durability.REPLICATED));
        AsyncGranaryClient view = client.withDurability(Durability.SYNCED);
        changeAll(view);
        assertThat(flags()).isEqualTo(flagsWith(flagsOf(Durability.SYNCED)));
        changeAll(client);
        assertThat(flags()).isEqualTo(flagsWith(flagsOf(Durability.REPLICATED)));
        changeAll(view.withDurability(Durability.ASYNC));
        assertThat(flags()).isEqualTo(flagsWith(flagsOf(Durability.ASYNC)));
    }

    /** A storage peer takes a request for a repetition of another one when both have the same id. */
    @Test
    void changes_ofAClientAndItsViews_neverHaveTheSameRequestId() {
        AsyncGranaryClient client = cluster.client(ScriptedCluster.options());
        long cid = Cid.of(ScriptedCluster.STORAGE_NID, 1);
        for (int i = 0; i < 5; i++) {
            cluster.await(client.put(cid, VALUE));
            cluster.await(client.withDurability(Durability.ASYNC).put(cid, VALUE));
        }
        assertThat(cluster.changes)
                .extracting(change -> change.header().clientId())
                .containsOnly(cluster.changes.getFirst().header().clientId());
        assertThat(cluster.changes)
                .extracting(change -> change.header().sequence())
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 10).boxed().toList());
    }

    @Test
    void names_ofAView_areThoseOfTheClient() {
        AsyncGranaryClient client = cluster.client(ScriptedCluster.options());
        assertThat(client.withDurability(Durability.ASYNC).names()).isSameAs(client.names());
    }
}
