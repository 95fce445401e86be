package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.Blob;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.RingMessages.ArcPartReply;
import dev.granary.net.message.RingMessages.RaftMessage;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Nid;
import dev.granary.raft.ForgedReplies;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import dev.granary.simulation.planted.world.HurryingClock;
import dev.granary.superpeer.state.arc.ArcState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.CRC32C;

/** Networks that make super-peers and storage peers do what the safety rules forbid. */
final class Tamperers {

    private static final long SECOND = 1_000_000_000;

    private Tamperers() {}

    /** Elections take six seconds: requests for votes are dropped before. */
    static Transport slowElections(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            private long firstNanos;
            private long lastNanos = world.clock().nanoTime() - 100 * SECOND;

            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!isRaft(frame)
                        || !ForgedReplies.isVote(raft(frame).message().bytes())) {
                    return true;
                }
                long nowNanos = world.clock().nanoTime();
                if (nowNanos - lastNanos > 3 * SECOND) {
                    firstNanos = nowNanos;
                }
                lastNanos = nowNanos;
                return nowNanos - firstNanos > 6 * SECOND;
            }
        });
    }

    /** A member of a Raft group votes for everybody who asks, several times and however much their logs lack. */
    static Transport votingForAll(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!isRaft(frame)) {
                    return true;
                }
                RaftMessage message = raft(frame);
                ForgedReplies.granted(message.message().bytes())
                        .ifPresent(granted -> link.send(frame(
                                Frame.KIND_REQUEST,
                                MessageType.RAFT.code(),
                                correlation(frame),
                                new RaftMessage(message.group(), message.member(), new Blob(granted)))));
                return ForgedReplies.granted(message.message().bytes()).isEmpty();
            }
        });
    }

    /** An elected leader does not wait for the leases of its predecessor: its clock hurries from the election on. */
    static Transport hurryingOnceElected(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (isRaft(frame)
                        && ForgedReplies.isVote(raft(frame).message().bytes())
                        && world.clock() instanceof HurryingClock clock) {
                    clock.hurry();
                }
                return true;
            }
        });
    }

    /** A second writer changes the size of the ring as well, one second after it was asked for. */
    static Transport twoWriters(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (is(frame, Frame.KIND_REQUEST, MessageType.RESIZE_RING.code())) {
                    int asked =
                            MessageType.RESIZE_RING.readRequest(payload(frame)).size();
                    ResizeRing other = new ResizeRing(asked == 1 ? 2 : asked - 1);
                    world.scheduler()
                            .schedule(
                                    SECOND,
                                    () -> link.deliver(frame(
                                            Frame.KIND_REQUEST,
                                            MessageType.RESIZE_RING.code(),
                                            Long.MAX_VALUE,
                                            other)));
                }
                return true;
            }
        });
    }

    /** A super-peer hands on an empty part of its arc instead of the one that it has. */
    static Transport handingOnNothing(Environment world, Transport transport) {
        ByteBuf nothing = Unpooled.buffer();
        new ArcState().writePart(new Arc(Nid.MAX, Nid.MAX), nothing);
        byte[] bytes = ByteBufUtil.getBytes(nothing);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        ArcPartReply empty = new ArcPartReply(bytes.length, (int) checksum.getValue(), new Blob(bytes));
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.ARC_PART.code())) {
                    return true;
                }
                link.send(frame(Frame.KIND_REPLY, MessageType.ARC_PART.code(), correlation(frame), empty));
                return false;
            }
        });
    }

    /** A super-peer takes each change of a name for a new one, even a repeated one. */
    static Transport forgettingRequests(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            private long clients;

            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.CHANGE_NAME.code())) {
                    return true;
                }
                ChangeName asked = MessageType.CHANGE_NAME.readRequest(payload(frame));
                ChangeName unknown = new ChangeName(
                        asked.clientId() + ++clients,
                        1,
                        0,
                        false,
                        asked.name(),
                        asked.cid(),
                        asked.condition(),
                        asked.expectedCid());
                link.deliver(frame(Frame.KIND_REQUEST, MessageType.CHANGE_NAME.code(), correlation(frame), unknown));
                return false;
            }
        });
    }

    /** A super-peer with an empty disk that was told to found a cluster does so, whatever others answer. */
    static Transport foundingAnyway(Environment world, Transport transport) {
        return isEmpty(world)
                ? new TamperedNetwork(transport, new Tamperer() {
                    @Override
                    public boolean arrives(Link link, ByteBuf frame) {
                        return !is(frame, Frame.KIND_REPLY, MessageType.GET_RING.code());
                    }
                })
                : transport;
    }

    private static boolean isEmpty(Environment world) {
        try {
            return !world.disk().exists("super-peer");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The source of a migration goes on as the owner, although the target has become the owner, and is not told so. */
    static Transport stayingAfterCommit(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                return !is(frame, Frame.KIND_REQUEST, MessageType.END_MIGRATION.code());
            }

            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.COMMIT_MIGRATION.code())) {
                    return true;
                }
                MigrationReply reply = MessageType.COMMIT_MIGRATION.readReply(payload(frame));
                if (reply.state() != MigrationState.COMMITTED) {
                    return true;
                }
                link.deliver(frame(
                        Frame.KIND_REPLY,
                        MessageType.COMMIT_MIGRATION.code(),
                        correlation(frame),
                        new MigrationReply(reply.creatorNid(), reply.number(), MigrationState.ABORTED, 0, "planted")));
                return false;
            }
        });
    }

    /** The source of a migration gives its chunks up before the target has become their owner. */
    static Transport leavingBeforeCommit(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.COMMIT_MIGRATION.code())) {
                    return !is(frame, Frame.KIND_REQUEST, MessageType.END_MIGRATION.code());
                }
                CommitMigration asked = MessageType.COMMIT_MIGRATION.readRequest(payload(frame));
                long correlation = correlation(frame);
                world.scheduler()
                        .execute(() -> link.deliver(frame(
                                Frame.KIND_REPLY,
                                MessageType.COMMIT_MIGRATION.code(),
                                correlation,
                                new MigrationReply(
                                        asked.creatorNid(),
                                        asked.number(),
                                        MigrationState.COMMITTED,
                                        asked.sourceEpoch() + 1,
                                        ""))));
                return false;
            }
        });
    }

    private static boolean isRaft(ByteBuf frame) {
        return is(frame, Frame.KIND_REQUEST, MessageType.RAFT.code());
    }

    private static RaftMessage raft(ByteBuf frame) {
        return MessageType.RAFT.readRequest(payload(frame));
    }
}
