package dev.granary.superpeer.arc;

import dev.granary.env.Confined;
import dev.granary.overlay.CidRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for another owner of a chunk, by the range of the chunk as it was when they came: a change costs a look at
 * each range that is waited for, and at those who wait for the ranges that have changed,
 * however many wait for others. Not thread-safe.
 *
 * @param <W> one who waits, unlike all others
 */
final class OwnerWaiters<W> {

    private final Confined confined = new Confined();

    private record Group<W>(CidRange range, Set<W> all) {}

    /** By the first CID of their ranges. */
    private final Map<Long, Group<W>> groups = new LinkedHashMap<>();

    /** By who waits, the first CID of the group. */
    private final Map<W, Long> places = new LinkedHashMap<>();

    int size() {
        assert confined.here() : confined;
        return places.size();
    }

    /** One waits as long as a range is as it is now. */
    void add(CidRange range, W one) {
        assert confined.here() : confined;
        Group<W> group = groups.get(range.startCid());
        if (group == null) {
            group = new Group<>(range, new LinkedHashSet<>());
            groups.put(range.startCid(), group);
        }
        // A group of an earlier form of the range has changed by the next look, and all of it are judged then.
        group.all.add(one);
        places.put(one, range.startCid());
    }

    /** One waits no more; tells whether it did. */
    boolean remove(W one) {
        assert confined.here() : confined;
        Long place = places.remove(one);
        Group<W> group = place == null ? null : groups.get(place);
        if (group == null) {
            return false;
        }
        group.all.remove(one);
        if (group.all.isEmpty()) {
            groups.remove(place);
        }
        return true;
    }

    /**
     * Takes out those whose ranges are not any more as they were when they came, and tells each, whatever telling
     * another one throws.
     *
     * @param present the range of a CID as it is now, null when there is none; asked once for each range
     * @param tell may add who was told again
     */
    void tellChanged(LongFunction<@Nullable CidRange> present, Consumer<W> tell) {
        assert confined.here() : confined;
        List<Group<W>> changed = new ArrayList<>();
        for (Group<W> group : groups.values()) {
            if (!group.range.equals(present.apply(group.range.startCid()))) {
                changed.add(group);
            }
        }
        // Nobody is taken out before all have been looked at: that may throw, too.
        List<W> told = new ArrayList<>();
        for (Group<W> group : changed) {
            groups.remove(group.range.startCid());
            told.addAll(group.all);
        }
        told.forEach(places::remove);
        tellEach(told, tell);
    }

    private static <W> void tellEach(List<W> all, Consumer<W> tell) {
        RuntimeException first = null;
        for (W one : all) {
            try {
                tell.accept(one);
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Those of whom something is so, in no order that means anything. */
    List<W> those(Predicate<W> is) {
        assert confined.here() : confined;
        return places.keySet().stream().filter(is).toList();
    }

    /** Takes out all. */
    List<W> takeAll() {
        assert confined.here() : confined;
        List<W> all = new ArrayList<>(places.keySet());
        groups.clear();
        places.clear();
        return all;
    }
}
