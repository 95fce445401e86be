package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The clock of leases counts the time in which a machine is suspended. */
@EnabledOnOs(OS.LINUX)
class BootClockTest {

    /** The precision of /proc/uptime. */
    private static final long UPTIME_STEP_NANOS = 10_000_000;

    private final Clock clock = BootClock.orSystemClock();

    @Test
    void nanoTime_now_isTheTimeSinceTheMachineStartedSuspensionsIncluded() throws IOException {
        long uptimeBefore = uptimeNanos();
        long nanos = clock.nanoTime();
        long uptimeAfter = uptimeNanos();

        assertThat(nanos).isBetween(uptimeBefore, uptimeAfter + UPTIME_STEP_NANOS);
    }

    @Test
    void nanoTime_calledAgain_neverGoesBack() {
        long last = clock.nanoTime();
        for (int i = 0; i < 100_000; i++) {
            long now = clock.nanoTime();
            assertThat(now).isGreaterThanOrEqualTo(last);
            last = now;
        }
    }

    /** The kernel counts the same clock there: seconds since the start with two digits behind the point. */
    private static long uptimeNanos() throws IOException {
        String seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
        return Math.round(Double.parseDouble(seconds) * 100) * UPTIME_STEP_NANOS;
    }
}
