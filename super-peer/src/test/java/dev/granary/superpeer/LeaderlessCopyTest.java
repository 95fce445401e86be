package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a super-peer says about arcs of which it has a copy, when it hears nothing from the others. */
class LeaderlessCopyTest {

    private static final long MILLI = 1_000_000L;
    private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final SimulatedRing ring = new SimulatedRing();
    private final ScriptedPeer peer = new ScriptedPeer(ring, 0, new TreeMap<>());

    @BeforeEach
    void begin() {
        for (int i = 0; i < 3; i++) {
            ring.start(SimulatedRing.withLease(
                    i == 0 ? SimulatedRing.founder("s0", 3) : SimulatedRing.config("s" + i), LEASE_NANOS));
        }
        for (int i = 0; i < 3; i++) {
            ring.awaitReady("s" + i);
        }
        peer.start();
        assertThat(ring.simulation.runUntil(peer::holdsLease, TimeUnit.SECONDS.toNanos(20)))
                .isTrue();
        ring.runFor(500 * MILLI);
    }

    private CompletableFuture<LookupReply> lookUp(String superPeer) {
        CompletableFuture<LookupReply> reply =
                ring.begin(superPeer, MessageType.LOOKUP, new Lookup(Cid.of(peer.nid(), 1)));
        ring.runFor(100 * MILLI);
        return reply;
    }

    @Test
    void lookup_superPeerHearsNothingFromTheOthers_answersForTheLengthOfALeaseAndNoLonger() {
        assertThat(lookUp("s2")).isCompleted();
        ring.simulation.network().cutBoth("s2", "s0");
        ring.simulation.network().cutBoth("s2", "s1");
        ring.runFor(LEASE_NANOS / 2);
        assertThat(lookUp("s2")).as("while the others may be electing a leader").isCompleted();

        ring.runFor(2 * LEASE_NANOS);

        CompletableFuture<LookupReply> late = lookUp("s2");
        assertThatThrownBy(late::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(RemoteErrorException.class, refusal -> assertThat(refusal.code())
                        .isIn(ErrorCode.RETRY_LATER, ErrorCode.REDIRECT));

        ring.simulation.network().healAll();
        ring.runFor(2 * LEASE_NANOS);
        assertThat(lookUp("s2")).isCompleted();
    }
}
