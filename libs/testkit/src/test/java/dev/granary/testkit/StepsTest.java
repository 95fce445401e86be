package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Scheduler;
import dev.granary.env.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class StepsTest {

    private static final long SECOND = 1_000_000_000;

    private final Simulation simulation = new Simulation(7);
    private final SimulatedNode node = simulation.node("a");
    private final List<String> taken = new ArrayList<>();

    private void start(Consumer<Scheduler> work) {
        node.start(world -> work.accept(world.environment().scheduler()));
    }

    private void take(String what) {
        taken.add(what + " at " + simulation.nowNanos() / SECOND);
    }

    @Test
    void after_stepThrowsOnce_isTakenAgainAfterThePauseAndCounted() {
        Scheduler[] scheduler = new Scheduler[1];
        node.failSteps(0, 1);
        start(its -> {
            scheduler[0] = its;
            new Steps(its, "planted", 2 * SECOND).after(SECOND, () -> take("step"));
        });
        simulation.runFor(10 * SECOND);

        assertThat(taken).containsExactly("step at 3");
        assertThat(scheduler[0].loops().failures()).containsEntry("planted", 1L);
    }

    @Test
    void run_stepAndItsWayOutThrow_wayOutIsTakenUntilItDoesNot() {
        node.failSteps(0, 3);
        start(its -> new Steps(its, "planted", SECOND).run(() -> take("step"), () -> take("way out")));
        simulation.runFor(10 * SECOND);

        assertThat(taken).containsExactly("way out at 3");
    }

    @Test
    void then_stepWithTheAnswerThrows_wayOutFollows() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        node.failSteps(1, 1);
        start(its -> {
            Steps steps = new Steps(its, "planted", SECOND);
            steps.then(CompletableFuture.completedFuture("one"), (one, failure) -> take(one), () -> take("none"));
            steps.then(answer, (other, failure) -> take(other), () -> take("way out"));
        });
        simulation.runFor(SECOND);
        answer.complete("other");
        simulation.runFor(3 * SECOND);

        assertThat(taken).containsExactly("one at 0", "way out at 2");
    }

    @Test
    void then_answerIsAFailure_stepGetsIt() {
        start(its -> new Steps(its, "planted", SECOND)
                .then(
                        CompletableFuture.failedFuture(new IllegalStateException("planted")),
                        (none, failure) -> take(String.valueOf(failure)),
                        () -> take("way out")));
        simulation.runFor(SECOND);

        assertThat(taken).containsExactly("java.lang.IllegalStateException: planted at 0");
    }

    @Test
    void run_throwsByItself_failsTheRun() {
        start(its -> new Steps(its, "planted", SECOND)
                .after(
                        SECOND,
                        () -> {
                            throw new IllegalStateException("a bug");
                        },
                        () -> take("way out")));

        assertThatThrownBy(() -> simulation.runFor(3 * SECOND)).hasStackTraceContaining("a bug");
    }
}
