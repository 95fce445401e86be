package dev.granary.superpeer.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.ring.RingCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Commands on existing disks must be readable for ever: each command that the decoders know has golden bytes in
 * golden/commands.txt and a row in docs/formats/super-peer-commands.md.
 */
class CommandFormatTest {

    private static final ArcState ARC = new ArcState();
    private static final Path PAGE = root().resolve("docs/formats/super-peer-commands.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| ");

    @Test
    void write_everyCommand_givesTheGoldenBytes() throws IOException {
        Map<Integer, String> written = new TreeMap<>();
        CommandSamples.ring().forEach(command -> put(written, write(command)));
        CommandSamples.arc().forEach(command -> put(written, write(command)));
        assertThat(written).isEqualTo(golden());
    }

    @Test
    void read_goldenBytes_givesTheCommands() throws IOException {
        Map<Integer, String> golden = golden();
        CommandSamples.ring().forEach(command -> assertThat(RingCommand.read(bytesOf(golden, typeOf(write(command)))))
                .isEqualTo(command));
        CommandSamples.arc().forEach(command -> assertThat(ARC.decode(bytesOf(golden, command.type())))
                .isEqualTo(command));
    }

    @Test
    void golden_everyTypeThatTheDecodersKnow_isThere() throws IOException {
        assertThat(golden().keySet()).isEqualTo(knownTypes());
    }

    @Test
    void page_everyTypeThatTheDecodersKnow_hasARow() throws IOException {
        Set<Integer> rows = new TreeSet<>();
        ROW.matcher(Files.readString(PAGE)).results().forEach(row -> rows.add(Integer.valueOf(row.group(1))));
        assertThat(rows).containsAll(knownTypes());
    }

    @Test
    void read_everyTruncation_isRefused() throws IOException {
        for (Map.Entry<Integer, String> each : golden().entrySet()) {
            byte[] whole = ByteBufUtil.decodeHexDump(each.getValue());
            for (int sizeBytes = 0; sizeBytes < whole.length; sizeBytes++) {
                ByteBuf part = Unpooled.wrappedBuffer(whole, 0, sizeBytes);
                assertThatThrownBy(() -> read(each.getKey(), part))
                        .as("command %d of %d bytes", each.getKey(), part.writerIndex())
                        .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class);
            }
        }
    }

    private static Object read(int type, ByteBuf in) {
        return type < ArcPart.TYPES_PER_PART ? RingCommand.read(in) : ARC.decode(in);
    }

    /** Returns all types that a decoder does not reject as unknown. */
    private static Set<Integer> knownTypes() {
        Set<Integer> known = new TreeSet<>();
        for (int type = 0; type < 256; type++) {
            if (isKnown(RingCommand::read, RingCommand.VERSION, type)
                    || isKnown(ARC::decode, ArcCommand.VERSION, type)) {
                known.add(type);
            }
        }
        return known;
    }

    private static boolean isKnown(Consumer<ByteBuf> decoder, int version, int type) {
        ByteBuf zeroFields =
                Unpooled.buffer().writeByte(version).writeByte(type).writeZero(256);
        try {
            decoder.accept(zeroFields);
            return true;
        } catch (IndexOutOfBoundsException e) {
            return true;
        } catch (IllegalArgumentException e) {
            return !String.valueOf(e.getMessage()).contains("unknown type");
        }
    }

    private static void put(Map<Integer, String> written, ByteBuf command) {
        assertThat(written.put(typeOf(command), ByteBufUtil.hexDump(command)))
                .as("another command of the type %d", typeOf(command))
                .isNull();
    }

    /** Returns the type of a command of the ring. */
    static int typeOf(RingCommand command) {
        return typeOf(write(command));
    }

    private static int typeOf(ByteBuf command) {
        return command.getUnsignedByte(1);
    }

    private static ByteBuf write(ArcCommand command) {
        ByteBuf out = Unpooled.buffer();
        ARC.encode(command, out);
        return out;
    }

    private static ByteBuf write(RingCommand command) {
        ByteBuf out = Unpooled.buffer();
        RingCommand.write(out, command);
        return out;
    }

    private static ByteBuf bytesOf(Map<Integer, String> golden, int type) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(Objects.requireNonNull(golden.get(type))));
    }

    private static Map<Integer, String> golden() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(CommandFormatTest.class.getResourceAsStream("/golden/commands.txt"))) {
            Map<Integer, String> golden = new TreeMap<>(Comparator.naturalOrder());
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            for (String line : lines) {
                String[] typeNameAndBytes = line.split(" ", 3);
                golden.put(Integer.valueOf(typeNameAndBytes[0]), typeNameAndBytes[2]);
            }
            return golden;
        }
    }

    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.isDirectory(directory.resolve("docs/formats"))) {
            directory = directory.getParent();
        }
        return Objects.requireNonNull(directory, "the formats are not above the working directory");
    }
}
