package dev.granary.superpeer.zone;

import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.SpareCopies;
import dev.granary.superpeer.state.ZoneMember;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides from which copies a zone is recovered (ADR 0104). Pure functions.
 *
 * <p>A copy is <em>continuous</em> if its peer has run without a break since it became a member, or since a recovery
 * has decided to keep it (ADR 0200): then it has every batch that was ever acknowledged, and so has each other
 * continuous copy. A batch that only some of them have was acknowledged to nobody. It is cut, so that it does not
 * appear after one failure and vanish after the next. A copy that was filled with such a batch cannot be cut, and is
 * not kept. Without a continuous copy the zone is recovered from what the members have on disk. The member that has
 * the most may be the one that has not answered yet, so the decision waits for all members, unless a person decides
 * otherwise (SAFETY rules "fencing", "recovery", "bootstrap and restart").
 *
 * <p>A member that never had a copy, and is in the same incarnation as when it became a member, has never opened one.
 * Every member has every batch that was acknowledged, so none was: the zone is recovered as an empty one, whichever
 * other members do not answer (ADR 0198).
 *
 * <p>A copy that turned out <em>unreadable</em> does not count while there is, or may be, another one (ADR 0185). Its
 * unreadable chunks are given up only when all members have answered and no copy can be read as a whole. Before that
 * the spare copies of the zone are asked for, if nothing was written since they were left out (ADR 0229).
 */
sealed interface RecoveryDecision {

    /**
     * No decision is possible yet.
     *
     * @param missing the members that have not answered
     */
    record Wait(List<Integer> missing) implements RecoveryDecision {}

    /** The zone is lost: no member has a copy. */
    record Lost() implements RecoveryDecision {}

    /**
     * The zone is recovered from these copies.
     *
     * @param lastSequence the last batch to recover, which all of these copies have
     * @param kept the storage peers that have these copies, members or all of them peers with spare copies
     * @param acceptDamage whether chunks that cannot be read are lost, as all copies were found unreadable
     */
    record Recover(long lastSequence, List<Integer> kept, boolean acceptDamage) implements RecoveryDecision {}

    /**
     * Returns the decision for a zone.
     *
     * @param members of the zone when it lost its owner
     * @param spares the spare copies of the zone, null when it has none
     * @param answers of the storage peers that have sealed their copies, by NID
     * @param unreadable storage peers that were to recover the zone and could not read their copies
     * @param graceOver whether one member has a continuous copy and the others have had enough time to answer
     * @param givenUp members that a person has decided not to wait for any longer, though something may be lost
     */
    static RecoveryDecision decide(
            List<ZoneMember> members,
            @Nullable SpareCopies spares,
            Map<Integer, SealedCopies.Copy> answers,
            Set<Integer> unreadable,
            boolean graceOver,
            Set<Integer> givenUp) {
        List<Integer> nids = members.stream().map(ZoneMember::nid).toList();
        List<Integer> missing =
                nids.stream().filter(nid -> !answers.containsKey(nid)).toList();
        Map<Integer, SealedCopies.Copy> filled = new LinkedHashMap<>();
        Map<Integer, SealedCopies.Copy> continuous = new LinkedHashMap<>();
        for (int nid : nids) {
            SealedCopies.Copy copy = answers.get(nid);
            if (copy != null && copy.held() && copy.filled()) {
                filled.put(nid, copy);
                if (copy.continuous() && !unreadable.contains(nid)) {
                    continuous.put(nid, copy);
                }
            }
        }
        if (!continuous.isEmpty()) {
            long last = continuous.values().stream()
                    .mapToLong(SealedCopies.Copy::lastSequence)
                    .min()
                    .orElseThrow();
            // Not one that was filled with more: it cannot be cut to what all of them have. The one with the least can.
            List<Integer> kept = continuous.entrySet().stream()
                    .filter(each -> each.getValue().baseSequence() <= last)
                    .map(Map.Entry::getKey)
                    .toList();
            return missing.isEmpty() || graceOver ? new Recover(last, kept, false) : new Wait(missing);
        }
        List<Integer> neverOpened = filled.isEmpty() ? neverOpened(members, answers) : List.of();
        if (!neverOpened.isEmpty()) {
            SuperPeerProbe.UNOPENED_ZONE_RECOVERED.hit();
            return new Recover(0, neverOpened, false);
        }
        if (!givenUp.containsAll(missing)) {
            return new Wait(missing);
        }
        Map<Integer, SealedCopies.Copy> readable = new LinkedHashMap<>(filled);
        readable.keySet().removeAll(unreadable);
        if (!readable.isEmpty()) {
            return withTheMost(readable, false);
        }
        long most = filled.values().stream()
                .mapToLong(SealedCopies.Copy::lastSequence)
                .max()
                .orElse(Long.MAX_VALUE);
        RecoveryDecision fromSpares = spares != null && most <= spares.lastSequence()
                ? fromSpares(spares, answers, unreadable, givenUp)
                : null;
        return fromSpares != null ? fromSpares : withTheMost(filled, true);
    }

    /**
     * Decides from spare copies. No member has a batch that they lack. Returns null when none of them can be read.
     */
    private static @Nullable RecoveryDecision fromSpares(
            SpareCopies spares,
            Map<Integer, SealedCopies.Copy> answers,
            Set<Integer> unreadable,
            Set<Integer> givenUp) {
        List<Integer> missing = new ArrayList<>();
        Map<Integer, Long> sequences = new LinkedHashMap<>();
        for (SpareCopies.Spare spare : spares.copies()) {
            SealedCopies.Copy copy = answers.get(spare.nid());
            if (copy == null) {
                if (!givenUp.contains(spare.nid())) {
                    missing.add(spare.nid());
                }
            } else if (copy.held()
                    && copy.filled()
                    && copy.epoch() >= spare.leastEpoch()
                    && copy.baseSequence() <= spares.lastSequence()
                    && !unreadable.contains(spare.nid())) {
                sequences.put(spare.nid(), Math.min(copy.lastSequence(), spares.lastSequence()));
            }
        }
        if (!missing.isEmpty()) {
            return new Wait(missing);
        }
        if (sequences.isEmpty()) {
            return null;
        }
        long last = Collections.max(sequences.values());
        List<Integer> kept = sequences.entrySet().stream()
                .filter(each -> each.getValue() == last)
                .map(Map.Entry::getKey)
                .toList();
        return new Recover(last, kept, false);
    }

    private static List<Integer> neverOpened(List<ZoneMember> members, Map<Integer, SealedCopies.Copy> answers) {
        List<Integer> nids = new ArrayList<>();
        for (ZoneMember member : members) {
            SealedCopies.Copy copy = answers.get(member.nid());
            if (copy != null && !copy.held() && copy.continuous() && copy.epoch() == member.epoch()) {
                nids.add(member.nid());
            }
        }
        return nids;
    }

    private static RecoveryDecision withTheMost(Map<Integer, SealedCopies.Copy> copies, boolean acceptDamage) {
        Comparator<SealedCopies.Copy> byContent =
                Comparator.comparingLong(SealedCopies.Copy::epoch).thenComparingLong(SealedCopies.Copy::lastSequence);
        return copies.values().stream()
                .max(byContent)
                .<RecoveryDecision>map(best -> new Recover(
                        best.lastSequence(),
                        copies.entrySet().stream()
                                .filter(each -> byContent.compare(each.getValue(), best) == 0)
                                .map(Map.Entry::getKey)
                                .toList(),
                        acceptDamage))
                .orElseGet(Lost::new);
    }
}
