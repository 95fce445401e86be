package dev.granary.cli.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses which storage peer gets which chunks of a cluster backup. Chunks of one former owner stay together as far as
 * there is room. Thread-safe.
 */
final class RestoreTargets {

    /** A storage peer is filled up to this share of its memory, because a chunk needs more bytes than its content. */
    private static final double FULL = 0.9;

    private static final class Target {
        private final int nid;
        private final long capacityBytes;
        private long usedBytes;

        Target(PeerInfo peer) {
            this.nid = peer.nid();
            this.capacityBytes = peer.statistics().capacityBytes();
            this.usedBytes = peer.statistics().usedBytes();
        }

        double fill() {
            return capacityBytes == 0 ? 1 : (double) usedBytes / capacityBytes;
        }

        boolean takes(long bytes) {
            return usedBytes + bytes <= capacityBytes * FULL;
        }
    }

    @GuardedBy("this")
    private final List<Target> targets = new ArrayList<>();

    /** The storage peer that gets the chunks of a former owner, by the NID of that owner. */
    @GuardedBy("this")
    private final Map<Integer, Target> heirs = new HashMap<>();

    @GuardedBy("this")
    private final Set<Integer> refusing = new HashSet<>();

    RestoreTargets(List<PeerInfo> peers) {
        peers.forEach(peer -> targets.add(new Target(peer)));
    }

    /**
     * Chooses a storage peer for a block and returns its NID.
     *
     * @throws BackupException when no storage peer has room
     */
    synchronized int choose(ChunkBlock block) {
        long bytes = block.payloadBytes() + block.cids().length;
        Target heir = heirs.get(block.owner());
        if (heir == null || !heir.takes(bytes) || refusing.contains(heir.nid)) {
            // Read here, because Error Prone does not see in a lambda that the lock is held.
            Set<Integer> refused = refusing;
            heir = targets.stream()
                    .filter(each -> !refused.contains(each.nid))
                    .min(Comparator.comparingLong(
                                    (Target each) -> each.nid == block.owner() && each.takes(bytes) ? 0 : 1)
                            .thenComparingDouble(Target::fill))
                    .orElseThrow(() -> new BackupException(
                            "no storage peer has room for more chunks: add storage peers or memory, then run"
                                    + " the restore again to continue it"));
            heirs.put(block.owner(), heir);
        }
        heir.usedBytes += bytes;
        return heir.nid;
    }

    /** Notes that a storage peer has refused chunks; it gets no more of them. */
    synchronized void refused(int nid) {
        refusing.add(nid);
    }
}
