package dev.granary.superpeer;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.JoinRing;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a super-peer that does not lead the ring in touch with the one that does: says who it is and where, and takes
 * the ring in return. The same request is the first join, the news of an address after a restart, and the poll for a
 * newer ring. Asks the leader first, then the seeds, then all other members. Runs as tasks of the node's
 * scheduler.
 */
final class RingFollower {

    private static final Logger LOG = LoggerFactory.getLogger(RingFollower.class);

    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FAST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MAX_HOPS = 3;

    private final Node node;
    private final JoinRing self;
    private final Supplier<@Nullable Ring> knownRing;
    private final Consumer<RingReply> onReply;
    private volatile String lastTrouble = "";
    private @Nullable HostAddress announcedLeader;
    private boolean stopped;

    /**
     * @param self what to say about this super-peer
     * @param knownRing the ring as it is known now, null when there is none yet
     * @param onReply takes what the leader says
     */
    RingFollower(Node node, JoinRing self, Supplier<@Nullable Ring> knownRing, Consumer<RingReply> onReply) {
        this.node = node;
        this.self = self;
        this.knownRing = knownRing;
        this.onReply = onReply;
    }

    void begin() {
        new Round().askNext();
    }

    void stop() {
        stopped = true;
    }

    /** The leader says that it is here now. Believed as far as to ask there first. */
    void leaderIsAt(HostAddress address) {
        announcedLeader = address;
    }

    /** What stood in the way last; empty when nothing did. Any thread. */
    String lastTrouble() {
        return lastTrouble;
    }

    private void waitForNextRound() {
        Ring ring = knownRing.get();
        long pauseNanos = ring != null && ring.isComplete() ? POLL_NANOS : FAST_POLL_NANOS;
        // Spread over the members, so that they do not ask in step.
        long jitterNanos = node.environment().random().nextLong(pauseNanos / 4);
        node.environment().scheduler().schedule(pauseNanos + jitterNanos, () -> {
            if (!stopped) {
                new Round().askNext();
            }
        });
    }

    /** Asks one candidate after the other until one of them leads the ring. */
    private final class Round {
        private final Deque<Map.Entry<HostAddress, Integer>> candidates = new ArrayDeque<>();
        private int hopsLeft = MAX_HOPS;
        private String trouble = "there is no other super-peer to ask: cluster.seeds is empty";

        private Round() {
            Map<HostAddress, Integer> expectedNids = new LinkedHashMap<>();
            Ring ring = knownRing.get();
            if (ring != null) {
                if (announcedLeader != null) {
                    expectedNids.put(announcedLeader, ring.leaderNid());
                }
                expectedNids.putIfAbsent(ring.leader().address(), ring.leaderNid());
            }
            node.config().seeds().forEach(seed -> expectedNids.putIfAbsent(seed, Nid.NONE));
            if (ring != null) {
                for (RingMember member : ring.members()) {
                    expectedNids.putIfAbsent(member.address(), member.nid());
                }
            }
            expectedNids.remove(self.address());
            candidates.addAll(expectedNids.entrySet());
        }

        private void askNext() {
            Map.Entry<HostAddress, Integer> candidate = candidates.pollFirst();
            if (candidate == null) {
                endWithTrouble();
                return;
            }
            node.ask(
                    candidate.getKey(),
                    candidate.getValue(),
                    MessageType.JOIN_RING,
                    self,
                    CALL_TIMEOUT_NANOS,
                    (reply, failure) -> answered(candidate.getKey(), reply, failure));
        }

        private void answered(HostAddress from, @Nullable RingReply reply, @Nullable Throwable failure) {
            if (stopped) {
                return;
            }
            if (reply != null) {
                if (!lastTrouble.isEmpty()) {
                    LOG.atInfo().addKeyValue("leader", from).log("the ring's leader answers again");
                }
                lastTrouble = "";
                onReply.accept(reply);
                waitForNextRound();
                return;
            }
            trouble = "super-peer at " + from + ": " + describe(failure);
            if (failure instanceof RemoteErrorException refused) {
                ErrorReply error = refused.reply();
                HostAddress redirect = error.redirect();
                if (error.code() == ErrorCode.REDIRECT && redirect != null && hopsLeft > 0) {
                    hopsLeft--;
                    candidates.addFirst(Map.entry(redirect, Nid.NONE));
                } else if (error.code() == ErrorCode.RING_FULL) {
                    // The leader has spoken; nobody else will say anything different.
                    candidates.clear();
                }
            }
            askNext();
        }

        private void endWithTrouble() {
            if (!trouble.equals(lastTrouble)) {
                LOG.atWarn().log("no answer of the ring's leader, asking on: {}", trouble);
            }
            lastTrouble = trouble;
            waitForNextRound();
        }

        private static String describe(@Nullable Throwable failure) {
            return failure == null ? "no answer" : String.valueOf(failure.getMessage());
        }
    }
}
