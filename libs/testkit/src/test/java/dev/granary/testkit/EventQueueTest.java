package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.testkit.Simulation.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class EventQueueTest {

    private static final int STEPS = 50_000;
    private static final int MOST_EVENTS = 3_000;

    private final Random random = new Random(7);
    private final EventQueue queue = new EventQueue();
    private final TreeSet<Event> model = new TreeSet<>(Event.ORDER);
    private long nowNanos;
    private long serial;

    @Test
    void take_ofEventsOfAllTimes_givesThemByTimeAndThenAsTheyWereScheduled() {
        for (int i = 0; i < STEPS; i++) {
            if (random.nextInt(100) < 52 && model.size() < MOST_EVENTS) {
                add(random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(40));
            } else if (!model.isEmpty()) {
                assertThat(queue.peek()).isSameAs(model.first());
                Event taken = queue.take();
                assertThat(taken).isSameAs(model.pollFirst());
                nowNanos = taken.atNanos();
            }
        }
        drain();
    }

    @Test
    void takeAll_ofWhatATestChooses_leavesTheOthersInOrder() {
        Predicate<Event> chosen = event -> event.serial() % 3 == 0;
        for (int i = 0; i < MOST_EVENTS; i++) {
            add(random.nextInt(20));
        }
        List<Event> taken = queue.takeAll(chosen);
        assertThat(taken)
                .containsExactlyElementsOf(model.stream().filter(chosen).toList());
        model.removeIf(chosen);
        drain();
    }

    private void add(long delayNanos) {
        Event event = new Event(nowNanos + delayNanos, serial++, null, () -> {});
        if (delayNanos == 0) {
            queue.addAtOnce(event);
        } else {
            queue.add(event);
        }
        model.add(event);
    }

    private void drain() {
        List<Event> rest = new ArrayList<>();
        while (queue.peek() != null) {
            rest.add(queue.take());
        }
        assertThat(rest).containsExactlyElementsOf(model);
    }
}
