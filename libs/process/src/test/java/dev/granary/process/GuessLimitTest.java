package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GuessLimitTest implements Clock {

    private static final InetAddress SOMEBODY = address(1);

    private final GuessLimit limit = new GuessLimit(this);
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(30);

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public long wallMillis() {
        return 0;
    }

    private static InetAddress address(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number});
        } catch (java.net.UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private int guesses(InetAddress address, int most) {
        int guesses = 0;
        while (guesses < most && limit.mayGuess(address)) {
            limit.wrong(address);
            guesses++;
        }
        return guesses;
    }

    @Test
    void wrong_manyTimes_leavesOneGuessEachFewSecondsAlsoWhenTheClockOverflows() {
        assertThat(guesses(SOMEBODY, 100)).isEqualTo(GuessLimit.FREE);
        for (int i = 0; i < 10; i++) {
            assertThat(guesses(SOMEBODY, 100)).isZero();
            nanos += TimeUnit.SECONDS.toNanos(GuessLimit.SECONDS_EACH);
            assertThat(guesses(SOMEBODY, 100)).isEqualTo(1);
        }
        nanos += TimeUnit.SECONDS.toNanos((long) GuessLimit.FREE * GuessLimit.SECONDS_EACH);
        assertThat(guesses(SOMEBODY, 100)).isEqualTo(GuessLimit.FREE);
    }

    @Test
    void wrong_fromOneAddress_concernsNoOther() {
        guesses(SOMEBODY, 100);

        assertThat(limit.mayGuess(address(2))).isTrue();
    }

    @Test
    void wrong_fromMoreAddressesThanAreKept_forgetsTheEldest() {
        guesses(SOMEBODY, 100);
        for (int i = 2; i < 5_000; i++) {
            limit.wrong(address(i));
        }

        assertThat(limit.mayGuess(SOMEBODY)).isTrue();
        assertThat(limit.mayGuess(address(4_999))).isTrue();
    }
}
