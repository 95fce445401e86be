package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** Networks that make storage peers do with copies what the safety rules forbid. */
final class DishonestBackups {

    /** For how long an owner is honest after its start, so that clusters can begin. */
    private static final long PATIENT_NANOS = 3_000_000_000L;

    /** How long after it was sealed a copy is dropped. */
    private static final long DROP_NANOS = 30_000_000;

    private DishonestBackups() {}

    /** A backup answers that it holds what it has thrown away. */
    static Transport holdingNothing(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)) {
                    return true;
                }
                List<CopyState> states = held(payload(frame));
                link.send(frame(Frame.KIND_REPLY, MessageType.REPLICATE, correlation(frame), out -> {
                    out.writeShortLE(states.size());
                    states.forEach(state -> state.writeTo(out));
                }));
                return false;
            }
        });
    }

    /** An owner goes on without one of its backups, which is still in the in-sync set of its zones and gets nothing. */
    static Transport goingOnWithoutOne(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            private final long beganNanos = world.clock().nanoTime();

            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)
                        || !link.host().startsWith("storage-0")
                        || world.clock().nanoTime() - beganNanos < PATIENT_NANOS) {
                    return true;
                }
                List<CopyState> states = held(payload(frame));
                long correlation = correlation(frame);
                world.scheduler()
                        .execute(() -> link.deliver(frame(Frame.KIND_REPLY, MessageType.REPLICATE, correlation, out -> {
                            out.writeShortLE(states.size());
                            states.forEach(state -> state.writeTo(out));
                        })));
                return false;
            }
        });
    }

    /** A backup drops its copy a moment after it was sealed, whether or not the recovery has read it. */
    static Transport droppingEarly(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (is(frame, Frame.KIND_REQUEST, MessageType.SEAL_ZONES.code())) {
                    SealZones order = MessageType.SEAL_ZONES.readRequest(payload(frame));
                    DropCopies drop = new DropCopies(order.clusterId(), order.zones());
                    world.scheduler()
                            .schedule(
                                    DROP_NANOS,
                                    () -> link.deliver(frame(
                                            Frame.KIND_REQUEST, MessageType.DROP_COPIES.code(), Long.MAX_VALUE, drop)));
                }
                return true;
            }
        });
    }

    private static List<CopyState> held(ByteBuf in) {
        return ReplicatedPart.readAll(Replicate.read(in), in).stream()
                .map(part -> new CopyState(
                        part.zone(),
                        CopyResult.OK,
                        part.epoch(),
                        part.batches().isEmpty() ? 0 : part.batches().getLast().sequence()))
                .toList();
    }

    /** A sealed backup reports less than it has, and all copies are cut to that. */
    static Transport tellingLess(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.SEAL_ZONES.code())) {
                    return true;
                }
                List<SealedCopies.Copy> told = MessageType.SEAL_ZONES.readReply(payload(frame)).copies().stream()
                        .map(copy -> new SealedCopies.Copy(
                                copy.zone(),
                                copy.held(),
                                copy.epoch(),
                                Math.min(copy.baseSequence(), copy.lastSequence() / 2),
                                copy.lastSequence() / 2,
                                copy.continuous(),
                                copy.filled(),
                                copy.fencedEpoch(),
                                copy.bytes()))
                        .toList();
                link.send(frame(
                        Frame.KIND_REPLY, MessageType.SEAL_ZONES.code(), correlation(frame), new SealedCopies(told)));
                return false;
            }
        });
    }

    /** The recovery of a zone takes everything in its log, although some of it belongs to another zone by now. */
    static Transport takingWholeLogs(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.RUN_RECOVERY.code())) {
                    return true;
                }
                RunRecovery asked = MessageType.RUN_RECOVERY.readRequest(payload(frame));
                List<RunRecovery.Task> zones = asked.zones().stream()
                        .map(zone -> new RunRecovery.Task(
                                zone.zone(),
                                zone.epoch(),
                                zone.lastSequence(),
                                zone.members(),
                                wholeOf(zone),
                                0,
                                zone.acceptDamage()))
                        .toList();
                link.deliver(frame(
                        Frame.KIND_REQUEST,
                        MessageType.RUN_RECOVERY.code(),
                        correlation(frame),
                        new RunRecovery(asked.candidateEpoch(), zones)));
                return false;
            }
        });
    }

    /** Returns one span from the zone's first chunk to its last one. */
    private static List<RunRecovery.Span> wholeOf(RunRecovery.Task zone) {
        if (zone.spans().isEmpty()) {
            int creator = BackupZone.creatorOf(zone.zone());
            return List.of(new RunRecovery.Span(Cid.firstOf(creator), Cid.lastOf(creator)));
        }
        return List.of(new RunRecovery.Span(
                zone.spans().getFirst().startCid(), zone.spans().getLast().endCidInclusive()));
    }
}
