package dev.granary.e2e.load.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisKeysTest {

    private final RedisKeys keys = new RedisKeys("k", 2);

    @Test
    void complaint_keyThatNobodyHasSet_mustBeMissing() {
        assertThat(keys.complaint(0, null)).isNull();
        assertThat(keys.complaint(0, "k:0=1")).isEqualTo("k:0 is k:0=1, but null was acknowledged");
    }

    @Test
    void complaint_acknowledgedTwice_onlyTheLastIsRight() {
        String first = keys.nextValue(0);
        String second = keys.nextValue(0);
        keys.acknowledged(0, first);
        keys.acknowledged(0, second);
        assertThat(second).isNotEqualTo(first);
        assertThat(keys.complaint(0, second)).isNull();
        assertThat(keys.complaint(0, first)).isNotNull();
        assertThat(keys.complaint(0, null)).isNotNull();
    }

    @Test
    void unknown_write_makesAnotherKeyAndLeavesBothValuesPossible() {
        String before = keys.nextValue(0);
        keys.acknowledged(0, before);
        String former = keys.key(0);
        String attempted = keys.nextValue(0);
        keys.unknown(0, attempted);
        assertThat(keys.key(0)).isNotEqualTo(former);
        assertThat(keys.complaint(0, null)).isNull();
        assertThat(keys.unsureKeys()).containsExactly(former);
        assertThat(keys.complaint(former, before)).isNull();
        assertThat(keys.complaint(former, attempted)).isNull();
        assertThat(keys.complaint(former, null)).isNotNull();
        assertThat(keys.complaint(former, "another")).isNotNull();
    }

    @Test
    void unknown_firstWriteOfAKey_mayHaveLeftNothing() {
        String former = keys.key(1);
        String attempted = keys.nextValue(1);
        keys.unknown(1, attempted);
        assertThat(keys.complaint(former, null)).isNull();
        assertThat(keys.complaint(former, attempted)).isNull();
        assertThat(keys.complaint("of-nobody", null)).isNotNull();
    }
}
