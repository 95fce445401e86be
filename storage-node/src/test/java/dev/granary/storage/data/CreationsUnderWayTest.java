package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CreationsUnderWayTest {

    private final CreationsUnderWay creations = new CreationsUnderWay();
    private final CreationsUnderWay.Turn own = creations.join();
    private final CreationsUnderWay.Turn first = creations.join();
    private final CreationsUnderWay.Turn second = creations.join();
    private final AtomicInteger ran = new AtomicInteger();

    @Test
    void haveEnded_onlyOwnCreate_isTrue() {
        own.begin();
        assertThat(creations.haveEnded(own)).isTrue();
    }

    @Test
    void haveEnded_createThatGoesOn_isFalseSoon() {
        first.begin();
        assertThat(creations.haveEnded(own)).isFalse();
        first.end();
        assertThat(creations.haveEnded(own)).isTrue();
    }

    @Test
    void whenEnded_nobodyCreates_runsAtOnce() {
        creations.whenEnded(own, ran::incrementAndGet);
        assertThat(ran).hasValue(1);
    }

    @Test
    void whenEnded_twoCreate_runsOnceWhenBothThatWereUnderWayHaveEnded() {
        first.begin();
        second.begin();
        creations.whenEnded(own, ran::incrementAndGet);

        first.end();
        assertThat(ran).hasValue(0);
        first.begin();
        second.end();
        assertThat(ran).as("a later create is not waited for").hasValue(1);
        first.end();
        assertThat(ran).hasValue(1);
    }
}
