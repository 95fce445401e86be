package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ConfinedTest {

    private static final Executor NEW_THREAD = task -> Thread.ofPlatform().start(task);

    private final Confined confined = new Confined();

    private static <T> T elsewhere(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, NEW_THREAD).join();
    }

    @Test
    void here_firstThread_isTrueForItAndFalseForOthers() {
        assertThat(confined.here()).isTrue();
        assertThat(confined.here()).isTrue();
        assertThat(elsewhere(confined::here)).isFalse();
        assertThat(confined.here())
                .as("a look by another thread changes nothing")
                .isTrue();
    }

    @Test
    void here_afterHandOver_belongsToTheNextThread() {
        assertThat(confined.here()).isTrue();
        assertThat(confined.handOver()).isTrue();
        assertThat(elsewhere(confined::here)).isTrue();
        assertThat(confined.here()).isFalse();
    }

    @Test
    void here_playedThreads_countsTheseInsteadOfTheThreadThatPlaysThem() {
        Confined.playing("control of a", () -> {
            assertThat(confined.here()).isTrue();
            Confined.playing("i/o of a", () -> assertThat(confined.here()).isFalse());
            assertThat(confined.here()).as("after the nested one").isTrue();
        });
        assertThat(confined.here()).as("the simulator itself").isFalse();
        boolean[] onVirtualThread = new boolean[1];
        elsewhere(() -> {
            Confined.playing("control of a", () -> onVirtualThread[0] = confined.here());
            return null;
        });
        assertThat(onVirtualThread[0])
                .as("the same thread, played by another one")
                .isTrue();
    }

    @Test
    void playing_workThatThrows_isThatThreadNoMore() {
        assertThatThrownBy(() -> Confined.playing("control of a", () -> {
                    throw new IllegalStateException("on purpose");
                }))
                .hasMessage("on purpose");
        assertThat(confined.here()).isTrue();
        Confined.playing("control of a", () -> assertThat(confined.here()).isFalse());
    }

    @Test
    void toString_wrongThread_namesWhatIsUsedAndBothThreads() {
        Confined.playing("control of a", confined::here);
        Confined.playing("i/o of a", () -> assertThat(messageOfAssert())
                .isEqualTo(ConfinedTest.class.getName()
                        + ".messageOfAssert belongs to control of a and is used by i/o of a"));
    }

    private String messageOfAssert() {
        return confined.toString();
    }
}
