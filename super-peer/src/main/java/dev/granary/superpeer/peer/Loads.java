package dev.granary.superpeer.peer;

import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.ReportLoad;
import dev.granary.net.message.LeaseMessages.ReportLoad.HotChunk;
import dev.granary.net.message.ZoneMessages.ZoneStatus.OwnedRange;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.node.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * How busy the storage peers of an arc are, as they reported last, and which hot chunks should move. In memory only.
 * Only proposes moves; a person starts them. Runs as tasks of the node's scheduler.
 */
public final class Loads {

    /** The age at which a report does not count any more. */
    private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** A chunk is worth moving from a peer that is this many times busier than the idlest one. */
    private static final double BUSIER = 2.0;

    /** A chunk is worth moving if it makes up at least this share of its owner's load. */
    private static final double SHARE = 0.1;

    private static final long MIN_PER_SECOND = 100;

    /** So many of the hottest chunks, and of the hottest ranges, of an arc are told. */
    private static final int MAX_HOT = 32;

    private final Node node;
    private final TreeMap<Integer, Told> told = new TreeMap<>();

    private record Told(ReportLoad report, long atNanos) {}

    /**
     * A chunk that should move.
     *
     * @param cid of the chunk
     * @param perSecond how often it is used
     * @param source who owns it
     * @param sourcePerSecond how often its chunks are used in all
     * @param target the idlest peer of the arc
     * @param targetPerSecond how often its chunks are used
     */
    public record Proposal(
            long cid, long perSecond, int source, long sourcePerSecond, int target, long targetPerSecond) {}

    /**
     * A chunk that is used often.
     *
     * @param cid of the chunk
     * @param perSecond how often it is used
     * @param owner who owns it
     */
    public record Hot(long cid, long perSecond, int owner) {}

    public Loads(Node node) {
        this.node = node;
    }

    public void report(RpcRequest request, ReportLoad report) {
        told.put(report.nid(), new Told(report, node.nanoTime()));
        request.reply(new Empty());
    }

    /**
     * Returns how often the chunks of a peer are used in a second; 0 when the peer has not reported in the last 20
     * seconds.
     */
    public long usesPerSecond(int nid) {
        Told last = told.get(nid);
        return last == null || node.nanoTime() - last.atNanos >= MAX_AGE_NANOS ? 0 : last.report.chunksPerSecond();
    }

    /** Returns the chunks of these peers that are used most, the hottest first. */
    public List<Hot> hottest(List<PeerInfo> peers) {
        return loads(peers).stream()
                .flatMap(load -> load.hot().stream().map(chunk -> new Hot(chunk.cid(), chunk.perSecond(), load.nid())))
                .sorted(Comparator.comparingLong(Hot::perSecond).reversed())
                .limit(MAX_HOT)
                .toList();
    }

    /** Returns the ranges of these peers that are used most, the hottest first. */
    public List<OwnedRange> hottestRanges(List<PeerInfo> peers) {
        return loads(peers).stream()
                .flatMap(load -> load.ranges().stream().map(range -> new OwnedRange(load.nid(), range)))
                .sorted(OwnedRange.HOTTEST_FIRST)
                .limit(MAX_HOT)
                .toList();
    }

    private List<ReportLoad> loads(List<PeerInfo> peers) {
        return peers.stream()
                .filter(PeerInfo::live)
                .map(peer -> told.get(peer.nid()))
                .filter(known -> known != null && node.nanoTime() - known.atNanos < MAX_AGE_NANOS)
                .map(Told::report)
                .toList();
    }

    /** Returns the chunks that should move between these peers. */
    public List<Proposal> proposals(List<PeerInfo> peers) {
        List<ReportLoad> loads = loads(peers);
        List<Proposal> proposals = new ArrayList<>();
        ReportLoad idlest = null;
        for (ReportLoad load : loads) {
            idlest = idlest == null || load.chunksPerSecond() < idlest.chunksPerSecond() ? load : idlest;
        }
        for (ReportLoad load : loads) {
            if (idlest == null || load.chunksPerSecond() < BUSIER * idlest.chunksPerSecond() + MIN_PER_SECOND) {
                continue;
            }
            for (HotChunk chunk : load.hot()) {
                // After the move the target must be less busy than the source was.
                boolean helps = idlest.chunksPerSecond() + chunk.perSecond() < load.chunksPerSecond();
                // Keys move with their slot group only.
                boolean alone = !SlotGroup.isGroup(Cid.nid(chunk.cid()));
                if (alone && helps && chunk.perSecond() >= SHARE * load.chunksPerSecond()) {
                    proposals.add(new Proposal(
                            chunk.cid(),
                            chunk.perSecond(),
                            load.nid(),
                            load.chunksPerSecond(),
                            idlest.nid(),
                            idlest.chunksPerSecond()));
                }
            }
        }
        return proposals;
    }
}
