package dev.granary.simulation;

import dev.granary.overlay.Cid;
import dev.granary.storage.data.Ownership;
import dev.granary.testkit.History;
import dev.granary.testkit.KeyHistory;
import dev.granary.testkit.Operation;
import dev.granary.testkit.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * Tells the history when chunks are lost: the process that owned them died, or another process took over its NID.
 * Chunks that were just moving may be lost with either of two processes; the history takes both for possible.
 */
final class OwnerDeaths {

    private final History history;
    private final KeyHistory keys;
    private final boolean replicated;
    private final LongPredicate mayBeAsync;
    private final TreeMap<Integer, Opening> last = new TreeMap<>();

    /** What was owned by processes whose disks are lost. */
    private final List<Estate> gone = new ArrayList<>();

    /**
     * @param end stands for the loss of what this process alone has, which may happen at any moment from now on
     * @param keys the same for keys
     */
    private record Opening(int number, Supplier<Optional<Ownership>> ownership, Operation end, KeyHistory.Loss keys) {}

    /** What a process owned at a moment. */
    private record Estate(int nid, Optional<Ownership> ownership) {

        /**
         * Whether the process owned a chunk. Excludes what earlier processes had lost, and everything before the
         * process has learnt what it owns: its memory is empty then.
         */
        boolean owned(long cid) {
            return ownership.map(known -> known.serves(cid)).orElse(false);
        }

        boolean maybeOwned(long cid) {
            return ownership.map(known -> known.isUncertain(cid)).orElse(false);
        }
    }

    /** Processes whose place another one is about to take, by NID. */
    private final TreeMap<Integer, Operation> dying = new TreeMap<>();

    /**
     * @param replicated whether all chunks have copies: then a lost process or disk loses only what was acknowledged
     *     before copies had it
     * @param mayBeAsync whether a chunk may have such changes
     */
    OwnerDeaths(History history, KeyHistory keys, boolean replicated, LongPredicate mayBeAsync) {
        this.history = history;
        this.keys = keys;
        this.replicated = replicated;
        this.mayBeAsync = mayBeAsync;
    }

    /** Another process with the same NID begins to ask for the lease, while the present one may still be there. */
    void replacing(int nid) {
        if (replicated) {
            return;
        }
        dying.computeIfAbsent(nid, history::ownerIsDying);
    }

    /**
     * Records that a process begins to serve a NID with an empty memory.
     *
     * @param ownership of this process; empty until it has one
     * @return the number of this opening
     */
    int opened(int nid, Supplier<Optional<Ownership>> ownership) {
        Opening before = last.get(nid);
        if (before != null) {
            tell(nid, before);
        }
        int number = before == null ? 1 : before.number + 1;
        last.put(nid, new Opening(number, ownership, history.begun(Promise.REPLICATED), keys.begunMemory()));
        return number;
    }

    /** Records that a process resumes with all that a parked one had: nobody has died. */
    int resumed(int nid, Supplier<Optional<Ownership>> ownership) {
        Opening before = last.get(nid);
        int number = before == null ? 1 : before.number + 1;
        Operation end = before == null ? history.begun(Promise.REPLICATED) : before.end;
        last.put(nid, new Opening(number, ownership, end, before == null ? keys.begunMemory() : before.keys));
        return number;
    }

    /** Records that a process that served a NID is dead; does nothing if another one has opened the NID since. */
    void died(int nid, int number) {
        Opening opening = last.get(nid);
        if (opening != null && opening.number == number) {
            tell(nid, opening);
        }
    }

    private void tell(int nid, Opening opening) {
        if (replicated) {
            history.rolledBackSince(opening.end, mayBeAsync);
            history.incarnationEnded(nid);
            return;
        }
        // Another peer may have opened the slot groups anew before this one knew that it owns them no more.
        opening.keys.happened();
        Estate estate = estateOf(nid, opening);
        Operation death = dying.remove(nid);
        history.ownerDied(death == null ? history.ownerIsDying(nid) : death, nid, estate::owned, estate::maybeOwned);
    }

    private static Estate estateOf(int nid, Opening opening) {
        return new Estate(nid, opening.ownership.get().map(Ownership::copy));
    }

    /** Records that the disk of a NID is lost: no later process will report the loss of its chunks. */
    void diskLost(int nid) {
        if (replicated) {
            return;
        }
        Opening opening = last.get(nid);
        gone.add(opening == null ? new Estate(nid, Optional.empty()) : estateOf(nid, opening));
    }

    /** Whether nobody can say any more what became of a chunk. */
    boolean isGone(long cid) {
        return gone.stream()
                .anyMatch(estate -> Cid.nid(cid) == estate.nid || estate.owned(cid) || estate.maybeOwned(cid));
    }
}
