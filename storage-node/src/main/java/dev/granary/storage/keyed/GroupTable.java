package dev.granary.storage.keyed;

import dev.granary.overlay.SlotGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The slot groups of this peer by their numbers, which are below {@value SlotGroup#COUNT}. A group is free, or one
 * thread is finding its keys, or its keys are known. All three are one reference: a thread that wants to begin a group
 * is refused if another one has begun it, or has finished it since. Otherwise an index that was made from the chunks
 * before a change could take the place of one that has the change. Thread-safe.
 *
 * @param <G> what is known of a group
 */
final class GroupTable<G> {

    private final AtomicReferenceArray<Place<G>> places = new AtomicReferenceArray<>(SlotGroup.COUNT);

    private record Place<G>(G group, boolean isKnown) {}

    /** Returns a group whose keys are known; null when they are not. */
    @Nullable
    G known(int group) {
        Place<G> place = places.get(group);
        return place != null && place.isKnown ? place.group : null;
    }

    /** Returns whether nobody finds the keys of a group, and nobody has found them. */
    boolean isFree(int group) {
        return places.get(group) == null;
    }

    /** Begins a group. Returns false, and changes nothing, unless it is free. */
    boolean begin(int group, G begun) {
        return places.compareAndSet(group, null, new Place<>(begun, false));
    }

    /** Says that the keys of a group are known, which the caller has begun. */
    void know(int group, G begun) {
        places.set(group, new Place<>(begun, true));
    }

    /** Frees a group. Returns false when another one is there, or none. */
    boolean remove(int group, G present) {
        Place<G> place = places.get(group);
        return place != null && place.group == present && places.compareAndSet(group, place, null);
    }

    /** Returns the groups whose keys are known. */
    List<G> known() {
        List<G> known = new ArrayList<>();
        for (int i = 0; i < places.length(); i++) {
            G group = known(i);
            if (group != null) {
                known.add(group);
            }
        }
        return known;
    }
}
