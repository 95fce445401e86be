package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.keyed.KeyEntry;
import dev.granary.resp.Protocol;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StringsTest {

    private static final String TOO_LONG = "-" + Strings.TOO_LONG + "\\r\\n";

    private final CommandRig rig = new CommandRig(Protocol.RESP2);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(int length) {
        return new byte[length];
    }

    private int length(String key) {
        KeyEntry entry = rig.keys().find(bytes(key));
        return entry == null ? -1 : entry.content().length;
    }

    @Test
    void set_keyAndValueUpToTheLimit_isTakenAndNoMore() {
        assertThat(rig.run(bytes("SET"), bytes("key"), value(Strings.MOST_BYTES - 3)))
                .isEqualTo("+OK\\r\\n");
        assertThat(rig.run(bytes("SET"), bytes("key"), value(Strings.MOST_BYTES - 2)))
                .isEqualTo(TOO_LONG);
        assertThat(length("key")).isEqualTo(Strings.MOST_BYTES - 3);
        assertThat(rig.run("APPEND key x")).isEqualTo(TOO_LONG);
        assertThat(rig.run("SETRANGE key 0 y")).isEqualTo(":" + (Strings.MOST_BYTES - 3) + "\\r\\n");
    }

    @Test
    void rename_longValueToALongerKey_isRefusedAndTheKeyStays() {
        rig.run(bytes("SET"), bytes("key"), value(Strings.MOST_BYTES - 3));
        assertThat(rig.run("RENAME key key4")).isEqualTo(TOO_LONG);
        assertThat(rig.run("COPY key key4")).isEqualTo(TOO_LONG);
        assertThat(rig.run("RENAMENX key k")).isEqualTo(":1\\r\\n");
        assertThat(rig.run("EXISTS key k key4")).isEqualTo(":1\\r\\n");
    }

    @Test
    void mset_oneValueTooLong_setsNone() {
        assertThat(rig.run(bytes("MSET"), bytes("a"), bytes("1"), bytes("b"), value(Strings.MOST_BYTES)))
                .isEqualTo(TOO_LONG);
        assertThat(rig.run(bytes("MSETNX"), bytes("a"), bytes("1"), bytes("b"), value(Strings.MOST_BYTES)))
                .isEqualTo(TOO_LONG);
        assertThat(rig.run("EXISTS a b")).isEqualTo(":0\\r\\n");
    }

    @Test
    void setrange_offsetUpToTheLimit_growsAndNoMore() {
        assertThat(rig.run("SETRANGE a " + (Strings.MOST_BYTES - 1) + " x")).isEqualTo(TOO_LONG);
        assertThat(rig.run("SETRANGE a " + Strings.MOST_BYTES + " xy")).isEqualTo(TOO_LONG);
        assertThat(length("a")).isEqualTo(-1);
        assertThat(rig.run("SETRANGE a " + (Strings.MOST_BYTES - 2) + " x"))
                .isEqualTo(":" + (Strings.MOST_BYTES - 1) + "\\r\\n");
    }

    @Test
    void setbit_offsetUpToTheLimit_growsAndNoMore() {
        long behind = 8L * Strings.MOST_BYTES;
        String noOffset = "-ERR bit offset is not an integer or out of range\\r\\n";
        assertThat(rig.run("SETBIT a " + behind + " 1")).isEqualTo(noOffset);
        assertThat(rig.run("GETBIT a " + behind)).isEqualTo(noOffset);
        assertThat(rig.run("SETBIT a " + (behind - 1) + " 1")).isEqualTo(TOO_LONG);
        assertThat(rig.run("BITFIELD a SET u8 " + (behind - 1) + " 1")).isEqualTo(TOO_LONG);
        assertThat(length("a")).isEqualTo(-1);
        assertThat(rig.run("SETBIT a " + (behind - 9) + " 1")).isEqualTo(":0\\r\\n");
        assertThat(rig.run("BITCOUNT a")).isEqualTo(":1\\r\\n");
        assertThat(rig.run("BITPOS a 1")).isEqualTo(":" + (behind - 9) + "\\r\\n");
        assertThat(rig.run("BITFIELD a GET u8 " + (behind - 9))).isEqualTo("*1\\r\\n:128\\r\\n");
    }

    @Test
    void lcs_tableUpToTheLimit_isMadeAndNoLarger() {
        rig.run(bytes("SET"), bytes("a"), value(1023));
        rig.run(bytes("SET"), bytes("b"), value(2046));
        rig.run(bytes("SET"), bytes("c"), value(2047));
        assertThat(rig.run("LCS a b LEN")).isEqualTo(":1023\\r\\n");
        assertThat(rig.run("LCS a c LEN"))
                .isEqualTo("-ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len\\r\\n");
    }

    @Test
    void integer_leastNumber_isNoError() {
        assertThat(Strings.integer(bytes("-9223372036854775808"))).isEqualTo(Long.MIN_VALUE);
        assertThatThrownBy(() -> Strings.integer(bytes("-9223372036854775809")))
                .isInstanceOf(CommandException.class)
                .hasMessage(CommandException.NOT_AN_INTEGER);
    }
}
