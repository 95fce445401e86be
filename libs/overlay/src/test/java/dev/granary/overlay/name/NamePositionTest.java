package dev.granary.overlay.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Nid;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NamePositionTest {

    @Test
    void of_knownNames_isWhatTheFormatSays() {
        // CRC-32C of "123456789" is 0xe3069283.
        assertThat(NamePosition.of("123456789")).isEqualTo((int) (1 + 0xe3069283L % 65535));
        assertThat(NamePosition.of("käfer")).isEqualTo(NamePosition.of("käfer".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void of_manyNames_spreadsThemOverTheRing() {
        int[] quarters = new int[4];
        for (int i = 0; i < 100_000; i++) {
            int position = NamePosition.of("user:" + i);
            assertThat(Nid.isValid(position)).isTrue();
            quarters[position >>> 14]++;
        }
        for (int count : quarters) {
            assertThat(count).isBetween(24_000, 26_000);
        }
    }
}
