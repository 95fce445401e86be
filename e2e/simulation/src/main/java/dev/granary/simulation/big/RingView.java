package dev.granary.simulation.big;

import dev.granary.overlay.Arc;
import dev.granary.overlay.Nid;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The super-peers' NIDs at one epoch, which is all of the ring that finding one takes. Immutable.
 *
 * @param epoch rises by one with each change
 * @param nids ascending
 */
record RingView(long epoch, List<Integer> nids) {

    /** The owner of an arc and the next two know it. */
    static final int HOLDERS = 3;

    RingView {
        nids = nids.stream().sorted().toList();
    }

    int size() {
        return nids.size();
    }

    /** The super-peer that is responsible for a NID. */
    int ownerOf(int nid) {
        return nids.get(indexOfOwner(nid));
    }

    /** A holder of the arc of a NID: 0 is its owner, 1 and 2 are the next ones of the ring. */
    int holder(int nid, int number) {
        return nids.get((indexOfOwner(nid) + number) % nids.size());
    }

    /** The super-peers before one, nearest first: those whose arcs it holds beside its own. */
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

    /** The size of the largest arc, in NIDs, over that of the smallest. */
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
