package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import dev.granary.testkit.Operation.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which answers fit to one chunk, operation by operation. */
class ChunkCheckerTest {

    private static final long CID = Cid.of(0x8000, 1);

    private final List<Operation> operations = new ArrayList<>();
    private long moment;

    @Test
    void findProblem_noOperations_isNone() {
        assertExplained();
    }

    @Test
    void findProblem_readOfWhatWasNotWritten_saysHowManyFit() {
        begin(Kind.CREATE, 1).created(CID);
        begin(Kind.GET, 0).read(1);
        begin(Kind.GET, 0).read(2);
        assertThat(problem()).isEqualTo("no order explains what was seen; at most 2 of 3 operations fit");
    }

    @Test
    void findProblem_createOverAValue_isOne() {
        begin(Kind.CREATE, 1).created(CID);
        begin(Kind.CREATE, 2).created(CID);
        assertThat(problem()).isNotNull();
        operations.removeLast();
        begin(Kind.DELETE, 0).done();
        begin(Kind.CREATE, 2).created(CID);
        begin(Kind.GET, 0).read(2);
        assertExplained();
    }

    @Test
    void findProblem_operationsOverlap_anyOrderThatFitsWillDo() {
        begin(Kind.CREATE, 1).created(CID);
        Operation first = begin(Kind.PUT, 2);
        Operation second = begin(Kind.PUT, 3);
        second.done();
        first.done();
        Operation get = begin(Kind.GET, 0);
        get.read(2);
        assertExplained();
        begin(Kind.GET, 0).read(3);
        assertThat(problem()).isNotNull();
    }

    @Test
    void findProblem_putThatMayHaveHappened_mayBeSeenAtAnyTimeOnce() {
        begin(Kind.CREATE, 1).created(CID);
        begin(Kind.PUT, 2).unknown();
        begin(Kind.GET, 0).read(1);
        begin(Kind.GET, 0).read(2);
        assertExplained();
        begin(Kind.GET, 0).read(1);
        assertThat(problem()).isNotNull();
    }

    @Test
    void findProblem_putThatWasRefused_isNeverSeen() {
        begin(Kind.CREATE, 1).created(CID);
        begin(Kind.PUT, 2).refused();
        begin(Kind.GET, 0).read(1);
        assertExplained();
        begin(Kind.GET, 0).read(2);
        assertThat(problem()).isNotNull();
    }

    @Test
    void findProblem_looksWithoutAnAnswer_sayNothing() {
        begin(Kind.GET, 0).unknown();
        begin(Kind.FENCE, 0).unknown();
        begin(Kind.GET, 0).notFound();
        assertExplained();
    }

    @Test
    void findProblem_ownerDied_chunkIsLostFromThenOn() {
        begin(Kind.CREATE, 1).created(CID);
        begin(Kind.OWNER_DIED, 0).done();
        begin(Kind.GET, 0).lost();
        assertExplained();
        begin(Kind.GET, 0).notFound();
        assertThat(problem()).isNotNull();
        operations.removeLast();
        begin(Kind.CREATE, 5).created(CID);
        assertThat(problem()).isNotNull();
    }

    @Test
    void findProblem_ownerDiedBeforeTheChunkWas_isNotLost() {
        begin(Kind.OWNER_DIED, 0).done();
        begin(Kind.GET, 0).notFound();
        begin(Kind.CREATE, 1).created(CID);
        assertExplained();
        begin(Kind.GET, 0).lost();
        assertThat(problem()).isNotNull();
    }

    @Test
    void findProblem_changeWasAnsweredWithLost_mayHaveBeenCarriedOutBefore() {
        begin(Kind.CREATE, 1).created(CID);
        Operation put = begin(Kind.PUT, 2);
        begin(Kind.GET, 0).read(2);
        begin(Kind.OWNER_DIED, 0).done();
        put.lost();
        assertExplained();
    }

    @Test
    void findProblem_createFailed_itsUndoingTakesWhatItMade() {
        Operation create = begin(Kind.CREATE, 7);
        begin(Kind.GET, 0).read(7);
        begin(Kind.GET, 0).notFound();
        assertThat(problem()).isNotNull();
        operations.add(create.undo());
        assertExplained();
    }

    @Test
    void findProblem_undoingWithoutItsCreate_takesNothing() {
        begin(Kind.CREATE, 1).created(CID);
        Operation other = begin(Kind.CREATE, 2);
        operations.remove(other);
        operations.add(other.undo());
        begin(Kind.GET, 0).read(1);
        begin(Kind.GET, 0).notFound();
        assertThat(problem()).isNotNull();
    }

    @Test
    void findProblem_rollback_undoesWhatPromisedLessThanItLeaves() {
        begin(Kind.CREATE, 1).promising(Promise.SYNCED).created(CID);
        begin(Kind.PUT, 2).promising(Promise.ASYNC).done();
        begin(Kind.PUT, 3).promising(Promise.ASYNC).done();
        begin(Kind.ROLLBACK, 0).promising(Promise.REPLICATED).done();
        for (long seen : new long[] {1, 2, 3}) {
            begin(Kind.GET, 0).read(seen);
            assertExplained();
            operations.removeLast();
        }
        begin(Kind.GET, 0).notFound();
        assertThat(problem()).isNotNull();
    }

    @Test
    void findProblem_changeThatPromisedEnough_keepsAllBeforeIt() {
        begin(Kind.CREATE, 1).promising(Promise.ASYNC).created(CID);
        begin(Kind.PUT, 2).promising(Promise.SYNCED).done();
        begin(Kind.PUT, 3).promising(Promise.ASYNC).done();
        begin(Kind.ROLLBACK, 0).promising(Promise.SYNCED).done();
        begin(Kind.GET, 0).read(1);
        assertThat(problem()).isNotNull();
        operations.removeLast();
        begin(Kind.GET, 0).read(2);
        assertExplained();
    }

    private Operation begin(Kind kind, long value) {
        Operation operation = new Operation("client", kind, CID, value, ++moment, () -> 0, () -> ++moment);
        operations.add(operation);
        return operation;
    }

    private void assertExplained() {
        assertThat(problem()).isNull();
    }

    private @Nullable String problem() {
        return new ChunkChecker(CID, operations).findProblem();
    }
}
