package dev.granary.schema;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** The codecs of all types that are not records. */
final class Codecs {

    private static final int MAX_U8 = 0xFF;
    private static final int MAX_U16 = 0xFFFF;

    static final Codec<Integer> U8 = fixed("u8", Byte.BYTES, Codecs::putU8, Codecs::getU8);
    static final Codec<Integer> U16 = fixed("u16", Short.BYTES, Codecs::putU16, Codecs::getU16);
    static final Codec<Integer> I32 = fixed("i32", Integer.BYTES, Codecs::putI32, Codecs::getI32);
    static final Codec<Long> I64 = fixed("i64", Long.BYTES, Codecs::putI64, Codecs::getI64);
    static final Codec<Boolean> FLAG = fixed("flag", Byte.BYTES, Codecs::putFlag, Codecs::getFlag);
    static final Codec<UUID> ID = fixed(
            "uuid",
            2 * Long.BYTES,
            (out, id) -> {
                out.putLong(id.getMostSignificantBits());
                out.putLong(id.getLeastSignificantBits());
            },
            in -> new UUID(in.getLong(), in.getLong()));
    static final Codec<String> TEXT = fixed(
            "text",
            Short.BYTES,
            (out, text) -> {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                if (utf8.length > MAX_U16) {
                    throw new IllegalArgumentException("a text of " + utf8.length + " bytes is too long for a field");
                }
                out.putShort(utf8.length);
                out.putBytes(utf8);
            },
            in -> text(in, in.getShort()));
    static final Codec<String> LONG_TEXT = fixed(
            "long text",
            Integer.BYTES,
            (out, text) -> {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                out.putInt(utf8.length);
                out.putBytes(utf8);
            },
            in -> text(in, in.getInt()));
    static final Codec<byte[]> BYTES = fixed(
            "bytes",
            Integer.BYTES,
            (out, bytes) -> {
                out.putInt(bytes.length);
                out.putBytes(bytes);
            },
            in -> bytes(in, in.getInt()));

    private Codecs() {}

    /** A list: its count in 32 bits, then the items. A count that the bytes left cannot hold is refused. */
    static <T> Codec<List<T>> listOf(Codec<T> item) {
        if (item.minBytes() == 0) {
            throw new IllegalStateException("a list of items that may take no bytes");
        }
        Encoding<T> each = item.encoding();
        int minBytes = item.minBytes();
        return fixed(
                "list of " + item.layout(),
                Integer.BYTES,
                (out, items) -> {
                    out.putInt(items.size());
                    for (T value : items) {
                        each.write(value, out);
                    }
                },
                in -> {
                    int count = in.getInt();
                    if (count < 0 || (long) count * minBytes > in.remainingBytes()) {
                        throw new IllegalArgumentException(
                                "a list of " + count + " items in " + in.remainingBytes() + " bytes");
                    }
                    List<T> items = new ArrayList<>(count);
                    for (int i = 0; i < count; i++) {
                        items.add(each.read(in));
                    }
                    return items;
                });
    }

    /** A value that may be null: a flag, and the value if there is one. */
    static <T> Codec<T> optional(Codec<T> of) {
        Encoding<T> present = of.encoding();
        return fixed(
                "optional " + of.layout(),
                Byte.BYTES,
                (out, value) -> {
                    putFlag(out, value != null);
                    if (value != null) {
                        present.write(value, out);
                    }
                },
                in -> getFlag(in) ? present.read(in) : null);
    }

    /** A short list of whole numbers: their count in a byte, then the numbers. */
    static Codec<int[]> shortArrayOf(Codec<Integer> item) {
        return fixed(
                "short list of " + item.layout(),
                Byte.BYTES,
                (out, items) -> {
                    U8.write(items.length, out);
                    for (int each : items) {
                        item.write(each, out);
                    }
                },
                in -> {
                    int[] items = new int[in.getByte()];
                    for (int i = 0; i < items.length; i++) {
                        items[i] = item.read(in);
                    }
                    return items;
                });
    }

    /** The codes of an enum. */
    static Codec<Object> codesOf(Class<?> type) {
        Object[] byCode = new Object[MAX_U8 + 1];
        for (Object constant : type.getEnumConstants()) {
            int code = ((Coded) constant).code();
            if (byCode[code] != null) {
                throw new IllegalStateException(constant + " has the code of " + byCode[code]);
            }
            byCode[code] = constant;
        }
        return fixed(
                Layouts.nameOf(type), Byte.BYTES, (out, constant) -> out.putByte(((Coded) constant).code()), in -> {
                    int code = in.getByte();
                    Object constant = byCode[code];
                    if (constant == null) {
                        throw new IllegalArgumentException("no " + Layouts.nameOf(type) + " has the code " + code);
                    }
                    return constant;
                });
    }

    // The methods below are called by the classes of records, too.

    static void putU8(Sink out, int value) {
        out.putByte(inRange(value, MAX_U8));
    }

    static int getU8(Source in) {
        return in.getByte();
    }

    static void putU16(Sink out, int value) {
        out.putShort(inRange(value, MAX_U16));
    }

    static int getU16(Source in) {
        return in.getShort();
    }

    static void putI32(Sink out, int value) {
        out.putInt(value);
    }

    static int getI32(Source in) {
        return in.getInt();
    }

    static void putI64(Sink out, long value) {
        out.putLong(value);
    }

    static long getI64(Source in) {
        return in.getLong();
    }

    static void putFlag(Sink out, boolean value) {
        out.putByte(value ? 1 : 0);
    }

    static boolean getFlag(Source in) {
        int value = in.getByte();
        if (value > 1) {
            throw new IllegalArgumentException("a flag of " + value);
        }
        return value == 1;
    }

    private static int inRange(int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(value + " is not in 0.." + max);
        }
        return value;
    }

    private static String text(Source in, int sizeBytes) {
        return new String(bytes(in, sizeBytes), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Source in, int sizeBytes) {
        if (sizeBytes < 0 || sizeBytes > in.remainingBytes()) {
            throw new IllegalArgumentException(
                    "a field of " + sizeBytes + " bytes where " + in.remainingBytes() + " are left");
        }
        return in.getBytes(sizeBytes);
    }

    private static <T> Codec<T> fixed(
            String layout, int minBytes, BiConsumer<Sink, T> writer, Function<Source, T> reader) {
        return new Plain<>(layout, minBytes, writer, reader);
    }

    private record Plain<T>(String layout, int minBytes, BiConsumer<Sink, T> writer, Function<Source, T> reader)
            implements Codec<T> {

        @Override
        public void write(T value, Sink out) {
            writer.accept(out, value);
        }

        @Override
        public T read(Source in) {
            return reader.apply(in);
        }
    }
}
