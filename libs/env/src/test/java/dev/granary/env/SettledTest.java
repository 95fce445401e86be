package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SettledTest {

    private final Settled<String> content = new Settled<>("users");

    @Test
    void isNew_sameAsInUse_isNot() {
        assertThat(content.isNew("users")).isFalse();
        assertThat(content.isNew("users")).isFalse();
    }

    @Test
    void isNew_otherContentInTwoLooks_isInTheSecond() {
        assertThat(content.isNew("more users")).isFalse();
        assertThat(content.isNew("more users")).isTrue();
        content.use("more users");
        assertThat(content.isNew("more users")).isFalse();
        assertThat(content.isNew("users")).isFalse();
        assertThat(content.isNew("users")).isTrue();
    }

    /** A file that is written in place is empty for a moment. */
    @Test
    void isNew_lookAtWhatIsHalfWritten_isNot() {
        assertThat(content.isNew("")).isFalse();
        assertThat(content.isNew("more")).isFalse();
        assertThat(content.isNew("more users")).isFalse();
        assertThat(content.isNew("more users")).isTrue();
    }

    @Test
    void isNew_goneAgainBeforeTheSecondLook_isNot() {
        assertThat(content.isNew("")).isFalse();
        assertThat(content.isNew("users")).isFalse();
        assertThat(content.isNew("")).isFalse();
    }
}
