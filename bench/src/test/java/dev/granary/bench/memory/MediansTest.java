package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MediansTest {

    @Test
    void of_oddNumberOfRounds_isTheMiddleOne() {
        assertThat(Medians.of(List.of(9.0, 1.0, 2.0), Double::doubleValue)).isEqualTo(2);
    }

    @Test
    void of_evenNumberOfRounds_isTheMeanOfTheTwoInTheMiddle() {
        assertThat(Medians.of(List.of(8.0, 1.0, 2.0, 4.0), Double::doubleValue)).isEqualTo(3);
    }
}
