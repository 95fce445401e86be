package dev.granary.bench.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ThreadSwitchesTest {

    @Test
    void count_textOfAStatusFile_isTheVoluntaryOnes() {
        assertThat(ThreadSwitches.count("Name:\tjava\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t4\n"))
                .isEqualTo(17);
        assertThat(ThreadSwitches.count("")).isZero();
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

    @Test
    void of_noSuchProcess_isNothing() {
        ThreadSwitches none = ThreadSwitches.of("no-process");
        assertThat(none.since(none)).isZero();
    }
}
