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
 * The requests that wait for another owner of a chunk, grouped by the range of the chunk as it was when they came. A
 * change costs one look at each range that has waiting requests, and at the requests of the ranges that have changed.
 * Requests of other ranges cost nothing. Not thread-safe.
 *
 * @param <W> a request that waits, not equal to any other
 */
final class OwnerWaiters<W> {

    private final Confined confined = new Confined();

    private record Group<W>(CidRange range, Set<W> all) {}

    /** The groups by the first CID of their ranges. */
    private final Map<Long, Group<W>> groups = new LinkedHashMap<>();

    /** By waiting request, the first CID of its group's range. */
    private final Map<W, Long> places = new LinkedHashMap<>();

    int size() {
        assert confined.here() : confined;
        return places.size();
    }

    /** Adds a request that waits until the range changes. */
    void add(CidRange range, W one) {
        assert confined.here() : confined;
        Group<W> group = groups.get(range.startCid());
        if (group == null) {
            group = new Group<>(range, new LinkedHashSet<>());
            groups.put(range.startCid(), group);
        }
        // If the group has an earlier form of the range, the next look finds it changed, and tells all of its requests.
        group.all.add(one);
        places.put(one, range.startCid());
    }

    /** Removes a request, and returns whether it waited. */
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
     * Removes the requests whose ranges have changed since they came, and tells each of them. When telling one throws,
     * still tells the others and throws at the end.
     *
     * @param present the range of a CID as it is now, null when there is none; asked once for each range
     * @param tell may add the request again
     */
    void tellChanged(LongFunction<@Nullable CidRange> present, Consumer<W> tell) {
        assert confined.here() : confined;
        List<Group<W>> changed = new ArrayList<>();
        for (Group<W> group : groups.values()) {
            if (!group.range.equals(present.apply(group.range.startCid()))) {
                changed.add(group);
            }
        }
        // Look at all groups before any request is removed: a look may throw, too.
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

    /** Returns the requests that match, in no particular order. */
    List<W> those(Predicate<W> is) {
        assert confined.here() : confined;
        return places.keySet().stream().filter(is).toList();
    }

    /** Removes all requests and returns them. */
    List<W> takeAll() {
        assert confined.here() : confined;
        List<W> all = new ArrayList<>(places.keySet());
        groups.clear();
        places.clear();
        return all;
    }
}
