package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.state.MigrationRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which migrations run, and the outcome of those that have ended. */
class MigrationTableTest {

    private static final int CREATOR = 0x8000;
    private static final int OTHER_CREATOR = 0x4000;

    private final MigrationTable table = new MigrationTable();

    private MigrationRecord begin(int creator, long firstLid, long lastLid) {
        return table.begin(new MigrationRecord(
                creator,
                table.nextNumber(),
                Cid.of(creator, firstLid),
                Cid.of(creator, lastLid),
                0x8000,
                1,
                0x2000,
                1,
                MigrationState.RUNNING,
                0,
                ""));
    }

    @Test
    void overlapsRunning_bothEnds_countInclusively() {
        begin(CREATOR, 10, 20);
        assertThat(table.overlapsRunning(Cid.of(CREATOR, 1), Cid.of(CREATOR, 9)))
                .isFalse();
        assertThat(table.overlapsRunning(Cid.of(CREATOR, 1), Cid.of(CREATOR, 10)))
                .isTrue();
        assertThat(table.overlapsRunning(Cid.of(CREATOR, 20), Cid.of(CREATOR, 30)))
                .isTrue();
        assertThat(table.overlapsRunning(Cid.of(CREATOR, 21), Cid.of(CREATOR, 30)))
                .isFalse();
        assertThat(table.overlapsRunning(Cid.of(OTHER_CREATOR, 10), Cid.of(OTHER_CREATOR, 20)))
                .isFalse();
    }

    @Test
    void end_aMigration_isStillFoundAndOverlapsNothing() {
        MigrationRecord record = begin(CREATOR, 10, 20);
        table.end(record.committed(7));
        assertThat(table.running()).isEmpty();
        assertThat(table.find(CREATOR, record.number())).isEqualTo(record.committed(7));
        assertThat(table.overlapsRunning(Cid.of(CREATOR, 10), Cid.of(CREATOR, 20)))
                .isFalse();
    }

    @Test
    void end_moreThanAreKept_forgetsTheOldestOfThem() {
        MigrationRecord first = begin(CREATOR, 1, 1);
        table.end(first.aborted("first"));
        MigrationRecord last = first;
        for (int i = 0; i < MigrationTable.MAX_ENDED; i++) {
            last = begin(CREATOR, 1, 1);
            table.end(last.committed(2));
        }
        assertThat(table.find(CREATOR, first.number())).isNull();
        assertThat(table.wasGiven(first.number())).isTrue();
        assertThat(table.find(CREATOR, last.number())).isNotNull();
    }

    @Test
    void abort_thoseOfACondition_endsTheseAlone() {
        MigrationRecord one = begin(CREATOR, 10, 20);
        MigrationRecord other = begin(OTHER_CREATOR, 10, 20);
        table.abort(record -> record.creatorNid() == CREATOR, "the peer has ended");
        assertThat(table.running()).containsExactly(other);
        assertThat(table.find(CREATOR, one.number())).isEqualTo(one.aborted("the peer has ended"));
    }

    @Test
    void write_aPart_isReadElsewhereWithNumbersThatGoOn() {
        MigrationRecord running = begin(CREATOR, 10, 20);
        MigrationRecord ended = begin(CREATOR, 30, 40);
        table.end(ended.committed(3));
        begin(OTHER_CREATOR, 10, 20);
        Arc part = new Arc(OTHER_CREATOR, CREATOR);
        MigrationTable other = new MigrationTable();
        other.add(table.part(part));
        assertThat(other.running()).containsExactly(running);
        assertThat(other.find(CREATOR, ended.number())).isEqualTo(ended.committed(3));
        assertThat(other.nextNumber()).isEqualTo(4);
        table.remove(part);
        assertThat(table.running()).extracting(MigrationRecord::creatorNid).isEqualTo(List.of(OTHER_CREATOR));
    }
}
