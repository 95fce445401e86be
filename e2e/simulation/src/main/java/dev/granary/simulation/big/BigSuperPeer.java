package dev.granary.simulation.big;

import dev.granary.overlay.Arc;
import dev.granary.overlay.tree.CidTree;
import org.jspecify.annotations.Nullable;

/** A super-peer: the ranges of its arc, which two others hold too, whether it lives, and its traffic. */
final class BigSuperPeer {

    final int nid;
    final Traffic traffic = new Traffic();
    private CidTree tree = new CidTree();
    private @Nullable Arc sealed;
    private boolean alive = true;
    private long deadSinceNanos;

    BigSuperPeer(int nid) {
        this.nid = nid;
    }

    CidTree tree() {
        return tree;
    }

    /** Forgets all ranges. */
    void clear() {
        tree = new CidTree();
    }

    /** Seals a part of the arc, which is being moved: from now on requests for it are refused. */
    void seal(Arc part) {
        sealed = part;
    }

    void unseal() {
        sealed = null;
    }

    boolean isSealed(int creatorNid) {
        return sealed != null && sealed.contains(creatorNid);
    }

    boolean isAlive() {
        return alive;
    }

    void die(long nowNanos) {
        alive = false;
        deadSinceNanos = nowNanos;
    }

    void comeBack() {
        alive = true;
    }

    /** Whether the other holders of its arc have elected another leader. */
    boolean isReplaced(long nowNanos, long electionNanos) {
        return !alive && nowNanos - deadSinceNanos >= electionNanos;
    }
}
