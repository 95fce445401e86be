package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.FatalErrors;
import dev.granary.env.Loop;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A machine without network buffers: code that handles this goes on, and what does not ends the process. */
class FailedBuffersTest {

    private static final long SECOND = 1_000_000_000;
    private static final int GIVEN_BYTES = 256;

    private final Simulation simulation = new Simulation(7);
    private final SimulatedNode node = simulation.node("a");
    private final List<Throwable> ends = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void failBuffers() {
        node.whenFatal(ends::add);
        node.failBuffers(new SplittableRandom(1), 1, GIVEN_BYTES);
    }

    private void run(Consumer<ByteBufAllocator> task) {
        node.start(world -> {
            task.accept(world.transport().allocator());
            seen.add("went on");
        });
        simulation.runFor(SECOND);
    }

    @Test
    void buffer_taskDoesNotDealWithIt_processIsToEnd() {
        run(allocator -> allocator.buffer(GIVEN_BYTES + 1));

        assertThat(ends).hasOnlyElementsOfType(InjectedOutOfMemory.class).hasSize(1);
        assertThat(seen).isEmpty();
        assertThat(node.refusedBuffers()).isEqualTo(1);
    }

    @Test
    void buffer_nobodyEndsTheProcess_runFails() {
        SimulatedNode other = simulation.node("b");
        other.failBuffers(new SplittableRandom(1), 1, 0);
        other.start(world -> world.transport().allocator().buffer());

        assertThatThrownBy(() -> simulation.runFor(SECOND)).isInstanceOf(SimulationFailure.class);
    }

    @Test
    void buffer_growsBeyondWhatIsGiven_isRefused() {
        run(allocator -> {
            ByteBuf small = allocator.buffer(GIVEN_BYTES);
            small.writeZero(GIVEN_BYTES);
            small.writeByte(1);
        });

        assertThat(ends).hasSize(1);
    }

    @Test
    void buffer_taskDealsWithIt_processGoesOn() {
        run(allocator ->
                assertThatThrownBy(() -> allocator.buffer(GIVEN_BYTES + 1)).isInstanceOf(OutOfMemoryError.class));

        assertThat(ends).isEmpty();
        assertThat(seen).containsExactly("went on");
    }

    @Test
    void buffer_roundOfALoopDoesNotDealWithIt_processIsToEnd() {
        node.start(world -> Loop.every(world.environment().scheduler(), "planted", SECOND, () -> world.transport()
                        .allocator()
                        .buffer(GIVEN_BYTES + 1))
                .begin());
        simulation.runFor(SECOND / 2);

        assertThat(ends).hasSize(1);
    }

    @Test
    void buffer_failureWouldEndInAFutureAndIsTold_processIsToEnd() {
        run(allocator -> CompletableFuture.completedFuture(allocator)
                .thenAccept(its -> {
                    try {
                        its.buffer(GIVEN_BYTES + 1);
                    } catch (OutOfMemoryError e) {
                        FatalErrors.tell(e);
                        throw e;
                    }
                })
                .isCompletedExceptionally());

        assertThat(ends).hasSize(1);
    }

    @Test
    void giveBuffers_afterRefusals_givesEverything() {
        node.giveBuffers();
        run(allocator -> allocator.buffer(1 << 20));

        assertThat(ends).isEmpty();
        assertThat(node.refusedBuffers()).isZero();
    }
}
