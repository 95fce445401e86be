package dev.granary.superpeer.state.ring;

import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.state.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The committed ring at one moment, as every super-peer knows it. Voters of the ring's Raft group know it from the
 * state of the group, the others ask for it. Immutable.
 *
 * <pre>
 * layout: version of the layout u8 (2), version i64, clusterId, epoch i64, expectedSize u16, formed u8, chosen u8,
 *         super-peers list, under way u8, [operation], events list
 *  super-peer  nid u16, diskId, name, address, httpAddress, generation i32
 *  operation   id i32, kind u8 (0 promote, 1 demote, 2 rebuild), nid u16, version i64
 *  event       number i64, wallMillis i64, kind u8, nid u16
 * </pre>
 *
 * @param version rises with each change; of two views the one with the higher version is newer
 * @param clusterId of the cluster
 * @param epoch of the ring
 * @param expectedSize the number of super-peers that the ring is to have
 * @param formed whether the ring has had all super-peers that it was founded for
 * @param sizeChosen whether a person has set the number of super-peers; otherwise the ring decides
 * @param superPeers the super-peers on the ring and the ring candidates, by NID, ascending
 * @param operation the operation that is under way, null for none
 * @param events the last events, oldest first
 */
public record RingView(
        long version,
        UUID clusterId,
        long epoch,
        int expectedSize,
        boolean formed,
        boolean sizeChosen,
        List<SuperPeerRecord> superPeers,
        @Nullable RingOperation operation,
        List<RingEvent> events) {

    private static final int LAYOUT_VERSION = 2;

    public RingView {
        superPeers = List.copyOf(superPeers);
        events = List.copyOf(events);
    }

    /** Returns the ring as clients and storage peers see it. */
    public Ring ring() {
        List<RingMember> members = superPeers.stream()
                .filter(SuperPeerRecord::isMember)
                .map(SuperPeerRecord::member)
                .toList();
        return new Ring(clusterId, epoch, expectedSize, formed, members);
    }

    /** Returns the ring as it will be when a ring candidate has joined it. */
    public Ring ringWith(int candidate) {
        return superPeer(candidate)
                .map(superPeer -> ring().withMember(superPeer.member()))
                .orElseGet(this::ring);
    }

    /** Returns the number of super-peers on the ring. */
    public int size() {
        return (int) superPeers.stream().filter(SuperPeerRecord::isMember).count();
    }

    /** Returns the super-peer with a NID, on the ring or not. */
    public Optional<SuperPeerRecord> superPeer(int nid) {
        return Optional.ofNullable(find(nid));
    }

    private @Nullable SuperPeerRecord find(int nid) {
        for (SuperPeerRecord superPeer : superPeers) {
            if (superPeer.nid() == nid) {
                return superPeer;
            }
        }
        return null;
    }

    /**
     * Returns the generation of a super-peer's arc, {@link SuperPeerRecord#OUTSIDE} when the super-peer is not on the
     * ring.
     */
    public int generationOf(int nid) {
        SuperPeerRecord superPeer = find(nid);
        return superPeer == null ? SuperPeerRecord.OUTSIDE : superPeer.generation();
    }

    /** Whether a super-peer with this NID is on the ring. */
    public boolean isMember(int nid) {
        return nid != Nid.NONE && generationOf(nid) != SuperPeerRecord.OUTSIDE;
    }

    /**
     * Returns the generation of the arc that a super-peer has or, during its promotion, is to have; {@link
     * SuperPeerRecord#OUTSIDE} for none.
     */
    public int groupGenerationOf(int nid) {
        RingOperation current = operation;
        if (current != null && current.kind() == RingOperation.Kind.PROMOTE && current.nid() == nid) {
            return current.id();
        }
        return generationOf(nid);
    }

    /** Whether a super-peer's arc is being rebuilt. */
    public boolean isBeingRebuilt(int nid) {
        RingOperation current = operation;
        return current != null && current.kind() == RingOperation.Kind.REBUILD && current.nid() == nid;
    }

    /** Whether the operation with this id is under way. */
    public boolean isUnderWay(int id) {
        return operation != null && operation.id() == id;
    }

    /** Returns the bytes that {@link #read} takes. */
    public byte[] toBytes() {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(LAYOUT_VERSION).writeLongLE(version);
        Fields.writeUuid(out, clusterId);
        out.writeLongLE(epoch).writeShortLE(expectedSize).writeBoolean(formed).writeBoolean(sizeChosen);
        out.writeIntLE(superPeers.size());
        superPeers.forEach(superPeer -> superPeer.write(out));
        out.writeBoolean(operation != null);
        if (operation != null) {
            operation.write(out);
        }
        out.writeIntLE(events.size());
        events.forEach(event -> event.write(out));
        return ByteBufUtil.getBytes(out);
    }

    /**
     * Reads a view.
     *
     * @throws IllegalArgumentException when the bytes are no view that this version knows
     */
    public static RingView read(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            int layout = in.readUnsignedByte();
            if (layout != LAYOUT_VERSION) {
                throw new IllegalArgumentException(
                        "ring view of version " + layout + "; this program knows " + LAYOUT_VERSION);
            }
            return new RingView(
                    in.readLongLE(),
                    Fields.readUuid(in),
                    in.readLongLE(),
                    in.readUnsignedShortLE(),
                    in.readBoolean(),
                    in.readBoolean(),
                    Fields.readList(in, SuperPeerRecord::read),
                    in.readBoolean() ? RingOperation.read(in) : null,
                    Fields.readList(in, RingEvent::read));
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("a ring view ends too early", e);
        }
    }
}
