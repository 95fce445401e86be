package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.LocalKeys;
import dev.granary.keyed.ValueType;
import dev.granary.resp.Protocol;
import org.junit.jupiter.api.Test;

/** {@link ObjectCommands} and {@link ValueEncoding}. */
class ObjectCommandsTest {

    private final LocalKeys local = new LocalKeys(Protocol.RESP2);

    private String encoding(String value) {
        local.keys().put(LocalKeys.bytes("s"), ValueType.STRING, LocalKeys.bytes(value), KeyEntry.NEVER);
        return local.lines("object encoding s");
    }

    @Test
    void encoding_ofStrings_followsTheirBytes() {
        assertThat(encoding("0")).isEqualTo("$3|int|");
        assertThat(encoding("-9223372036854775808")).isEqualTo("$3|int|");
        assertThat(encoding("01")).isEqualTo("$6|embstr|");
        assertThat(encoding("x".repeat(44))).isEqualTo("$6|embstr|");
        assertThat(encoding("x".repeat(45))).isEqualTo("$3|raw|");
    }

    @Test
    void encoding_ofHashes_followsTheirSize() {
        for (int i = 0; i < 512; i++) {
            local.answer("hset", "h", "f" + i, "v".repeat(64));
        }
        assertThat(local.lines("object encoding h")).isEqualTo("$8|listpack|");
        local.answer("hset", "h", "one more", "");
        assertThat(local.lines("object encoding h")).isEqualTo("$9|hashtable|");
        local.answer("hset", "long", "f", "v".repeat(65));
        assertThat(local.lines("object encoding long")).isEqualTo("$9|hashtable|");
    }

    @Test
    void object_keyThatIsNotThere_answersNothing() {
        for (String command : new String[] {"encoding", "refcount", "idletime", "freq"}) {
            assertThat(local.lines("object " + command + " none")).as(command).isEqualTo("$-1|");
        }
        assertThat(local.lines("memory usage none")).isEqualTo("$-1|");
    }

    @Test
    void object_onAValue_answersWhatRedisWould() {
        encoding("5");

        assertThat(local.lines("object refcount s")).isEqualTo(":2147483647|");
        assertThat(local.lines("object idletime s")).isEqualTo(":0|");
        assertThat(local.lines("object freq s")).startsWith("-ERR An LFU maxmemory policy is not selected");
        encoding("10000");
        assertThat(local.lines("object refcount s")).isEqualTo(":1|");
    }

    @Test
    void usage_ofAKey_isItsBytes() {
        local.answer("hset", "hash", "f", "v");

        assertThat(local.lines("memory usage hash samples 0")).isEqualTo(":9|");
        assertThat(local.lines("memory usage hash samples -1")).isEqualTo("-ERR syntax error|");
        assertThat(local.lines("memory usage hash samples")).isEqualTo("-ERR syntax error|");
        assertThat(local.lines("memory usage hash samples x"))
                .isEqualTo("-ERR value is not an integer or out of range|");
    }
}
