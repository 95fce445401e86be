package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.FetchNames;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.net.message.NameMessages.SaveNames.Step;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Copies of names on a storage peer. */
class NameCopiesTest {

    private static final int OWNER = 0x0001;
    private static final Arc ARC = new Arc(0x8001, 0x0001);
    private static final Arc WIDER = new Arc(0x4001, 0x0001);
    private static final long CID = Cid.of(0x8000, 5);

    private final NodeFixture peer = new NodeFixture().ready();
    private final RawClient client = peer.client();

    @AfterEach
    void close() {
        peer.close();
    }

    private static NameEntry name(String name, long cid) {
        return new NameEntry(name, cid);
    }

    private NamesSaved save(
            int owner, Arc arc, long ringEpoch, Step step, long base, long version, NameEntry... changes) {
        return client.await(client.call(
                MessageType.SAVE_NAMES,
                new SaveNames(
                        peer.superPeer.clusterId,
                        owner,
                        arc.fromExclusive(),
                        arc.toInclusive(),
                        ringEpoch,
                        step,
                        base,
                        version,
                        List.of(changes))));
    }

    private NamesSaved save(Step step, long base, long version, NameEntry... changes) {
        return save(OWNER, ARC, 7, step, base, version, changes);
    }

    private void fill(int owner, Arc arc, long ringEpoch, long version, NameEntry... names) {
        assertThat(save(owner, arc, ringEpoch, Step.BEGIN, 0, version).taken()).isTrue();
        assertThat(save(owner, arc, ringEpoch, Step.FINISH, version, version, names))
                .isEqualTo(new NamesSaved(true, version));
    }

    private List<NameCopyList.Copy> copies() {
        return client.await(client.call(MessageType.LIST_NAME_COPIES, new Empty()))
                .copies();
    }

    private CompletableFuture<NameList> fetchLater(int owner, long version, String after, int limit) {
        return client.call(MessageType.FETCH_NAMES, new FetchNames(owner, version, after, limit));
    }

    private NameList fetch(int owner, long version, String after, int limit) {
        return client.await(fetchLater(owner, version, after, limit));
    }

    @Test
    void save_copyThatIsFilledAndChanged_isWhatItsArcHad() {
        assertThat(save(Step.BEGIN, 0, 10)).isEqualTo(new NamesSaved(true, 0));
        assertThat(save(Step.FILL, 10, 10, name("a", CID), name("b", CID)).taken())
                .isTrue();
        assertThat(copies()).isEmpty();
        assertThat(save(Step.FINISH, 10, 12, name("c", CID), name("a", Cid.NONE)))
                .isEqualTo(new NamesSaved(true, 12));
        assertThat(save(Step.CHANGE, 12, 13, name("b", CID + 1))).isEqualTo(new NamesSaved(true, 13));

        assertThat(copies())
                .containsExactly(new NameCopyList.Copy(OWNER, ARC.fromExclusive(), ARC.toInclusive(), 7, 13));
        assertThat(fetch(OWNER, 13, "", 9)).isEqualTo(new NameList(List.of(name("b", CID + 1), name("c", CID)), false));
        assertThat(fetch(OWNER, 13, "", 1)).isEqualTo(new NameList(List.of(name("b", CID + 1)), true));
        assertThat(fetch(OWNER, 13, "b", 1)).isEqualTo(new NameList(List.of(name("c", CID)), false));
    }

    @Test
    void save_changesThatDoNotFollow_areNotTaken() {
        fill(OWNER, ARC, 7, 10, name("a", CID));
        assertThat(save(Step.CHANGE, 11, 12, name("b", CID))).isEqualTo(new NamesSaved(false, 10));
        assertThat(save(Step.CHANGE, 9, 10, name("b", CID))).isEqualTo(new NamesSaved(false, 10));
        assertThat(save(OWNER, WIDER, 7, Step.CHANGE, 10, 11, name("b", CID))).isEqualTo(new NamesSaved(false, 0));
        assertThat(save(0x4001, ARC, 7, Step.FILL, 10, 11, name("b", CID))).isEqualTo(new NamesSaved(false, 0));
        assertThat(fetch(OWNER, 10, "", 9).entries()).containsExactly(name("a", CID));
    }

    @Test
    void save_byASuperPeerThatLeadsNoMore_leavesTheLaterCopy() {
        fill(OWNER, ARC, 7, 10, name("a", CID));
        assertThat(save(Step.BEGIN, 0, 9).taken()).isTrue();
        assertThat(save(Step.FINISH, 9, 9)).isEqualTo(new NamesSaved(false, 10));
        assertThat(fetch(OWNER, 10, "", 9).entries()).containsExactly(name("a", CID));
    }

    @Test
    void save_arcThatTookOthersIn_takesThePlaceOfTheirCopies() {
        fill(OWNER, ARC, 7, 10, name("a", CID));
        fill(0x4001, new Arc(0x2001, 0x4001), 7, 10);
        fill(0x6001, WIDER, 8, 11, name("a", CID));
        assertThat(copies().stream().map(NameCopyList.Copy::ownerNid)).containsExactly(0x4001, 0x6001);
    }

    @Test
    void save_ofAnotherClusterOrNoArc_isRefused() {
        SaveNames strange = new SaveNames(new UUID(9, 9), OWNER, 1, 2, 7, Step.BEGIN, 0, 1, List.of());
        assertThat(client.errorOf(client.call(MessageType.SAVE_NAMES, strange))).isEqualTo(ErrorCode.WRONG_CLUSTER);
        SaveNames nowhere = new SaveNames(peer.superPeer.clusterId, Nid.NONE, 1, 2, 7, Step.BEGIN, 0, 1, List.of());
        assertThat(client.errorOf(client.call(MessageType.SAVE_NAMES, nowhere))).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(client.errorOf(fetchLater(OWNER, 1, "", 9))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(copies()).isEmpty();
    }
}
