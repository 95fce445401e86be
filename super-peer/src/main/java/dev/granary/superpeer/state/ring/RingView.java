package dev.granary.superpeer.state.ring;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.schema.Nullable;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The committed ring at one moment, as every super-peer knows it. Voters of the ring's Raft group know it from the
 * state of the group, the others ask for it. Immutable.
 *
 * <p>In files and messages a version of the layout, u8 (2), stands before it.
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
        @U16 int expectedSize,
        boolean formed,
        boolean sizeChosen,
        List<SuperPeerRecord> superPeers,
        @Nullable RingOperation operation,
        List<RingEvent> events) {

    private static final int LAYOUT_VERSION = 2;

    /** A ring that grows in so many milliseconds after its foundation is being set up. */
    private static final long YOUNG_MILLIS = 60_000;

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

    /**
     * Whether a super-peer has come to the ring a short time ago. Not while the ring is being set up: a cluster gets
     * its super-peers one after the other.
     *
     * @param wallMillis the present time; by another clock than those of the events, so the answer is about right
     * @param withinMillis how short the time is
     */
    public boolean hasJustGrown(long wallMillis, long withinMillis) {
        long founded = Long.MIN_VALUE;
        long grown = Long.MIN_VALUE;
        for (RingEvent event : events) {
            switch (event.kind()) {
                case FOUNDED -> founded = event.wallMillis();
                case PROMOTED -> grown = event.wallMillis();
                default -> {}
            }
        }
        boolean young = founded != Long.MIN_VALUE && grown - founded < YOUNG_MILLIS;
        return grown != Long.MIN_VALUE && !young && wallMillis - grown < withinMillis;
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
        out.writeByte(LAYOUT_VERSION);
        RecordBytes.write(this, out);
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
            return RecordBytes.read(RingView.class, in);
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("a ring view ends too early", e);
        }
    }
}
