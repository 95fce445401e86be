package dev.granary.superpeer.state.arc;

import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcPart;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcResult.Reason;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.PeerRecord;
import io.netty.buffer.ByteBuf;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The storage peers of an arc, and the LIDs that are reserved for them.
 *
 * <p>Invariants: (1) a NID belongs to one disk for ever; (2) the epoch of a peer rises by one with each new incarnation
 * that does not resume where a parked one stopped, and never otherwise; (3) firstLid of a new incarnation is the
 * lidLimit of the one before, and lidLimit never falls, so that no LID is given twice; (4) an incarnation that was
 * replaced changes nothing any more; (5) the lease length is not shorter than that of any arc of which a part was taken
 * in.
 */
final class PeerState implements ArcPart {

    private static final long LID_END = Cid.MAX_LID + 1;

    /** By NID; sorted, so that a snapshot has one form. */
    private final TreeMap<Integer, PeerRecord> peers = new TreeMap<>();

    /**
     * By NID, the LID below which chunks were restored from a cluster backup, whether there is a storage peer with that
     * NID or not.
     */
    private final TreeMap<Integer, ArcSnapshot.Restored> restored = new TreeMap<>();

    private final RangeState ranges;
    private long leaseNanos;

    /** @param ranges is told of each new peer and incarnation */
    PeerState(RangeState ranges) {
        this.ranges = ranges;
    }

    @Override
    public int id() {
        return 1;
    }

    @Nullable
    PeerRecord peer(int nid) {
        return peers.get(nid);
    }

    Collection<PeerRecord> all() {
        return Collections.unmodifiableCollection(peers.values());
    }

    long leaseNanos() {
        return leaseNanos;
    }

    /** Begins a rebuilt arc with these storage peers. */
    void rebuilt(List<PeerRecord> known, long newLeaseNanos) {
        known.forEach(peer -> peers.put(peer.nid(), peer));
        leaseNanos = newLeaseNanos;
    }

    @Override
    public ArcCommand readCommand(int type, ByteBuf in) {
        return RecordBytes.read(PeerCommand.TYPES, type, in);
    }

    @Override
    public ArcResult apply(ArcCommand command) {
        if (!(command instanceof PeerCommand ofPeers)) {
            throw new IllegalArgumentException("not a command of storage peers: " + command);
        }
        return switch (ofPeers) {
            case PeerCommand.OpenPeer open -> open(open);
            case PeerCommand.ReserveLids reserve -> reserve(reserve);
            case PeerCommand.CloseLease close -> close(close);
            case PeerCommand.Park park -> park(park);
            case PeerCommand.RestoreCreator restore -> restore(restore);
            case PeerCommand.EndRestore end -> {
                ranges.endRestore(end.nid());
                yield new ArcResult.Applied();
            }
            case PeerCommand.SetLeaseLength length -> {
                leaseNanos = length.leaseNanos();
                yield new ArcResult.Applied();
            }
        };
    }

    private ArcResult open(PeerCommand.OpenPeer command) {
        PeerRecord known = peers.get(command.nid());
        if (known == null) {
            ArcSnapshot.Restored before = restored.get(command.nid());
            long mark = before == null ? Cid.MIN_LID : before.lidMark();
            if (mark >= LID_END) {
                return exhausted(command.nid());
            }
            if (lacksNumbers(command.nid(), command.zones())) {
                return outOfNumbers(command.nid());
            }
            PeerRecord first = incarnation(command, 0, 1, mark);
            peers.put(first.nid(), first);
            if (before != null || ranges.hasAnyOf(first.nid())) {
                ranges.epochRaised(first.nid(), first.epoch());
            } else {
                ranges.peerAdded(first.nid(), first.epoch());
            }
            ranges.zonesAdded(first.nid(), first.epoch(), first.firstLid(), command.zones());
            return new ArcResult.Done(first);
        }
        ArcResult.Refused refusal = refusal(known, command);
        if (refusal != null) {
            return refusal;
        }
        boolean same = known.incarnation() == command.incarnation();
        if (!same && known.parked() && known.dumpId() == command.resumeDump()) {
            PeerRecord resumed = known.resumed(command);
            replace(resumed);
            return new ArcResult.Done(resumed);
        }
        if (!same && lacksNumbers(command.nid(), command.zones())) {
            return outOfNumbers(command.nid());
        }
        PeerRecord next = same
                ? known.at(command)
                : incarnation(command, known.incarnation(), known.epoch() + 1, known.lidLimit());
        replace(next);
        if (!same) {
            ranges.epochRaised(next.nid(), next.epoch());
            ranges.plans().cameBack(next.nid());
            ranges.zonesAdded(next.nid(), next.epoch(), next.firstLid(), command.zones());
        }
        return new ArcResult.Done(next);
    }

    /**
     * Replaces the record of a storage peer. Its disk stays (1), and epoch and LIDs change only as the invariants allow
     * (2, 3).
     */
    private void replace(PeerRecord next) {
        PeerRecord before = peers.put(next.nid(), next);
        assert before != null && isAfter(before, next) : before + " becomes " + next;
    }

    private static boolean isAfter(PeerRecord before, PeerRecord next) {
        boolean same = next.incarnation() == before.incarnation();
        boolean later = next.epoch() == before.epoch() + 1 && next.firstLid() == before.lidLimit();
        boolean goesOn = next.epoch() == before.epoch() && next.firstLid() == before.firstLid();
        return (same ? goesOn : later || (goesOn && before.parked()))
                && next.lidLimit() >= before.lidLimit()
                && (next.diskId().equals(before.diskId()) || before.diskId().equals(RebuiltArc.UNKNOWN_DISK));
    }

    private static ArcResult.@Nullable Refused refusal(PeerRecord known, PeerCommand.OpenPeer command) {
        String nid = Nid.toHex(known.nid());
        boolean unknown = known.diskId().equals(RebuiltArc.UNKNOWN_DISK);
        if (!unknown && !known.diskId().equals(command.diskId())) {
            return new ArcResult.Refused(
                    Reason.OTHER_DISK,
                    "NID " + nid + " belongs to the disk " + known.diskId() + ", not to " + command.diskId());
        }
        boolean replaced = known.fencedIncarnation() == command.incarnation();
        boolean same = known.incarnation() == command.incarnation();
        if (replaced || (same && known.parked())) {
            return new ArcResult.Refused(
                    Reason.FENCED,
                    "this incarnation of " + nid + " has ended: "
                            + (replaced ? "a later one took its place" : "it is parked"));
        }
        if (same && known.closed()) {
            return new ArcResult.Refused(
                    Reason.ENDED, "this incarnation of " + nid + " has ended: it gave its lease back, or was given up");
        }
        if (!same && known.lidLimit() >= LID_END) {
            return exhausted(known.nid());
        }
        return null;
    }

    private static ArcResult.Refused exhausted(int nid) {
        return new ArcResult.Refused(Reason.LIDS_EXHAUSTED, Nid.toHex(nid) + " has used all its chunk identifiers");
    }

    /**
     * Whether a creator has too few numbers for these zones. LIDs without a zone would have no copies, and nobody would
     * notice.
     */
    private boolean lacksNumbers(int nid, List<NewZone> zones) {
        return ranges.zones().numbersLeft(nid) < zones.size();
    }

    private static ArcResult.Refused outOfNumbers(int nid) {
        return new ArcResult.Refused(Reason.ZONES_EXHAUSTED, outOfNumbersMessage(nid));
    }

    /** The message about a storage peer that has used all numbers for its zones. */
    static String outOfNumbersMessage(int nid) {
        return Nid.toHex(nid) + " has used all " + BackupZone.MAX_NUMBER
                + " numbers for zones of its chunks, which are given once: it goes on serving its chunks, but it needs"
                + " another disk, and with it another NID, to create more or to restart";
    }

    private static PeerRecord incarnation(PeerCommand.OpenPeer command, long fenced, long epoch, long firstLid) {
        // lidCount is at least 1 and firstLid below LID_END: the sum cannot overflow before it is cut.
        long lidLimit = command.lidCount() >= LID_END - firstLid ? LID_END : firstLid + command.lidCount();
        return new PeerRecord(
                command.nid(),
                command.diskId(),
                command.incarnation(),
                fenced,
                epoch,
                firstLid,
                lidLimit,
                false,
                false,
                0,
                command.name(),
                command.address(),
                command.httpAddress(),
                command.capacityBytes(),
                command.machine(),
                command.failureZone(),
                command.redisAddress());
    }

    private ArcResult reserve(PeerCommand.ReserveLids command) {
        PeerRecord known = peers.get(command.nid());
        if (known == null || known.incarnation() != command.incarnation() || known.closed() || known.parked()) {
            return notPresent(command.nid());
        }
        if (command.fromLid() != known.lidLimit()) {
            return new ArcResult.Done(known);
        }
        if (lacksNumbers(known.nid(), command.zones())) {
            return outOfNumbers(known.nid());
        }
        PeerRecord next = known.withLidLimit(Math.clamp(command.lidLimit(), known.lidLimit(), LID_END));
        replace(next);
        ranges.zonesAdded(known.nid(), known.epoch(), known.lidLimit(), command.zones());
        return new ArcResult.Done(next);
    }

    private ArcResult close(PeerCommand.CloseLease command) {
        PeerRecord known = peers.get(command.nid());
        if (known == null || known.incarnation() != command.incarnation()) {
            return notPresent(command.nid());
        }
        PeerRecord next = known.withLeaseClosed();
        replace(next);
        ranges.ownerEnded(next.nid(), next.epoch());
        return new ArcResult.Done(next);
    }

    private ArcResult park(PeerCommand.Park command) {
        PeerRecord known = peers.get(command.nid());
        if (known == null || known.incarnation() != command.incarnation() || known.closed()) {
            return notPresent(command.nid());
        }
        PeerRecord next = known.parkedWith(command.dumpId());
        replace(next);
        return new ArcResult.Done(next);
    }

    /**
     * Begins a restore. The same command changes nothing the second time, so that a caller that does not know the
     * outcome can repeat it.
     */
    private ArcResult restore(PeerCommand.RestoreCreator command) {
        PeerRecord known = peers.get(command.nid());
        ArcSnapshot.Restored wanted = new ArcSnapshot.Restored(command.nid(), command.lidMark(), command.backup());
        ArcSnapshot.Restored before = restored.get(command.nid());
        if (wanted.equals(before)) {
            return new ArcResult.Applied();
        }
        if (before != null) {
            return notEmpty(command.nid(), "another backup was restored");
        }
        if (known == null ? command.incarnation() != 0 : known.incarnation() != command.incarnation()) {
            return notPresent(command.nid());
        }
        if (known != null && (known.closed() || known.parked())) {
            return notPresent(command.nid());
        }
        if (!ranges.isOwnedByCreator(command.nid())) {
            return notEmpty(command.nid(), "others have chunks of it");
        }
        restored.put(command.nid(), wanted);
        if (known == null) {
            ranges.restoring(command.nid(), command.lidMark());
            return new ArcResult.Applied();
        }
        PeerRecord next = known.withLidLimit(Math.max(known.lidLimit(), command.lidMark()))
                .withLeaseClosed();
        replace(next);
        ranges.restoring(next.nid(), next.lidLimit());
        ranges.ownerEnded(next.nid(), next.epoch());
        return new ArcResult.Done(next);
    }

    private static ArcResult notEmpty(int nid, String why) {
        return new ArcResult.Refused(
                Reason.NOT_EMPTY, "storage peer " + Nid.toHex(nid) + " is none of a new, empty cluster: " + why);
    }

    /** Returns the creators of CIDs here, also those in the cluster whose backup was restored here. */
    List<CreatorList.Creator> creators(Arc within) {
        TreeMap<Integer, CreatorList.Creator> found = new TreeMap<>();
        restored.forEach((nid, each) ->
                found.put(nid, new CreatorList.Creator(nid, each.lidMark(), each.lidMark(), each.backup())));
        peers.values().forEach(peer -> {
            ArcSnapshot.Restored of = restored.get(peer.nid());
            long backup = of == null ? 0 : of.backup();
            found.put(peer.nid(), new CreatorList.Creator(peer.nid(), peer.firstLid(), peer.lidLimit(), backup));
        });
        found.keySet().removeIf(nid -> !within.contains(nid));
        return List.copyOf(found.values());
    }

    private static ArcResult notPresent(int nid) {
        return new ArcResult.Refused(
                Reason.UNKNOWN_INCARNATION, "this is not the present incarnation of storage peer " + Nid.toHex(nid));
    }

    @Override
    public void write(Arc within, ByteBuf out) {
        ArcSnapshot.Peers part = new ArcSnapshot.Peers(
                leaseNanos,
                peers.values().stream()
                        .filter(peer -> within.contains(peer.nid()))
                        .toList(),
                restored.values().stream()
                        .filter(creator -> within.contains(creator.nid()))
                        .toList());
        RecordBytes.write(part, out);
    }

    @Override
    public void read(ByteBuf in) {
        ArcSnapshot.Peers part = RecordBytes.read(ArcSnapshot.Peers.class, in);
        leaseNanos = Math.max(leaseNanos, part.leaseNanos());
        part.peers().forEach(peer -> peers.put(peer.nid(), peer));
        part.restored().forEach(creator -> restored.put(creator.nid(), creator));
    }

    @Override
    public void remove(Arc within) {
        peers.keySet().removeIf(within::contains);
        restored.keySet().removeIf(within::contains);
    }
}
