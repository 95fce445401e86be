package dev.granary.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DebianVersionTest {

    /** In ascending order; every pair is compared both ways. */
    private static final List<String> ASCENDING = List.of(
            "0~~",
            "0~",
            "0",
            "0.0.1",
            "1.0~beta1~svc1",
            "1.0~beta1",
            "1.0~rc1-1~",
            "1.0~rc1-1",
            "1.0~rc1-1+b1",
            "1.0",
            "1.0-0.1",
            "1.0-1",
            "1.0-1ubuntu1",
            "1.0-1+deb12u1",
            "1.0a",
            "1.0a1",
            "1.0ab",
            "1.0+dfsg",
            "1.0.1",
            "1.2",
            "1.10",
            "2.34",
            "10",
            "20250101",
            "99999999999999999999999",
            "1:0",
            "1:0.1-1",
            "2:0~",
            "10:0");

    @Test
    void compare_everyPairOfAnOrderedList_hasTheOrderOfTheList() {
        for (int left = 0; left < ASCENDING.size(); left++) {
            for (int right = 0; right < ASCENDING.size(); right++) {
                assertThat(Integer.signum(DebianVersion.compare(ASCENDING.get(left), ASCENDING.get(right))))
                        .as("%s against %s", ASCENDING.get(left), ASCENDING.get(right))
                        .isEqualTo(Integer.compare(left, right));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1.0,0:1.0", "1.0,1.0-0", "1.0,1.0-", "1.00,1.0", "1.0-01,1.0-1", "a,a0", "1-2-3,1-2-03"})
    void compare_differentSpellingsOfOneVersion_areEqual(String left, String right) {
        assertThat(DebianVersion.compare(left, right)).isZero();
        assertThat(DebianVersion.compare(right, left)).isZero();
    }
}
