package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.Blob;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RaftMessage;
import dev.granary.raft.ForgedReplies;
import dev.granary.raft.ForgedReplies.Signature;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.TreeMap;

/**
 * A super-peer's network that makes a leader take every command for replicated that it has only begun to replicate.
 * Each follower seems to have appended the command at once; it gets it later, unless the leader has died meanwhile.
 */
final class HastyLeader implements Tamperer {

    private static final long LATER_NANOS = 100_000_000;

    /** For how long after its start a process follows the rules, so that clusters can begin and recover. */
    private static final long PATIENT_NANOS = 3_000_000_000L;

    private final Scheduler scheduler;

    /** The member that has spoken last on each other super-peer, by host. */
    private final TreeMap<String, Follower> followers = new TreeMap<>();

    private boolean hasty;

    private record Follower(Link link, Signature signature) {}

    private HastyLeader(Scheduler scheduler) {
        this.scheduler = scheduler;
        scheduler.schedule(PATIENT_NANOS, () -> hasty = true);
    }

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new HastyLeader(world.scheduler()));
    }

    @Override
    public boolean arrives(Link link, ByteBuf frame) {
        if (isRaft(frame)) {
            Signature signature =
                    ForgedReplies.signatureOf(raft(frame).message().bytes());
            followers.put(link.host(), new Follower(link, signature));
        }
        return true;
    }

    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        if (!hasty
                || !isRaft(frame)
                || !ForgedReplies.isAppend(raft(frame).message().bytes())) {
            return true;
        }
        pretend(link.host(), raft(frame));
        ByteBuf later = frame.retainedDuplicate();
        scheduler.schedule(LATER_NANOS, () -> link.send(later));
        return false;
    }

    private void pretend(String host, RaftMessage append) {
        Follower follower = followers.get(host);
        if (follower != null) {
            ForgedReplies.successOf(append.message().bytes(), follower.signature)
                    .ifPresent(forged -> scheduler.execute(() -> follower.link.deliver(frame(
                            Frame.KIND_REQUEST,
                            MessageType.RAFT.code(),
                            Long.MAX_VALUE,
                            new RaftMessage(append.group(), senderOf(append), new Blob(forged))))));
        }
    }

    private static boolean isRaft(ByteBuf frame) {
        return is(frame, Frame.KIND_REQUEST, MessageType.RAFT.code());
    }

    private static RaftMessage raft(ByteBuf frame) {
        return MessageType.RAFT.readRequest(payload(frame));
    }

    /** Returns the sender, which stands behind version, kind and group: docs/formats/raft.md. */
    private static long senderOf(RaftMessage message) {
        return Unpooled.wrappedBuffer(message.message().bytes()).getLongLE(1 + 1 + Long.BYTES);
    }
}
