package dev.granary.simulation.big;

import dev.granary.overlay.Arc;
import dev.granary.overlay.Nid;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The NIDs of the super-peers at one ring epoch: all that finding a super-peer takes. Immutable.
 *
 * @param epoch rises by one with each change
 * @param nids ascending
 */
record RingView(long epoch, List<Integer> nids) {

    /** The number of super-peers that hold an arc: its owner and the next two. */
    static final int HOLDERS = 3;

    RingView {
        nids = nids.stream().sorted().toList();
    }

    int size() {
        return nids.size();
    }

    /** Returns the super-peer that is responsible for a NID. */
    int ownerOf(int nid) {
        return nids.get(indexOfOwner(nid));
    }

    /** Returns a holder of the arc of a NID: number 0 is its owner, 1 and 2 are the next ones of the ring. */
    int holder(int nid, int number) {
        return nids.get((indexOfOwner(nid) + number) % nids.size());
    }

    /** Returns the super-peers before one, nearest first, whose arcs it holds beside its own. */
    List<Integer> predecessors(int superPeer) {
        int index = indexOfOwner(superPeer);
        return IntStream.rangeClosed(1, Math.min(HOLDERS, nids.size()) - 1)
                .mapToObj(i -> nids.get(Math.floorMod(index - i, nids.size())))
                .toList();
    }

    Arc arcOf(int superPeer) {
        return new Arc(nids.get(Math.floorMod(indexOfOwner(superPeer) - 1, nids.size())), superPeer);
    }

    RingView with(int superPeer) {
        return new RingView(
                epoch + 1,
                IntStream.concat(stream(), IntStream.of(superPeer)).boxed().toList());
    }

    RingView without(int superPeer) {
        return new RingView(
                epoch + 1, stream().filter(nid -> nid != superPeer).boxed().toList());
    }

    /** Returns the size of the largest arc in NIDs divided by that of the smallest. */
    double imbalance() {
        int[] sizes = stream().map(nid -> arcOf(nid).size()).toArray();
        return (double) Arrays.stream(sizes).max().orElseThrow()
                / Arrays.stream(sizes).min().orElseThrow();
    }

    private IntStream stream() {
        return nids.stream().mapToInt(Integer::intValue);
    }

    private int indexOfOwner(int nid) {
        Nid.requireValid(nid);
        int low = 0;
        int high = nids.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (nids.get(middle) < nid) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == nids.size() ? 0 : low;
    }
}
