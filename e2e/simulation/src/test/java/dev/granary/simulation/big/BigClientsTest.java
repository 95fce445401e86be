package dev.granary.simulation.big;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Nid;
import dev.granary.testkit.Simulation;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@link BigClients} with old caches and rings, and super-peers that are dead, busy or wrong. */
class BigClientsTest {

    private static final long SECOND = 1_000_000_000;
    private static final BigPlan PLAN = new BigPlan(1, 4, 4, 4, 1, 10);

    private final Simulation simulation = new Simulation(5);
    private final BigWorld world = new BigWorld(
            PLAN,
            simulation.random("zones"),
            IntStream.range(0, 4).mapToObj(Nid::superPeerNid).toList());
    private final BigClients clients = new BigClients(simulation, world, new MessageSizes(), 1);

    BigClientsTest() {
        for (int i = 0; i < PLAN.storagePeers(); i++) {
            world.join();
        }
    }

    private void lookUp(int times) {
        for (int i = 0; i < times; i++) {
            clients.lookUp();
            simulation.runFor(SECOND / 100);
        }
    }

    private void awaitAnswers() {
        assertThat(simulation.runUntil(() -> clients.unanswered() == 0, 60 * SECOND))
                .isTrue();
    }

    @Test
    void lookUp_nothingChanges_isOneRoundTripForEachRangeAndThenTheCache() {
        lookUp(200);
        awaitAnswers();
        assertThat(clients.lookups()).isEqualTo(200);
        assertThat(clients.oneRoundTrip()).as("one for each range").isEqualTo(4);
        assertThat(clients.inCache()).isEqualTo(196);
        assertThat(clients.longestNanos()).isBetween(200_000L, 600_000L);
        assertThat(clients.redirects() + clients.retries() + clients.timeouts() + clients.moved())
                .isZero();
    }

    @Test
    void lookUp_rangesHaveMoved_formerOwnersSaySoAndTheNewOnesAreFound() {
        lookUp(100);
        for (int i = 0; i < 40; i++) {
            world.migrate(i % 4);
        }
        lookUp(100);
        awaitAnswers();
        assertThat(clients.moved()).isBetween(1L, 4L);
        assertThat(clients.oneRoundTrip()).isEqualTo(4 + clients.moved());
    }

    @Test
    void lookUp_ringHasChanged_isRedirectedOnce() {
        RingOperations operations = new RingOperations(simulation, world, 4);
        operations.promote();
        assertThat(simulation.runUntil(() -> !operations.isBusy(), 60 * SECOND)).isTrue();
        operations.promote();
        assertThat(simulation.runUntil(() -> !operations.isBusy(), 60 * SECOND)).isTrue();
        lookUp(100);
        awaitAnswers();
        assertThat(clients.redirects()).as("the client has the new ring then").isLessThanOrEqualTo(1);
        assertThat(clients.timeouts()).isZero();
    }

    @Test
    void lookUp_partIsBeingMoved_isRepeatedUntilItIsNot() {
        world.members().forEach(member -> member.seal(world.ring().arcOf(member.nid)));
        clients.lookUp();
        simulation.runFor(SECOND);
        assertThat(clients.unanswered()).isEqualTo(1);
        assertThat(clients.retries()).isGreaterThan(10);
        world.members().forEach(BigSuperPeer::unseal);
        awaitAnswers();
    }

    @Test
    void lookUp_superPeersAreDead_asksTheNextHolderUntilSomebodyAnswers() {
        BigSuperPeer alive = world.members().getFirst();
        world.members().stream().filter(member -> member != alive).forEach(member -> member.die(0));
        simulation.runFor(SECOND);
        lookUp(20);
        simulation.runFor(5 * SECOND);
        assertThat(clients.timeouts()).isPositive();
        world.members().forEach(BigSuperPeer::comeBack);
        awaitAnswers();
    }

    @Test
    void lookUp_superPeerHasForgotten_isNoticed() {
        world.members().forEach(BigSuperPeer::clear);
        clients.lookUp();
        assertThatThrownBy(() -> simulation.runFor(SECOND))
                .hasStackTraceContaining("BigViolation")
                .hasStackTraceContaining("its owner is");
    }
}
