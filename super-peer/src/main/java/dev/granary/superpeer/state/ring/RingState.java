package dev.granary.superpeer.state.ring;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NidAllocator;
import dev.granary.overlay.NodeRole;
import dev.granary.superpeer.state.GivenNids;
import dev.granary.superpeer.state.StateMachine;
import dev.granary.superpeer.state.ring.RingResult.Reason;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The ring: its super-peers, the ring candidates, and the disks to which NIDs belong. The state machine of the ring's
 * Raft group. Deterministic; one thread at a time.
 *
 * <p>Invariants: (1) a cluster id never changes once it is known; (2) the ring's epoch rises by one with each change
 * that clients see; (3) a disk keeps its NID for ever and no NID belongs to two disks; (4) no two arcs ever have the
 * same NID and generation; (5) a super-peer that joins is on the ring until the ring is formed, and a ring candidate
 * afterwards; (6) one operation at a time is under way, and the ring's super-peers change by its switch alone.
 *
 * <pre>
 * snapshot: version u8 (3), {@link RingSnapshot}
 * </pre>
 */
public final class RingState implements StateMachine<RingCommand, RingResult> {

    private static final int SNAPSHOT_VERSION = 3;
    private static final int MAX_EVENTS = 32;

    /** The NID of every founder: the first one of a super-peer. */
    public static final int FOUNDER_NID = Nid.superPeerNid(0);

    private final TreeMap<Integer, SuperPeerRecord> superPeers = new TreeMap<>();
    private @Nullable UUID clusterId;
    private long version;
    private long epoch;
    private int expectedSize;
    private boolean formed;
    private boolean sizeChosen;
    private int nextGeneration = SuperPeerRecord.OUTSIDE + 1;
    private @Nullable RingOperation operation;
    private final ArrayDeque<RingEvent> events = new ArrayDeque<>();
    private long eventCount;
    private NidAllocator nids = new NidAllocator();

    /** Returns the committed view, or null while no ring was founded. */
    public @Nullable RingView view() {
        UUID founded = clusterId;
        return founded == null
                ? null
                : new RingView(
                        version,
                        founded,
                        epoch,
                        expectedSize,
                        formed,
                        sizeChosen,
                        List.copyOf(superPeers.values()),
                        operation,
                        List.copyOf(events));
    }

    /** Returns the NID of a disk, or {@link Nid#NONE}. */
    public int nidOf(UUID diskId) {
        return nids.find(diskId).orElse(Nid.NONE);
    }

    /**
     * Returns the NIDs that were given to storage peers, each with its disk. NIDs that may have been given before the
     * ring was rebuilt have {@linkplain GivenNids#isNobody no known disk}.
     */
    public Map<Integer, UUID> storagePeers() {
        Map<Integer, UUID> given = new TreeMap<>();
        nids.assignments().stream()
                .filter(assignment -> Nid.role(assignment.nid()) == NodeRole.STORAGE_PEER)
                .forEach(assignment -> given.put(assignment.nid(), assignment.diskId()));
        return given;
    }

    /** Returns the number of storage peers that ever had a NID. */
    public int storagePeerCount() {
        return (int) nids.assignments().stream()
                .filter(each -> Nid.role(each.nid()) == NodeRole.STORAGE_PEER && !GivenNids.isNobody(each.diskId()))
                .count();
    }

    @Override
    public RingResult apply(RingCommand command) {
        UUID known = clusterId;
        long before = epoch;
        RingResult result = carryOut(command);
        assert (known == null || (known.equals(clusterId) && epoch - before <= 1)) && epoch >= before && arcsDiffer()
                : command;
        return result;
    }

    /** Whether no two arcs have the same generation: each generation is given to one super-peer. */
    private boolean arcsDiffer() {
        return superPeers.values().stream()
                        .filter(SuperPeerRecord::isMember)
                        .map(SuperPeerRecord::generation)
                        .distinct()
                        .count()
                == members();
    }

    private RingResult carryOut(RingCommand command) {
        return switch (command) {
            case RingCommand.FoundRing found -> found(found);
            case RingCommand.Admit admit -> admit(admit);
            case RingCommand.AssignNid assign -> assign(assign);
            case RingCommand.Resize resize -> resize(resize);
            case RingCommand.Begin begin -> begin(begin);
            case RingCommand.Switch done -> switchOver(done);
            case RingCommand.Cancel cancel -> cancel(cancel);
            case RingCommand.RebuildRing rebuild -> rebuild(rebuild);
        };
    }

    private RingResult found(RingCommand.FoundRing command) {
        if (clusterId != null) {
            boolean again = clusterId.equals(command.clusterId()) && nidOf(command.diskId()) == FOUNDER_NID;
            return again
                    ? new RingResult.Admitted(FOUNDER_NID)
                    : new RingResult.Refused(Reason.CONFLICT, "the ring is that of the cluster " + clusterId);
        }
        clusterId = command.clusterId();
        expectedSize = command.expectedSize();
        int nid = nids.allocate(command.diskId(), NodeRole.SUPER_PEER);
        put(new SuperPeerRecord(
                nid, command.diskId(), command.name(), command.address(), command.httpAddress(), nextGeneration++));
        formed = expectedSize == 1;
        tell(command.wallMillis(), RingEvent.Kind.FOUNDED, nid);
        return new RingResult.Admitted(nid);
    }

    private RingResult rebuild(RingCommand.RebuildRing command) {
        if (clusterId != null) {
            boolean again = clusterId.equals(command.clusterId()) && nidOf(command.diskId()) != Nid.NONE;
            return again
                    ? new RingResult.Admitted(nidOf(command.diskId()))
                    : new RingResult.Refused(Reason.CONFLICT, "the ring is that of the cluster " + clusterId);
        }
        clusterId = command.clusterId();
        expectedSize = command.expectedSize();
        sizeChosen = true;
        // Views of former rings must be older than those of this ring, also the views that clients know.
        version = command.epoch();
        epoch = command.epoch() - 1;
        nids = NidAllocator.restore(command.given());
        int nid = nids.allocate(command.diskId(), NodeRole.SUPER_PEER);
        int generation = nextGeneration++;
        put(new SuperPeerRecord(
                nid, command.diskId(), command.name(), command.address(), command.httpAddress(), generation));
        formed = true;
        operation = new RingOperation(generation, RingOperation.Kind.REBUILD, nid, version);
        tell(command.wallMillis(), RingEvent.Kind.REBUILDING_BEGAN, nid);
        return new RingResult.Admitted(nid);
    }

    /** Takes the record of a super-peer. Raises the ring epoch if the change is visible to clients. */
    private void put(SuperPeerRecord record) {
        superPeers.put(record.nid(), record);
        version++;
        if (record.isMember()) {
            epoch++;
        }
    }

    private RingResult admit(RingCommand.Admit command) {
        if (clusterId == null) {
            return notFounded();
        }
        int nid = nidOf(command.diskId());
        if (nid != Nid.NONE && Nid.role(nid) != NodeRole.SUPER_PEER) {
            return otherRole(command.diskId(), nid);
        }
        try {
            nid = nids.allocate(command.diskId(), NodeRole.SUPER_PEER);
        } catch (IllegalStateException allGiven) {
            return new RingResult.Refused(Reason.FULL, String.valueOf(allGiven.getMessage()));
        }
        SuperPeerRecord known = superPeers.get(nid);
        int generation = known != null ? known.generation() : formed ? SuperPeerRecord.OUTSIDE : nextGeneration++;
        SuperPeerRecord next = new SuperPeerRecord(
                nid, command.diskId(), command.name(), command.address(), command.httpAddress(), generation);
        if (!next.equals(known)) {
            put(next);
        }
        if (known == null) {
            tell(command.wallMillis(), RingEvent.Kind.JOINED, nid);
        }
        if (!formed && superPeers.size() == expectedSize) {
            formed = true;
            version++;
        }
        return new RingResult.Admitted(nid);
    }

    private RingResult assign(RingCommand.AssignNid command) {
        if (clusterId == null) {
            return notFounded();
        }
        int known = nidOf(command.diskId());
        if (known != Nid.NONE && Nid.role(known) != NodeRole.STORAGE_PEER) {
            return otherRole(command.diskId(), known);
        }
        try {
            return new RingResult.Assigned(nids.allocate(command.diskId(), NodeRole.STORAGE_PEER));
        } catch (IllegalStateException allGiven) {
            return new RingResult.Refused(Reason.FULL, String.valueOf(allGiven.getMessage()));
        }
    }

    private RingResult resize(RingCommand.Resize command) {
        if (clusterId == null) {
            return notFounded();
        }
        if (command.expectedSize() < 1 || command.expectedSize() >= Nid.NODES_PER_ROLE || !formed) {
            return new RingResult.Refused(
                    Reason.NOT_NOW,
                    formed ? "a ring of " + command.expectedSize() + " super-peers" : "the ring is still being formed");
        }
        boolean changed = expectedSize != command.expectedSize() || (command.chosen() && !sizeChosen);
        expectedSize = command.expectedSize();
        sizeChosen |= command.chosen();
        if (changed) {
            version++;
            tell(command.wallMillis(), RingEvent.Kind.RESIZED, Nid.NONE);
        }
        return new RingResult.Applied();
    }

    private RingResult begin(RingCommand.Begin command) {
        SuperPeerRecord superPeer = superPeers.get(command.nid());
        RingOperation.Kind kind = command.kind();
        boolean promotes = kind == RingOperation.Kind.PROMOTE;
        boolean fits = superPeer != null && superPeer.isMember() != promotes && formed;
        if (operation != null || !fits || (!promotes && members() == 1)) {
            return new RingResult.Refused(
                    Reason.NOT_NOW, "super-peer " + Nid.toHex(command.nid()) + " cannot come or go now");
        }
        version++;
        operation = new RingOperation(nextGeneration++, kind, command.nid(), version);
        RingEvent.Kind event =
                switch (kind) {
                    case PROMOTE -> RingEvent.Kind.PROMOTION_BEGAN;
                    case DEMOTE -> RingEvent.Kind.DEMOTION_BEGAN;
                    case REBUILD -> RingEvent.Kind.REBUILDING_BEGAN;
                };
        tell(command.wallMillis(), event, command.nid());
        return new RingResult.Applied();
    }

    private int members() {
        return (int)
                superPeers.values().stream().filter(SuperPeerRecord::isMember).count();
    }

    private RingResult switchOver(RingCommand.Switch command) {
        RingOperation current = operation;
        if (current == null || current.id() != command.operation()) {
            return noSuchOperation(command.operation());
        }
        // The only super-peer of a rebuilt ring has had its generation since the beginning of the ring.
        boolean comes = current.kind() == RingOperation.Kind.PROMOTE
                || (current.kind() == RingOperation.Kind.REBUILD && members() == 1);
        SuperPeerRecord superPeer = Objects.requireNonNull(superPeers.get(current.nid()));
        superPeers.put(current.nid(), superPeer.withGeneration(comes ? current.id() : SuperPeerRecord.OUTSIDE));
        operation = null;
        version++;
        epoch++;
        RingEvent.Kind event =
                switch (current.kind()) {
                    case PROMOTE -> RingEvent.Kind.PROMOTED;
                    case DEMOTE -> RingEvent.Kind.DEMOTED;
                    case REBUILD -> RingEvent.Kind.REBUILT;
                };
        tell(command.wallMillis(), event, current.nid());
        return new RingResult.Applied();
    }

    private RingResult cancel(RingCommand.Cancel command) {
        RingOperation current = operation;
        if (current == null || current.id() != command.operation()) {
            return noSuchOperation(command.operation());
        }
        operation = null;
        version++;
        tell(command.wallMillis(), RingEvent.Kind.CANCELLED, current.nid());
        return new RingResult.Applied();
    }

    private static RingResult noSuchOperation(int id) {
        return new RingResult.Refused(Reason.NOT_NOW, "operation " + id + " is not under way");
    }

    private void tell(long wallMillis, RingEvent.Kind kind, int nid) {
        events.addLast(new RingEvent(++eventCount, wallMillis, kind, nid));
        if (events.size() > MAX_EVENTS) {
            events.removeFirst();
        }
    }

    private static RingResult notFounded() {
        return new RingResult.Refused(Reason.CONFLICT, "no ring has been founded");
    }

    private static RingResult otherRole(UUID diskId, int nid) {
        return new RingResult.Refused(
                Reason.CONFLICT, "the disk " + diskId + " has NID " + Nid.toHex(nid) + ", which is of the other role");
    }

    @Override
    public void encode(RingCommand command, ByteBuf out) {
        RingCommand.write(out, command);
    }

    @Override
    public RingCommand decode(ByteBuf in) {
        return RingCommand.read(in);
    }

    @Override
    public void writeSnapshot(ByteBuf out) {
        out.writeByte(SNAPSHOT_VERSION);
        RecordBytes.write(new RingSnapshot(nextGeneration, view(), nids.assignments()), out);
    }

    @Override
    public void readSnapshot(ByteBuf in) {
        int layout = in.readUnsignedByte();
        if (layout != SNAPSHOT_VERSION) {
            throw new IllegalArgumentException(
                    "ring snapshot of version " + layout + "; this program knows " + SNAPSHOT_VERSION);
        }
        superPeers.clear();
        events.clear();
        clusterId = null;
        RingSnapshot snapshot = RecordBytes.read(RingSnapshot.class, in);
        nextGeneration = snapshot.nextGeneration();
        nids = NidAllocator.restore(snapshot.given());
        if (snapshot.view() != null) {
            restore(snapshot.view());
        }
    }

    private void restore(RingView view) {
        clusterId = view.clusterId();
        version = view.version();
        epoch = view.epoch();
        expectedSize = view.expectedSize();
        formed = view.formed();
        sizeChosen = view.sizeChosen();
        operation = view.operation();
        view.superPeers().forEach(superPeer -> superPeers.put(superPeer.nid(), superPeer));
        events.addAll(view.events());
        eventCount = events.isEmpty() ? 0 : events.getLast().number();
    }
}
