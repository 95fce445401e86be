package dev.granary.testkit;

import dev.granary.testkit.Simulation.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Events in order of time, and in the order of scheduling where times are equal. A heap whose nodes have four children
 * keeps the times beside the events. In front of it a plain queue holds what is to happen at once, which is every third
 * event. A simulation spends a good part of its time here.
 */
final class EventQueue {

    private static final int CHILDREN_SHIFT = 2;
    private static final int CHILDREN = 1 << CHILDREN_SHIFT;
    private static final int INITIAL_PLACES = 1 << 10;

    /** In order: time only goes on, and what is scheduled later has a higher number. */
    private final ArrayDeque<Event> atOnce = new ArrayDeque<>();

    private @Nullable Event[] heap = new Event[INITIAL_PLACES];
    private long[] times = new long[INITIAL_PLACES];
    private int size;

    /** Adds an event whose time is now, and after which no event was scheduled. */
    void addAtOnce(Event event) {
        atOnce.addLast(event);
    }

    /** Adds an event of any time. */
    void add(Event event) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
            times = Arrays.copyOf(times, 2 * size);
        }
        up(size++, event, event.atNanos());
    }

    /** The first event; null when there is none. */
    @Nullable
    Event peek() {
        Event first = atOnce.peekFirst();
        if (size == 0) {
            return first;
        }
        return first == null || isBefore(0, first) ? heap[0] : first;
    }

    /** Takes the first event, of which there must be one. */
    Event take() {
        Event first = atOnce.peekFirst();
        return first != null && (size == 0 || !isBefore(0, first)) ? atOnce.removeFirst() : takeTop();
    }

    /** Takes the events that a test chooses, in order. */
    List<Event> takeAll(Predicate<Event> chosen) {
        List<Event> taken = new ArrayList<>();
        List<Event> left = new ArrayList<>();
        while (size > 0) {
            Event event = takeTop();
            (chosen.test(event) ? taken : left).add(event);
        }
        left.forEach(this::add);
        atOnce.stream().filter(chosen).forEach(taken::add);
        atOnce.removeIf(chosen);
        taken.sort(Event.ORDER);
        return taken;
    }

    private Event takeTop() {
        Event top = at(0);
        Event last = at(--size);
        long time = times[size];
        heap[size] = null;
        if (size > 0) {
            down(last, time);
        }
        return top;
    }

    private Event at(int place) {
        return Objects.requireNonNull(heap[place]);
    }

    private boolean isBefore(int place, Event other) {
        return times[place] != other.atNanos()
                ? times[place] < other.atNanos()
                : at(place).serial() < other.serial();
    }

    private void up(int from, Event event, long time) {
        int place = from;
        while (place > 0) {
            int parent = (place - 1) >>> CHILDREN_SHIFT;
            if (times[parent] < time || (times[parent] == time && isBefore(parent, event))) {
                break;
            }
            set(place, parent);
            place = parent;
        }
        heap[place] = event;
        times[place] = time;
    }

    private void down(Event event, long time) {
        int place = 0;
        int child = 1;
        while (child < size) {
            int least = child;
            int end = Math.min(size, child + CHILDREN);
            for (int i = child + 1; i < end; i++) {
                if (times[i] < times[least] || (times[i] == times[least] && isBefore(i, at(least)))) {
                    least = i;
                }
            }
            if (times[least] > time || (times[least] == time && !isBefore(least, event))) {
                break;
            }
            set(place, least);
            place = least;
            child = (place << CHILDREN_SHIFT) + 1;
        }
        heap[place] = event;
        times[place] = time;
    }

    private void set(int place, int from) {
        heap[place] = heap[from];
        times[place] = times[from];
    }
}
