package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.LocalKeys;
import dev.granary.keyed.ValueType;
import dev.granary.resp.Protocol;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@link KeyspaceCommands} and the commands beside them answer about all keys. */
class KeyspaceCommandsTest {

    private final LocalKeys local = new LocalKeys(Protocol.RESP2);

    private void string(String key) {
        local.keys().put(LocalKeys.bytes(key), ValueType.STRING, new byte[1], KeyEntry.NEVER);
    }

    @Test
    void keys_pattern_answersThoseThatMatch() {
        List.of("user:1", "user:2", "other").forEach(this::string);

        assertThat(local.lines("keys user:*")).isEqualTo("*2|$6|user:1|$6|user:2|");
        assertThat(local.lines("keys nobody")).isEqualTo("*0|");
    }

    @Test
    void keys_ofManyBytes_areRefusedWithAdvice() {
        String prefix = "k".repeat(1 << 20);
        for (int i = 0; i < 70; i++) {
            string(prefix + i);
        }

        assertThat(local.lines("keys *")).contains("exceeds maximum allowed size (67108864 bytes); use SCAN");
        assertThat(local.lines("dbsize")).isEqualTo(":70|");
    }

    @Test
    void scan_toTheEnd_visitsEveryKey() {
        for (int i = 0; i < 500; i++) {
            string("key" + i);
        }
        Set<String> seen = new HashSet<>();
        String cursor = "0";
        int parts = 0;
        do {
            String[] reply = local.lines("scan " + cursor + " count 30").split("\\|", -1);
            cursor = reply[2];
            for (int i = 5; i < reply.length; i += 2) {
                seen.add(reply[i]);
            }
            parts++;
        } while (!cursor.equals("0"));
        assertThat(seen).hasSize(500);
        assertThat(parts).isEqualTo(17);
    }

    @Test
    void scan_replyOfManyBytes_stopsBeforeTheCount() {
        String prefix = "k".repeat(100_000);
        for (int i = 100; i < 400; i++) {
            string(prefix + i);
        }

        String[] reply = local.lines("scan 0 count 300").split("\\|", -1);

        assertThat(reply[2]).isEqualTo("64");
        assertThat(reply[3]).isEqualTo("*64");
    }

    @Test
    void scan_typeAndPattern_answersOnlyThose() {
        string("a1");
        string("b1");
        local.answer("hset", "a2", "f", "v");

        assertThat(local.lines("scan 0 type HASH match a*")).isEqualTo("*2|$1|0|*1|$2|a2|");
        assertThat(local.lines("scan 0 type string match a*")).isEqualTo("*2|$1|0|*1|$2|a1|");
        assertThat(local.lines("scan 0 type list")).isEqualTo("*2|$1|0|*0|");
    }

    @Test
    void scan_wrongOptions_areRefused() {
        assertThat(local.lines("scan x")).isEqualTo("-ERR invalid cursor|");
        assertThat(local.lines("scan 18446744073709551616")).isEqualTo("-ERR invalid cursor|");
        assertThat(local.lines("scan 18446744073709551615")).isEqualTo("*2|$1|0|*0|");
        assertThat(local.lines("scan 0 count 0")).isEqualTo("-ERR syntax error|");
        assertThat(local.lines("scan 0 count x")).isEqualTo("-ERR value is not an integer or out of range|");
        assertThat(local.lines("scan 0 count")).isEqualTo("-ERR syntax error|");
    }

    @Test
    void flush_withKnownOption_removesAllKeys() {
        string("a");

        assertThat(local.lines("flushall now")).isEqualTo("-ERR syntax error|");
        assertThat(local.lines("randomkey")).isEqualTo("$1|a|");
        assertThat(local.lines("flushdb async")).isEqualTo("+OK|");
        assertThat(local.lines("randomkey")).isEqualTo("$-1|");
        assertThat(local.lines("flushall SYNC")).isEqualTo("+OK|");
        assertThat(local.lines("dbsize")).isEqualTo(":0|");
    }
}
