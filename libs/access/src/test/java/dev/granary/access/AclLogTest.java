package dev.granary.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.access.AclLog.Entry;
import dev.granary.resp.acl.Denial.Reason;
import org.junit.jupiter.api.Test;

/** What {@link AclLog} keeps for {@code ACL LOG}, which {@link Access} shows. */
class AclLogTest {

    private final AclLog log = new AclLog();

    private static Entry entry(String object, long wallMillis) {
        return new Entry(1, Reason.KEY, "toplevel", object, "app", wallMillis, "addr=10.0.0.1:5");
    }

    @Test
    void add_sameAgainWithinAMinute_isCounted() {
        assertThat(log.add(entry("a", 0), 9)).isEqualTo(1);
        assertThat(log.add(entry("b", 1), 9)).isEqualTo(1);
        assertThat(log.add(entry("a", 60_000), 9)).isEqualTo(2);
        assertThat(log.add(entry("a", 130_000), 9))
                .as("more than a minute later")
                .isEqualTo(1);
        assertThat(log.newest(9)).extracting(Entry::object).containsExactly("a", "a", "b");
        assertThat(log.newest(9)).extracting(Entry::count).containsExactly(1L, 2L, 1L);
    }

    @Test
    void add_moreThanAreKept_dropsTheOldest() {
        for (int i = 0; i < 20; i++) {
            log.add(entry("key" + i, i), 5);
        }
        assertThat(log.newest(100)).hasSize(5);
        assertThat(log.newest(2)).extracting(Entry::object).containsExactly("key19", "key18");
        log.add(entry("x".repeat(1 << 20), 30), 5);
        assertThat(log.newest(1).getFirst().object()).hasSize(1 << 10);
        log.clear();
        assertThat(log.newest(100)).isEmpty();
    }

    @Test
    void add_nothingIsKept_isEmpty() {
        log.add(entry("a", 0), 0);
        assertThat(log.newest(100)).isEmpty();
    }
}
