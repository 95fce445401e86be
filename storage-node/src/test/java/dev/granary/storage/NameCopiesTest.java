package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Environment;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.FetchNames;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.net.message.NameMessages.SaveNames.Step;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.storage.backup.BackupPeer;
import dev.granary.storage.backup.Owner;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Copies of names on a storage peer. */
class NameCopiesTest {

    private static final int OWNER = 0x0001;
    private static final Arc ARC = new Arc(0x8001, 0x0001);
    private static final Arc WIDER = new Arc(0x4001, 0x0001);
    private static final int NID = 0x8000;
    private static final long CID = Cid.of(NID, 5);
    private static final long LIMIT_BYTES = 16 << 10;
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final Simulation world = new Simulation(20_261_121);
    private final RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 1);
    private final List<NameCopies> made = new ArrayList<>();
    private final BackupPeer peer =
            new BackupPeer(world, "peer", NID).with(this::add).start();
    private final Owner client = new Owner(world);

    NameCopiesTest() {
        identity.joinCluster(BackupPeer.CLUSTER);
    }

    private void add(RequestTable requests) {
        Environment environment = peer.life().world().environment();
        NameCopies copies = new NameCopies(identity, environment.clock(), environment.scheduler(), LIMIT_BYTES);
        copies.addTo(requests);
        made.add(copies);
    }

    @AfterEach
    void copiesTakeLittleMoreThanTheirLimit() {
        assertThat(made.getFirst().bytes()).isBetween(0L, 2 * LIMIT_BYTES);
    }

    private <Q extends Message, R extends Message> ErrorCode refusal(MessageType<Q, R> type, Q request) {
        try {
            throw new AssertionError("not refused: " + client.call(peer, type, request));
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(RemoteErrorException.class);
            return ((RemoteErrorException) e.getCause()).code();
        }
    }

    private static NameEntry name(String name, long cid) {
        return new NameEntry(name, cid);
    }

    private NamesSaved save(
            int owner, Arc arc, long ringEpoch, Step step, long base, long version, NameEntry... changes) {
        return client.call(peer, MessageType.SAVE_NAMES, request(owner, arc, ringEpoch, step, base, version, changes));
    }

    private static SaveNames request(
            int owner, Arc arc, long ringEpoch, Step step, long base, long version, NameEntry... changes) {
        return new SaveNames(
                BackupPeer.CLUSTER,
                owner,
                arc.fromExclusive(),
                arc.toInclusive(),
                ringEpoch,
                step,
                base,
                version,
                List.of(changes));
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
        return client.call(peer, MessageType.LIST_NAME_COPIES, new Empty()).copies();
    }

    private NameList fetch(int owner, long version, String after, int limit) {
        return client.call(peer, MessageType.FETCH_NAMES, new FetchNames(owner, version, after, limit));
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
        assertThat(refusal(MessageType.SAVE_NAMES, strange)).isEqualTo(ErrorCode.WRONG_CLUSTER);
        SaveNames nowhere = new SaveNames(BackupPeer.CLUSTER, Nid.NONE, 1, 2, 7, Step.BEGIN, 0, 1, List.of());
        assertThat(refusal(MessageType.SAVE_NAMES, nowhere)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal(MessageType.FETCH_NAMES, new FetchNames(OWNER, 1, "", 9)))
                .isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(copies()).isEmpty();
    }

    @Test
    void fetch_noOrTooManyNamesAtOnce_isRefused() {
        fill(OWNER, ARC, 7, 10, name("a", CID));
        for (int limit : new int[] {0, SaveNames.MAX_CHANGES + 1}) {
            assertThat(refusal(MessageType.FETCH_NAMES, new FetchNames(OWNER, 10, "", limit)))
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
        assertThat(fetch(OWNER, 10, "", SaveNames.MAX_CHANGES).entries()).hasSize(1);
    }

    @Test
    void save_limitIsReached_moreNamesAreRefusedUntilAnHourLater() {
        NameEntry[] many = new NameEntry[20];
        Arrays.setAll(many, i -> name((char) ('a' + i) + "x".repeat(1_000), CID));
        fill(OWNER, ARC, 7, 10, many);
        long taken = made.getFirst().bytes();
        assertThat(taken).isGreaterThan(LIMIT_BYTES);
        SaveNames more = request(0x4001, WIDER, 7, Step.BEGIN, 0, 11, name("a", CID));
        assertThat(refusal(MessageType.SAVE_NAMES, more)).isEqualTo(ErrorCode.OUT_OF_MEMORY);
        assertThat(made.getFirst().bytes()).isEqualTo(taken);
        assertThat(save(OWNER, ARC, 7, Step.CHANGE, 10, 10))
                .as("asks whether the copy is still there")
                .isEqualTo(new NamesSaved(true, 10));
        world.runFor(HOUR + 1_000_000_000L);

        assertThat(save(0x4001, WIDER, 7, Step.BEGIN, 0, 11, name("a", CID)).taken())
                .isTrue();

        assertThat(copies()).as("nobody has updated it for an hour").isEmpty();
        assertThat(made.getFirst().bytes()).isLessThan(taken);
    }
}
