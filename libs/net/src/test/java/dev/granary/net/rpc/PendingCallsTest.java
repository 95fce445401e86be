package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PendingCallsTest {

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void addTakeExpire_randomly_agreesWithAMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        PendingCalls calls = new PendingCalls();
        Map<Long, PendingCall<?>> model = new HashMap<>();
        List<Long> everGiven = new ArrayList<>();
        long now = -1_000; // no overflow, but negative times must work
        for (int step = 0; step < 5_000; step++) {
            now += random.nextInt(10);
            int choice = random.nextInt(100);
            if (choice < 50) {
                PendingCall<Object> call =
                        new PendingCall<>(1, buffer -> buffer, 1, now + 1 + random.nextInt(300), Unpooled.EMPTY_BUFFER);
                calls.add(call);
                assertThat(model.put(call.correlation, call)).isNull();
                everGiven.add(call.correlation);
            } else if (choice < 90 && !everGiven.isEmpty()) {
                long correlation = everGiven.get(random.nextInt(everGiven.size()));
                assertThat(calls.take(correlation)).isSameAs(model.remove(correlation));
            } else {
                long time = now;
                List<PendingCall<?>> due = model.values().stream()
                        .filter(call -> call.deadlineNanos <= time)
                        .<PendingCall<?>>map(call -> call)
                        .toList();
                assertThat(calls.takeExpired(now)).containsExactlyInAnyOrderElementsOf(due);
                due.forEach(call -> model.remove(call.correlation));
            }
            assertThat(calls.size()).isEqualTo(model.size());
        }
        assertThat(calls.takeAll()).containsExactlyInAnyOrderElementsOf(model.values());
        assertThat(calls.size()).isZero();
    }
}
