package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.keyed.LocalKeys;
import dev.granary.resp.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link HashDump} and {@link Listpack}. The dumps are those of a redis-server 7.0.15. */
class HashDumpTest {

    private final LocalKeys local = new LocalKeys(Protocol.RESP2);

    private String restored(String hex) {
        String payload = new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1);
        assertThat(local.answer("restore", "h", "0", payload)).isEqualTo("+OK\r\n");
        return local.lines("hgetall h");
    }

    @Test
    void restore_listpackOfRedis_hasItsFields() {
        assertThat(restored("10c34040407d1f7d0000000e00816602817602826631030c018001f27929ed048362696704f4ff8000077f0981"
                        + "7302e04078e036000f42816e02dffd02816d02f270110104ff0a009c8c5d558aced05c"))
                .isEqualTo("*14|$1|f|$1|v|$2|f1|$2|12|$0||$8|-1234567|$3|big|$19|9223372036854775807|$1|s|$64|"
                        + "x".repeat(64) + "|$1|n|$2|-3|$1|m|$5|70000|");
    }

    @Test
    void restore_hashTableOfRedis_hasItsFields() {
        assertThat(restored("0402026632c007026631c3094041017676e034000176760a007f43e513c8ee4fce"))
                .isEqualTo("*4|$2|f2|$1|7|$2|f1|$65|" + "v".repeat(65) + "|");
    }

    @Test
    void dump_restored_isTheSameHash() {
        local.answer("hset", "h", "", "1", "f", "x".repeat(100), "n", "-70000");
        String dump = local.answer("dump", "h");
        String before = local.lines("hgetall h");

        String payload = dump.substring(dump.indexOf('\n') + 1, dump.length() - 2);
        local.answer("restore", "h", "0", payload, "REPLACE");

        assertThat(local.lines("hgetall h")).isEqualTo(before);
    }

    @Test
    void read_listpackWithAllKindsOfElements_isTheirDigitsAndBytes() {
        byte[] bytes = HexFormat.of()
                .parseHex("2600000009007f01" + "df0102" + "d00002" + "826162" + "03" + "f1008003" + "f2000080" + "04"
                        + "f3ffffff7f05" + "e0016102" + "f001000000" + "7a" + "06" + "ff");
        bytes[0] = (byte) bytes.length;

        assertThat(Listpack.read(bytes).stream().map(each -> new String(each, StandardCharsets.US_ASCII)))
                .containsExactlyElementsOf(
                        List.of("127", "-255", "-4096", "ab", "-32768", "-8388608", "2147483647", "a", "z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "07000000000000",
                "0700000000007f",
                "08000000000001ff",
                "0700000000fe01",
                "08000000000001ffff",
                "0800000000008561ff",
                "0c0000000000f0ffffff7fff"
            })
    void read_damagedListpack_isRefused(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);

        assertThatThrownBy(() -> Listpack.read(bytes)).isInstanceOf(CommandException.class);
    }

    /** Twelve kilobytes of a dump are a value of a megabyte: a dump of some megabytes must not take a gigabyte. */
    @Test
    void read_moreThanAHashMayHave_isRefusedBeforeAllIsRead() {
        int repeats = 3971;
        byte[] compressed = new byte[2 + 3 * repeats];
        compressed[1] = 'a';
        for (int at = 2; at < compressed.length; at += 3) {
            compressed[at] = (byte) 0xe0;
            compressed[at + 1] = (byte) 0xff;
        }
        ByteBuf body = Unpooled.buffer();
        body.writeByte(4).writeByte(40);
        for (int i = 0; i < 40; i++) {
            body.writeByte(1).writeByte(i);
            body.writeByte(0xc3);
            body.writeByte(0x80).writeInt(compressed.length);
            body.writeByte(0x80).writeInt(1 + 264 * repeats);
            body.writeBytes(compressed);
        }
        body.writeShortLE(DumpWriter.VERSION);
        byte[] checked = ByteBufUtil.getBytes(body);
        body.writeLongLE(Crc64.of(checked, 0, checked.length));
        DumpReader in = DumpReader.of(ByteBufUtil.getBytes(body));
        HashDump form = new HashDump();

        assertThat(form.reads(in.unsignedByte())).isTrue();
        assertThatThrownBy(() -> form.read(4, in)).hasMessage("ERR Bad data format");
        assertThat(in.unsignedByte()).as("a byte that was not read").isNotNegative();
    }
}
