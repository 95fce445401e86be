package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.resp.Protocol;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One try of fuzzing: bytes are restored as the dump of a value. They are restored or refused, and what was restored is
 * dumped as bytes that are restored as the same. {@code e2e/fuzz/run} lets Jazzer make up the bytes.
 */
public final class DumpFuzz {

    private static final int CRC_BYTES = 8;

    private static final int VERSION_BYTES = 2;

    private DumpFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(DumpFuzz::fuzzerTestOneInput);
    }

    /** All bytes are a dump without its end; if the first one is odd, they are a whole dump, which is hardly right. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether a value was restored. */
    static boolean isRead(byte[] input) {
        if (input.length == 0) {
            return false;
        }
        byte[] body = Arrays.copyOfRange(input, 1, input.length);
        byte[] dump = (input[0] & 1) == 0 ? ended(body) : body;
        KeyEntry value = restored(dump);
        if (value == null) {
            return false;
        }
        DumpWriter out = new DumpWriter();
        DumpForm form = value.type() == ValueType.HASH ? new HashDump() : new StringDump();
        form.write(value.content(), out);
        KeyEntry again = restored(out.payload());
        if (again == null || again.type() != value.type() || !Arrays.equals(again.content(), value.content())) {
            throw new AssertionError(
                    "the value became another one: " + HexFormat.of().formatHex(dump));
        }
        return true;
    }

    /** Returns inputs with which a fuzzer begins: dumps of a redis-server 7.0.15, without their ends. */
    public static List<byte[]> seeds() {
        HexFormat hex = HexFormat.of();
        return List.of(
                hex.parseHex("00" + "10c34040407d1f7d0000000e00816602817602826631030c018001f27929ed048362696704f4ff8000"
                        + "077f09817302e04078e036000f42816e02dffd02816d02f270110104ff"),
                hex.parseHex("00" + "0402026632c007026631c3094041017676e034000176"),
                hex.parseHex("00" + "102600000009007f01df0102d00002826162" + "03f100800304f200008004ff"),
                hex.parseHex("00" + "00" + "05" + "68656c6c6f"),
                hex.parseHex("00" + "00" + "c1" + "3930"),
                hex.parseHex("00" + "00" + "c2" + "15cd5b07"),
                hex.parseHex("00" + "00" + "4102" + "61".repeat(0x102)),
                hex.parseHex("00" + "00" + "80" + "00000003" + "616263"),
                hex.parseHex("00" + "00" + "c3" + "04" + "0a" + "0061e000" + "61"),
                hex.parseHex("01" + "0402026632c007026631c3094041017676e034000176760a007f43e513c8ee4fce"));
    }

    private static @Nullable KeyEntry restored(byte[] dump) {
        CommandRig rig = new CommandRig(Protocol.RESP2);
        String reply = rig.run(bytes("restore"), bytes("k"), bytes("0"), dump);
        return reply.equals("+OK\\r\\n") ? rig.keys().find(bytes("k")) : null;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] ended(byte[] body) {
        ByteBuffer dump = ByteBuffer.allocate(body.length + VERSION_BYTES + CRC_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(body)
                .putShort((short) DumpWriter.VERSION);
        return dump.putLong(Crc64.of(dump.array(), 0, dump.position())).array();
    }
}
