package dev.granary.superpeer.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Clock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConsoleDataTest {

    private final AtomicLong now = new AtomicLong();
    private final List<CompletableFuture<String>> begun = new ArrayList<>();
    private final ConsoleData data = new ConsoleData(this::begin, new Clock() {
        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    });

    private synchronized CompletableFuture<String> begin() {
        CompletableFuture<String> gathering = new CompletableFuture<>();
        begun.add(gathering);
        return gathering;
    }

    private synchronized int count() {
        return begun.size();
    }

    private String get() throws Exception {
        return new String(data.get(), StandardCharsets.UTF_8);
    }

    /** Asks on another thread, as the answer is not there yet. */
    private static Future<String> ask(ExecutorService threads, ConsoleDataTest test) {
        return threads.submit(test::get);
    }

    private void awaitBegun(int number) throws InterruptedException {
        for (int i = 0; i < 1000 && count() < number; i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(count()).isEqualTo(number);
    }

    @Test
    void get_manyWhileTheyAreGathered_oneGatheringForAll() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> asked = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                asked.add(ask(threads, this));
            }
            awaitBegun(1);
            begun.getFirst().complete("{}");
            for (Future<String> each : asked) {
                assertThat(each.get(10, TimeUnit.SECONDS)).isEqualTo("{}");
            }
        }
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void get_againAndAgain_gathersWhenTheOldDataHaveBeenKeptLongEnough() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> first = ask(threads, this);
            awaitBegun(1);
            now.addAndGet(TimeUnit.SECONDS.toNanos(2));
            begun.getFirst().complete("ä");
            assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("ä");

            now.addAndGet(ConsoleData.KEPT_NANOS - 1);
            assertThat(get()).as("kept since their end").isEqualTo("ä");
            assertThat(count()).isEqualTo(1);

            now.addAndGet(1);
            Future<String> second = ask(threads, this);
            awaitBegun(2);
            begun.get(1).complete("new");
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo("new");
        }
    }

    @Test
    void get_gatheringFails_saysWhyAndIsNotTriedAtOnce() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        ConsoleData failing = new ConsoleData(
                () -> {
                    tries.incrementAndGet();
                    return CompletableFuture.failedFuture(new IllegalStateException("planted"));
                },
                new Clock() {
                    @Override
                    public long nanoTime() {
                        return 0;
                    }

                    @Override
                    public long wallMillis() {
                        return 0;
                    }
                });

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(failing::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("planted");
        }
        assertThat(tries).hasValue(1);
    }

    @Test
    void get_gatheringIsLost_theNextOneBeginsAgain() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> lost = ask(threads, this);
            awaitBegun(1);
            now.addAndGet(TimeUnit.SECONDS.toNanos(ConsoleData.LIMIT_SECONDS));
            Future<String> next = ask(threads, this);
            awaitBegun(2);
            begun.get(1).complete("{}");
            assertThat(next.get(10, TimeUnit.SECONDS)).isEqualTo("{}");
            assertThatThrownBy(() -> lost.get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(TimeoutException.class)
                    .hasMessageContaining("not gathered within");
        }
    }

    @Test
    void get_tooManyWait_areRefusedAtOnce() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch answered = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < ConsoleData.MAX_WAITING + 1; i++) {
                threads.execute(() -> {
                    try {
                        get();
                    } catch (Exception e) {
                        assertThat(e).hasMessageContaining(ConsoleData.MAX_WAITING + " requests wait");
                        refused.incrementAndGet();
                        answered.countDown();
                    }
                });
            }
            assertThat(answered.await(4, TimeUnit.SECONDS)).isTrue();
            begun.getFirst().complete("{}");
        }
        assertThat(refused).hasValue(1);
    }
}
