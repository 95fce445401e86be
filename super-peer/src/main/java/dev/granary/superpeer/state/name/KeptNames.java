package dev.granary.superpeer.state.name;

import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.overlay.Arc;
import dev.granary.overlay.name.NamePosition;
import dev.granary.overlay.name.NameTrie;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The names of a part of the ring, rebuilt from the copies that storage peers keep (ADR 0150). One thread at a time.
 *
 * <p>Of several copies of one arc, the one of the highest version counts. Of arcs that overlap, the one of the later
 * ring counts: a position belongs to one arc at a time, and the copy of the next arc begins with all names of the
 * former one.
 */
public final class KeptNames {

    private final Arc part;
    private final NameTrie names = new NameTrie();
    private long greatestVersion;

    /**
     * A copy of names and the storage peer that has it.
     *
     * @param nid of the storage peer
     */
    public record Source(int nid, NameCopyList.Copy copy) {}

    /** Begins without names, for a part of the ring. */
    public KeptNames(Arc part) {
        this.part = part;
    }

    /** Returns the copies that are needed, in the order in which they are to be {@linkplain #lay laid down}. */
    public List<Source> choose(Collection<Source> all) {
        Map<Integer, Source> best = new TreeMap<>();
        for (Source source : all) {
            greatestVersion = Math.max(greatestVersion, source.copy().version());
            if (source.copy().arc().overlaps(part)) {
                best.merge(source.copy().ownerNid(), source, KeptNames::later);
            }
        }
        List<Source> ordered = new ArrayList<>(best.values());
        ordered.sort(Comparator.comparingLong((Source source) -> source.copy().ringEpoch())
                .thenComparingLong(source -> source.copy().version()));
        List<Source> needed = new ArrayList<>();
        for (int i = 0; i < ordered.size(); i++) {
            Arc arc = ordered.get(i).copy().arc();
            boolean hidden = ordered.subList(i + 1, ordered.size()).stream()
                    .anyMatch(other -> other.copy().arc().contains(arc));
            if (!hidden) {
                needed.add(ordered.get(i));
            }
        }
        return needed;
    }

    private static Source later(Source one, Source other) {
        int byVersion = Long.compare(one.copy().version(), other.copy().version());
        int order = byVersion != 0
                ? byVersion
                : Long.compare(one.copy().ringEpoch(), other.copy().ringEpoch());
        return order >= 0 ? one : other;
    }

    /** Takes the names that a copy has of its arc, in place of what was laid down there before. */
    public void lay(Arc arc, List<NameEntry> entries) {
        List<byte[]> gone = new ArrayList<>();
        names.forEach((name, cid) -> {
            if (arc.contains(NamePosition.of(name))) {
                gone.add(name);
            }
            return true;
        });
        gone.forEach(names::remove);
        for (NameEntry entry : entries) {
            int position = NamePosition.of(entry.name().getBytes(StandardCharsets.UTF_8));
            if (part.contains(position) && arc.contains(position)) {
                names.put(entry.name(), entry.cid());
            }
        }
    }

    /** Returns the names so far. */
    public NameTrie names() {
        return names;
    }

    /** Returns the greatest version of all copies. */
    public long greatestVersion() {
        return greatestVersion;
    }
}
