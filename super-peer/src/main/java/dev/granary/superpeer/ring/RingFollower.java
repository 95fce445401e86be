package dev.granary.superpeer.ring;

import dev.granary.env.Loop;
import dev.granary.net.cluster.Inquiry;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.Announce;
import dev.granary.net.message.RingMessages.JoinRing;
import dev.granary.net.message.RingMessages.JoinRingReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.probe.SuperPeerProbe;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a super-peer in touch with the one that leads the ring: sends its disk, NID and addresses, and takes the
 * committed view of the ring in return. The same request serves as the first join, as the news of an address after a
 * restart, and as the poll of super-peers that do not vote in the ring's Raft group. Asks the last leader first, then
 * the seeds, then all other super-peers. Runs as tasks of the node's scheduler.
 */
final class RingFollower {

    private static final Logger LOG = LoggerFactory.getLogger(RingFollower.class);

    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FAST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MAX_REFERRALS = 3;

    private static final Rules RULES =
            Rules.inTurn(CALL_TIMEOUT_NANOS, MAX_REFERRALS).until(RingFollower::isRingFull);

    /** A limit that is longer than any call. */
    private static final long ANSWER_LIMIT_NANOS = 5 * CALL_TIMEOUT_NANOS;

    private final Node node;
    private final JoinRing self;
    private final RingBook book;
    private final BooleanSupplier leads;
    private final Consumer<JoinRingReply> onReply;
    private volatile String lastTrouble = "";
    private @Nullable HostAddress lastLeader;
    private final Loop loop;
    private @Nullable Inquiry<JoinRing, JoinRingReply> round;

    /**
     * @param self the request, which describes this super-peer
     * @param leads whether this super-peer leads the ring itself and has no leader to ask
     * @param onReply takes the leader's reply
     */
    RingFollower(Node node, JoinRing self, RingBook book, BooleanSupplier leads, Consumer<JoinRingReply> onReply) {
        this.node = node;
        this.self = self;
        this.book = book;
        this.leads = leads;
        this.onReply = onReply;
        this.loop = Loop.answered(
                        node.environment().scheduler(), "ring-view", FAST_POLL_NANOS, ANSWER_LIMIT_NANOS, this::ask)
                .vital();
    }

    void begin() {
        loop.begin();
    }

    void stop() {
        loop.stop();
        Inquiry<JoinRing, JoinRingReply> asking = round;
        if (asking != null) {
            asking.stop();
        }
    }

    /** Returns why the last attempt failed; empty when it did not. Any thread. */
    String lastTrouble() {
        return lastTrouble;
    }

    /** Returns the address of the last leader that answered, or null. */
    @Nullable
    HostAddress lastLeader() {
        return lastLeader;
    }

    private void ask() {
        if (leads.getAsBoolean()) {
            lastTrouble = "";
            waitForNextRound();
        } else {
            askLeader();
        }
    }

    private void waitForNextRound() {
        Ring ring = book.ring();
        long pauseNanos = ring != null && ring.formed() && lastTrouble.isEmpty() ? POLL_NANOS : FAST_POLL_NANOS;
        // A random pause, so that super-peers do not ask in step.
        long jitterNanos = node.environment().random().nextLong(pauseNanos / 4);
        loop.again(pauseNanos + jitterNanos);
    }

    /** Asks one address after the other until the leader of the ring answers. */
    private void askLeader() {
        List<Target> candidates = candidates();
        if (candidates.isEmpty()) {
            endWithTrouble("there is no other super-peer to ask: cluster.seeds is empty");
            return;
        }
        round = Inquiry.begin(
                node.calls(),
                MessageType.JOIN_RING,
                () -> self,
                candidates,
                RULES,
                (number, named) -> loop.goesOn(),
                (from, reply, failure) -> loop.part(() -> answered(from, reply, failure)));
    }

    private List<Target> candidates() {
        Map<HostAddress, Integer> expectedNids = new LinkedHashMap<>();
        if (lastLeader != null) {
            expectedNids.put(lastLeader, Nid.NONE);
        }
        node.config().seeds().forEach(seed -> expectedNids.putIfAbsent(seed, Nid.NONE));
        for (Announce known : book.addresses()) {
            expectedNids.putIfAbsent(known.address(), known.nid());
        }
        expectedNids.remove(self.address());
        List<Target> candidates = new ArrayList<>();
        expectedNids.forEach((address, nid) -> candidates.add(new Target(address, nid)));
        return candidates;
    }

    private void answered(Target from, @Nullable JoinRingReply reply, @Nullable Throwable failure) {
        if (reply == null) {
            endWithTrouble("super-peer at " + from.address() + ": " + describe(failure));
            return;
        }
        if (!lastTrouble.isEmpty()) {
            LOG.atInfo().addKeyValue("address", from.address()).log("the ring's leader answers again");
            SuperPeerProbe.RING_LEADER_BACK.hit();
        }
        lastTrouble = "";
        lastLeader = from.address();
        onReply.accept(reply);
        waitForNextRound();
    }

    private void endWithTrouble(String trouble) {
        if (!trouble.equals(lastTrouble)) {
            LOG.atWarn().log("no answer of the ring's leader, asking on: {}", trouble);
            SuperPeerProbe.RING_LEADER_SILENT.hit();
        }
        lastTrouble = trouble;
        waitForNextRound();
    }

    private static String describe(@Nullable Throwable failure) {
        return failure == null ? "no answer" : String.valueOf(failure.getMessage());
    }

    /** Whether the leader has refused as all NIDs are given. No other super-peer would answer anything else. */
    private static boolean isRingFull(Throwable failure) {
        return failure instanceof RemoteErrorException refused && refused.code() == ErrorCode.RING_FULL;
    }
}
