package dev.granary.superpeer.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.Plan;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkJsonTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;

    private static Plan plan(long number, PlanKind kind, Plan.State state, String note, Move... moves) {
        return new Plan(A, number, kind, B, state, note, List.of(moves));
    }

    private static Move move(long bytes, Move.State state) {
        return new Move(Cid.of(B, 1), Cid.of(B, 9), A, 9, bytes, state);
    }

    private static MigrationRecord migration(long number) {
        return new MigrationRecord(A, number, Cid.of(A, 16), Cid.of(A, 31), A, 1, B, 2, MigrationState.RUNNING, 0, "");
    }

    @Test
    void write_plansAndMigrations_runningPlansFirstWithoutTheirMoves() {
        String json = WorkJson.write(
                List.of(
                        plan(1, PlanKind.SPREAD, Plan.State.DONE, "", move(5, Move.State.DONE)),
                        plan(
                                2,
                                PlanKind.DRAIN,
                                Plan.State.RUNNING,
                                "",
                                move(100, Move.State.DONE),
                                move(20, Move.State.FAILED),
                                move(3, Move.State.PENDING)),
                        plan(3, PlanKind.MOVE, Plan.State.ABORTED, "it was \"aborted\"")),
                List.of(migration(7)));

        assertThat(json)
                .isEqualTo(("{'plans':["
                                + "{'plan':'0x8000/2','kind':'drain','nid':'0x4000','state':'running','note':'','moves':3,"
                                + "'movesDone':1,'movesFailed':1,'bytes':123,'bytesDone':100},"
                                + "{'plan':'0x8000/3','kind':'move','nid':'0x4000','state':'aborted',"
                                + "'note':'it was \\'aborted\\'','moves':0,'movesDone':0,'movesFailed':0,'bytes':0,"
                                + "'bytesDone':0},"
                                + "{'plan':'0x8000/1','kind':'spread','nid':'0x4000','state':'done','note':'','moves':1,"
                                + "'movesDone':1,'movesFailed':0,'bytes':5,'bytesDone':5}],'plansUnlisted':0,"
                                + "'migrations':[{'migration':'0x8000/7','from':'0x8000000000000010',"
                                + "'to':'0x800000000000001f','source':'0x8000','target':'0x4000'}],'migrationsUnlisted':0}")
                        .replace('\'', '"'));
    }

    @Test
    void write_moreThanAreListed_countsTheOthers() {
        String json = WorkJson.write(
                Collections.nCopies(WorkJson.MAX_LISTED + 3, plan(1, PlanKind.MOVE, Plan.State.RUNNING, "")),
                Collections.nCopies(WorkJson.MAX_LISTED + 2, migration(1)));

        assertThat(json).contains("\"plansUnlisted\":3", "\"migrationsUnlisted\":2");
        assertThat(json.split("\"movesDone\"", -1)).hasSize(WorkJson.MAX_LISTED + 1);
        assertThat(json.split("\"source\"", -1)).hasSize(WorkJson.MAX_LISTED + 1);
    }
}
