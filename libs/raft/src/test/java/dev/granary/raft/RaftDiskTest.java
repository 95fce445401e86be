package dev.granary.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.microraft.MembershipChangeMode;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.persistence.RestoredRaftState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a member's disk holds: docs/formats/raft.md. A change of the golden bytes is a change of the format. */
class RaftDiskTest {

    private static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();
    private static final Endpoint SELF = new Endpoint(new MemberId(1));
    private static final List<MemberId> FOUNDERS = List.of(new MemberId(1), new MemberId(2), new MemberId(3));
    private static final RaftConfig CONFIG =
            RaftConfig.of(42, new MemberId(1), FOUNDERS, "group", RaftTiming.forLease(1_000_000_000));

    private final Simulation simulation = new Simulation(1);
    private final SimulatedNode node = simulation.node("host");

    private interface DiskUse {
        void run(Disk disk) throws IOException;
    }

    /** Uses the disk as one life of a process. */
    private void use(DiskUse use) {
        node.start(world -> {
            try {
                use.run(world.environment().disk());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        simulation.runFor(1);
    }

    private static RaftDisk open(Disk disk) throws IOException {
        return RaftDisk.open(disk, CONFIG);
    }

    private static RaftGroupMembersView view(long index) {
        return MODEL.createRaftGroupMembersViewBuilder()
                .setLogIndex(index)
                .setMembers(Endpoint.of(FOUNDERS))
                .setVotingMembers(Endpoint.of(FOUNDERS))
                .build();
    }

    private static LogEntry entry(long index, int term, Object operation) {
        return MODEL.createLogEntryBuilder()
                .setIndex(index)
                .setTerm(term)
                .setOperation(operation)
                .build();
    }

    private static void begin(RaftDisk disk, int term) throws IOException {
        disk.persistAndFlushLocalEndpoint(MODEL.createRaftEndpointPersistentStateBuilder()
                .setLocalEndpoint(SELF)
                .setVoting(true)
                .build());
        disk.persistAndFlushInitialGroupMembers(view(0));
        disk.persistAndFlushTerm(MODEL.createRaftTermPersistentStateBuilder()
                .setTerm(term)
                .setVotedFor(SELF)
                .build());
    }

    private static SnapshotChunk chunk(long index, int term, int number, int count) {
        return MODEL.createSnapshotChunkBuilder()
                .setIndex(index)
                .setTerm(term)
                .setSnapshotChunkIndex(number)
                .setSnapshotChunkCount(count)
                .setOperation(new byte[] {(byte) number, (byte) index})
                .setGroupMembersView(view(0))
                .build();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void records_ofEachKind_haveTheDocumentedBytes() {
        assertThat(hex(StoredState.groupRecord(42, new MemberId(1)))).isEqualTo("01012a000000000000000100000000000000");
        assertThat(hex(StoredState.memberRecord(SELF, true))).isEqualTo("02010000000000000001");
        assertThat(hex(StoredState.foundersRecord(MODEL.createRaftGroupMembersViewBuilder()
                        .setLogIndex(0)
                        .setMembers(List.of(SELF))
                        .setVotingMembers(List.of(SELF))
                        .build())))
                .isEqualTo("030000000000000000" + "010000000100000000000000" + "010000000100000000000000");
        assertThat(hex(StoredState.termRecord(7, SELF))).isEqualTo("040700000001" + "0100000000000000");
        assertThat(hex(StoredState.termRecord(7, null))).isEqualTo("040700000000");
        assertThat(hex(StoredState.entryRecord(entry(3, 2, new byte[] {9}))))
                .isEqualTo("05" + "0300000000000000" + "02000000" + "02" + "0100000009");
        assertThat(hex(StoredState.entryRecord(entry(1, 1, Entries.TermBegin.INSTANCE))))
                .isEqualTo("05" + "0100000000000000" + "01000000" + "01");
        assertThat(hex(StoredState.entryRecord(entry(
                        4,
                        2,
                        MODEL.createUpdateRaftGroupMembersOpBuilder()
                                .setMode(MembershipChangeMode.ADD_LEARNER)
                                .setEndpoint(new Endpoint(new MemberId(2)))
                                .setMembers(List.of(SELF, new Endpoint(new MemberId(2))))
                                .setVotingMembers(List.of(SELF))
                                .build()))))
                .isEqualTo("05" + "0400000000000000" + "02000000" + "0301" + "0200000000000000"
                        + "0200000001000000000000000200000000000000" + "010000000100000000000000");
        assertThat(hex(StoredState.cutRecord(9))).isEqualTo("060900000000000000");
    }

    @Test
    void snapshot_withEntriesBehindIt_hasTheDocumentedBytes() {
        StoredState state = new StoredState();
        state.apply(StoredState.groupRecord(42, new MemberId(1)));
        state.apply(StoredState.termRecord(2, null));
        state.append(entry(1, 1, new byte[] {1}));
        state.append(entry(2, 2, new byte[] {2}));
        state.install(List.of(MODEL.createSnapshotChunkBuilder()
                .setIndex(1)
                .setTerm(1)
                .setSnapshotChunkIndex(0)
                .setSnapshotChunkCount(1)
                .setOperation(new byte[] {5, 6})
                .setGroupMembersView(MODEL.createRaftGroupMembersViewBuilder()
                        .setLogIndex(0)
                        .setMembers(List.of(SELF))
                        .setVotingMembers(List.of(SELF))
                        .build())
                .build()));
        assertThat(hex(state.encode()))
                .isEqualTo("12000000" + "01012a000000000000000100000000000000" + "0000"
                        + "01" + "06000000" + "040200000000"
                        + "01" + "01000000" + "0100000000000000"
                        + "0000000000000000" + "010000000100000000000000" + "010000000100000000000000"
                        + "01000000" + "02000000" + "0506"
                        + "01000000" + "0200000000000000" + "02000000" + "02" + "0100000002");
    }

    @Test
    void reopen_afterEntriesCutAndSnapshot_restoresTheSame() {
        use(disk -> {
            RaftDisk store = open(disk);
            begin(store, 3);
            store.persistLogEntries(List.of(entry(1, 1, Entries.TermBegin.INSTANCE), entry(2, 1, new byte[] {2})));
            store.persistLogEntries(List.of(entry(3, 1, new byte[] {3}), entry(4, 1, new byte[] {4})));
            store.truncateLogEntriesFrom(4);
            store.persistLogEntries(List.of(entry(4, 3, new byte[] {44})));
            store.persistSnapshotChunk(chunk(2, 1, 0, 2));
            store.flush();
            store.persistSnapshotChunk(chunk(2, 1, 1, 2));
            store.flush();
            store.truncateLogEntriesUntil(2);
            store.persistLogEntries(List.of(entry(5, 3, new byte[] {5})));
            store.flush();
        });
        node.powerOff();
        use(disk -> {
            RestoredRaftState restored =
                    Objects.requireNonNull(open(disk).state().restored());
            assertThat(restored.getTermPersistentState().getTerm()).isEqualTo(3);
            assertThat(restored.getTermPersistentState().getVotedFor()).isEqualTo(SELF);
            assertThat(Objects.requireNonNull(restored.getSnapshotEntry()).getIndex())
                    .isEqualTo(2);
            assertThat(restored.getSnapshotEntry().getSnapshotChunkCount()).isEqualTo(2);
            assertThat(restored.getLogEntries())
                    .extracting(found -> found.getIndex() + "/" + found.getTerm())
                    .containsExactly("3/1", "4/3", "5/3");
            assertThat((byte[]) restored.getLogEntries().get(1).getOperation()).containsExactly(44);
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void powerLoss_atAnyMoment_keepsWhatWasFlushedAndNothingTorn(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] flushed = {0};
        for (int life = 0; life < 20; life++) {
            List<Long> appended = new ArrayList<>();
            use(disk -> {
                RaftDisk store = open(disk);
                RestoredRaftState restored = store.state().restored();
                begin(store, 1);
                long next = 1;
                if (restored != null) {
                    long snapshot = restored.getSnapshotEntry() == null
                            ? 0
                            : restored.getSnapshotEntry().getIndex();
                    List<LogEntry> entries = restored.getLogEntries();
                    next = snapshot + entries.size() + 1;
                    assertThat(next).as("seed %d", seed).isGreaterThan(flushed[0]);
                    for (int i = 0; i < entries.size(); i++) {
                        assertThat(entries.get(i).getIndex()).isEqualTo(snapshot + 1 + i);
                        assertThat(((byte[]) entries.get(i).getOperation())[0])
                                .isEqualTo((byte) entries.get(i).getIndex());
                    }
                    flushed[0] = next - 1;
                }
                for (int i = 0; i < random.nextInt(1, 30); i++) {
                    store.persistLogEntries(List.of(entry(next, 1, new byte[] {(byte) next})));
                    appended.add(next++);
                    if (random.nextInt(3) == 0) {
                        store.flush();
                        flushed[0] = next - 1;
                    }
                    if (random.nextInt(15) == 0) {
                        store.persistSnapshotChunk(chunk(next - 1, 1, 0, 1));
                        store.flush();
                        flushed[0] = next - 1;
                    }
                }
            });
            node.powerOff();
            assertThat(appended).isNotEmpty();
        }
    }

    @Test
    void open_unknownVersion_isRefused() {
        StoredState state = new StoredState();
        assertThatThrownBy(() -> state.apply(new byte[] {1, 2, 0, 0}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 2");
        assertThatThrownBy(() -> state.apply(new byte[] {77}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kind 77");
    }
}
