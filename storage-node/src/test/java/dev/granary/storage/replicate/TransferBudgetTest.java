package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.storage.replicate.TransferBudget.Room;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class TransferBudgetTest {

    private static final long PART = 256 << 10;
    private static final long LIMIT = TransferBudget.LARGEST_STEP_BYTES + 2 * PART;

    private final TransferBudget budget = new TransferBudget(LIMIT);

    @Test
    void take_roomIsTaken_waitsUntilOthersHaveGivenSomeBack() {
        Room first = budget.take().join();
        CompletableFuture<Room> second = budget.take();
        assertThat(second).as("nobody knows how large the first one is").isNotDone();

        first.shrinkTo(PART);
        assertThat(second).isDone();
        second.join().shrinkTo(2 * PART);
        CompletableFuture<Room> third = budget.take();
        assertThat(third).isNotDone();

        first.end();
        assertThat(third).isDone();
        assertThat(budget.bytes()).isEqualTo(2 * PART + TransferBudget.LARGEST_STEP_BYTES);
    }

    @Test
    void take_severalWait_theyComeInTheirOrder() {
        Room first = budget.take().join();
        List<CompletableFuture<Room>> waiting = List.of(budget.take(), budget.take());

        first.end();
        assertThat(waiting.getFirst()).isDone();
        assertThat(waiting.getLast()).isNotDone();
        waiting.getFirst().join().end();
        assertThat(waiting.getLast()).isDone();
    }

    @Test
    void take_limitIsSmallerThanAStep_oneAtATime() {
        TransferBudget small = new TransferBudget(1);
        Room first = small.take().join();
        first.shrinkTo(1);
        CompletableFuture<Room> second = small.take();
        assertThat(second).isNotDone();
        first.end();
        assertThat(second).isDone();
    }

    @Test
    void takeAtOnce_noRoomIsLeft_waitsForNobody() {
        Room first = budget.take().join();
        Room urgent = budget.takeAtOnce(PART);
        assertThat(budget.bytes()).isEqualTo(TransferBudget.LARGEST_STEP_BYTES + PART);
        urgent.end();
        urgent.end();
        first.end();
        assertThat(budget.bytes()).isZero();
    }

    @Test
    void end_stepsOfAnySizeInAnyOrder_nothingIsTakenAndNobodyWaits() {
        RandomGenerator random = new Random(20_261_124);
        List<CompletableFuture<Room>> steps = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            if (random.nextInt(3) > 0) {
                steps.add(budget.take());
            } else if (!steps.isEmpty()) {
                // They get their room in order, so the first one has its room.
                Room room = steps.removeFirst().join();
                room.shrinkTo(random.nextLong(TransferBudget.LARGEST_STEP_BYTES));
                room.end();
            }
            assertThat(budget.bytes()).isBetween(0L, LIMIT);
            assertThat(steps.isEmpty() || steps.stream().anyMatch(CompletableFuture::isDone))
                    .isTrue();
        }
        while (!steps.isEmpty()) {
            steps.removeFirst().join().end();
        }
        assertThat(budget.bytes()).isZero();
    }
}
