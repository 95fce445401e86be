package dev.granary.bench.compare.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.bench.stores.CaseFigures;
import dev.granary.bench.stores.CaseRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MeasuredLoopTest {

    private static final long MILLIS = 1_000;
    private static final long STALL_MILLIS = 400;

    private final MeasuredLoop loop = new MeasuredLoop(new MapClient());

    private static CaseRequest request(double opsPerSecond) {
        return new CaseRequest("facebook-b", false, 1, 1, 1, MILLIS, opsPerSecond);
    }

    /** Requests that take no time, but for the tenth one. */
    private static Requests withAStall() {
        AtomicInteger number = new AtomicInteger();
        return _ -> () -> {
            if (number.incrementAndGet() == 10) {
                sleep();
            }
            return 1;
        };
    }

    private static void sleep() {
        try {
            TimeUnit.MILLISECONDS.sleep(STALL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void run_openLoopWithAStall_countsAllThatWereDueMeanwhile() throws Exception {
        // 40 % of the requests were due during the stall, half of them 200 ms before its end or earlier.
        CaseFigures figures = loop.run(request(500), withAStall());
        assertThat(figures.p99Micros()).isGreaterThan(300_000);
        assertThat(figures.operations()).isBetween(10L, 501L);
    }

    @Test
    void run_closedLoopWithAStall_countsItOnce() throws Exception {
        CaseFigures figures = loop.run(request(0), withAStall());
        assertThat(figures.p99Micros()).isLessThan(300_000);
        assertThat(figures.operations()).isGreaterThan(100);
    }

    @Test
    void run_openLoopThatCannotKeepUp_countsWhatWasNeverSent() throws Exception {
        CaseFigures figures = loop.run(request(100), _ -> () -> {
            sleep();
            return 1;
        });
        assertThat(figures.operations()).isLessThan(10);
        assertThat(figures.p50Micros()).isGreaterThan(100_000);
    }

    @Test
    void run_requestsThatFail_areErrorsAndNoOperations() throws Exception {
        CaseFigures figures = loop.run(request(200), _ -> () -> {
            throw new IllegalStateException("planned");
        });
        assertThat(figures.operations()).isZero();
        assertThat(figures.errors()).isPositive();
        assertThat(figures.firstError()).contains("planned");
    }

    @Test
    void next_threadsOfAnOpenLoop_takeTurns() {
        CaseRequest request = new CaseRequest("facebook-b", false, 1, 2, 1, MILLIS, 1_000);
        Schedule first = Schedule.of(request, 0, 0);
        Schedule second = Schedule.of(request, 1, 0);
        assertThat(first.isOpen()).isTrue();
        assertThat(new long[] {first.next(7), second.next(7), first.next(7), second.next(7)})
                .containsExactly(0, 1_000_000, 2_000_000, 3_000_000);
    }

    @Test
    void next_closedLoop_isAtOnce() {
        Schedule schedule = Schedule.of(request(0), 0, 0);
        assertThat(schedule.isOpen()).isFalse();
        assertThat(schedule.next(7)).isEqualTo(7);
    }
}
