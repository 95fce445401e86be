package dev.granary.bench.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ThreadSwitchesTest {

    @Test
    void count_textOfAStatusFile_isTheVoluntaryOnes() {
        assertThat(ThreadSwitches.count("Name:\tjava\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t4\n"))
                .hasValue(17);
        assertThat(ThreadSwitches.count("Name:\tjava\n")).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void since_threadThatWaited_countsItsWaits() throws Exception {
        ThreadSwitches before = ThreadSwitches.of("self");
        CountDownLatch waited = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 20; i++) {
                    Thread.sleep(1);
                }
                waited.countDown();
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        waited.await();
        assertThat(ThreadSwitches.of("self").since(before)).isGreaterThanOrEqualTo(20);
        end.countDown();
        thread.join();
    }

    /** A thread that ends while its count is read once gave a count below that of before. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void since_threadsThatEndMeanwhile_isNeverNegative() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread maker = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                List<Thread> some = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    some.add(Thread.ofPlatform().start(() -> {
                        for (int j = 0; j < 10; j++) {
                            LockSupport.parkNanos(100_000);
                        }
                    }));
                }
                some.forEach(ThreadSwitchesTest::join);
            }
        });
        ThreadSwitches before = ThreadSwitches.of("self");
        for (int look = 0; look < 500; look++) {
            ThreadSwitches after = ThreadSwitches.of("self");
            assertThat(after.since(before)).isNotNegative();
            before = after;
        }
        over.set(true);
        maker.join();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void of_noSuchProcess_isNothing() {
        ThreadSwitches none = ThreadSwitches.of("no-process");
        assertThat(none.since(none)).isZero();
    }
}
