package dev.granary.superpeer;

import dev.granary.net.message.JoinRing;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingReply;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells every other member of the ring where its leader is, once after each start of the leader: members whose seeds
 * and ring name an address that the leader has left could not find it by themselves. Asks each until it has answered.
 * Runs as tasks of the node's scheduler.
 */
final class LeaderAnnouncement {

    private static final Logger LOG = LoggerFactory.getLogger(LeaderAnnouncement.class);

    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Node node;
    private final JoinRing self;
    private final Supplier<@Nullable Ring> ring;
    private boolean stopped;

    /**
     * @param self what to say about the leader
     * @param ring the ring as it is known now; a member that has moved is told at its new address
     */
    LeaderAnnouncement(Node node, JoinRing self, Supplier<@Nullable Ring> ring) {
        this.node = node;
        this.self = self;
        this.ring = ring;
    }

    void begin() {
        Ring current = ring.get();
        if (current != null) {
            for (RingMember member : current.members()) {
                if (member.nid() != current.leaderNid()) {
                    tell(member.nid());
                }
            }
        }
    }

    void stop() {
        stopped = true;
    }

    private void tell(int nid) {
        Ring current = ring.get();
        if (stopped || current == null) {
            return;
        }
        current.member(nid)
                .ifPresent(member -> node.ask(
                        member.address(),
                        nid,
                        MessageType.JOIN_RING,
                        self,
                        CALL_TIMEOUT_NANOS,
                        (reply, failure) -> told(member, reply, failure)));
    }

    private void told(RingMember member, @Nullable RingReply reply, @Nullable Throwable failure) {
        if (reply == null) {
            LOG.atDebug().addKeyValue("member", member.address()).log("not told yet: {}", String.valueOf(failure));
            node.environment().scheduler().schedule(RETRY_NANOS, () -> tell(member.nid()));
        }
    }
}
