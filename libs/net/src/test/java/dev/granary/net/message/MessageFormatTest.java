package dev.granary.net.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.message.ReplicationMessages.FillData;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of every message stay as they are: golden/protocol.txt is a promise to other versions. */
class MessageFormatTest {

    private static final MigrationData MIGRATION_DATA = new MigrationData(
            0x8000, 1, 0x8000000000000002L, 0x8000000000000003L, 0x4000, 4, 5, MigrationData.FLAG_SEAL);
    private static final UUID CLUSTER = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final Replicate REPLICATE = new Replicate(CLUSTER, 0x4000, Replicate.FLAG_SYNC, 2);
    private static final FillData FILL_DATA = new FillData(CLUSTER, 0x4000, 0x10000001, 7, 8);
    private static final String GET = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
    private static final GroupCalls GROUP_CALLS = new GroupCalls(Durability.SYNCED.flags() | GroupCalls.READS, 1);
    private static final GroupCalls.Head GROUP_CALL = new GroupCalls.Head(0x3ffe, GroupCalls.Head.OPEN, 1, 0);
    private static final CidRange MOVED =
            new CidRange(0x8000000000000002L, 0x8000000000000003L, Placement.unreplicated(0x4000, 6));
    private static final Map<String, Samples.Sample> SAMPLES = Samples.all();

    @Test
    void write_everyMessage_givesTheGoldenBytes() throws IOException {
        Map<String, String> golden = readGolden();
        Map<String, String> written = new LinkedHashMap<>();
        SAMPLES.forEach((name, sample) -> written.put(name, ByteBufUtil.hexDump(payload(sample.message()))));
        written.put("mutation-header", ByteBufUtil.hexDump(mutationHeader()));
        written.put("migration-data", ByteBufUtil.hexDump(migrationData()));
        written.put("replicate", ByteBufUtil.hexDump(replicate()));
        written.put("fill-data", ByteBufUtil.hexDump(fillData()));
        written.put("group-calls-request", ByteBufUtil.hexDump(groupCalls()));
        written.put("group-calls-reply", ByteBufUtil.hexDump(groupCallsReply()));
        written.put("moved-ranges", ByteBufUtil.hexDump(movedRanges()));
        written.put("lookup-request-frame", ByteBufUtil.hexDump(lookupFrame()));
        assertThat(written).containsExactlyInAnyOrderEntriesOf(golden);
    }

    @Test
    void read_goldenBytes_givesTheMessages() throws IOException {
        Map<String, String> golden = readGolden();
        SAMPLES.forEach((name, sample) -> {
            ByteBuf payload = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get(name)));
            assertThat((Object) sample.reader().apply(payload)).as(name).isEqualTo(sample.message());
            assertThat(payload.readableBytes()).as("bytes left of " + name).isZero();
        });
        ByteBuf header = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get("mutation-header")));
        assertThat(MutationHeader.read(header)).isEqualTo(new MutationHeader(1, 2, 3, ChunkLayouts.FLAG_ZEROED, 5));
        ByteBuf data = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get("migration-data")));
        assertThat(MigrationData.read(data)).isEqualTo(MIGRATION_DATA);
        ByteBuf changes = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get("replicate")));
        assertThat(Replicate.read(changes)).isEqualTo(REPLICATE);
        ByteBuf fill = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get("fill-data")));
        assertThat(FillData.read(fill)).isEqualTo(FILL_DATA);
        ByteBuf calls = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get("group-calls-request")));
        assertThat(GroupCalls.read(calls)).isEqualTo(GROUP_CALLS);
        assertThat(calls.readIntLE()).isEqualTo(GroupCalls.Head.BYTES + GET.length());
        assertThat(GroupCalls.Head.read(calls)).isEqualTo(GROUP_CALL);
        assertThat(calls.toString(StandardCharsets.UTF_8)).isEqualTo(GET);
        ByteBuf moved = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get("moved-ranges")));
        assertThat(MovedRanges.read(moved)).containsExactly(MOVED);
        assertThat(MovedRanges.read(moved)).as("nothing is left").isEmpty();
        ByteBuf frame = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden.get("lookup-request-frame")));
        Frame.check(frame);
        assertThat(Frame.type(frame)).isEqualTo(MessageType.LOOKUP.code());
        assertThat(Frame.correlation(frame)).isEqualTo(0x0123456789abcdefL);
    }

    @Test
    void read_bytesBehindTheKnownFields_ignoresThem() {
        SAMPLES.forEach((name, sample) -> {
            ByteBuf payload = payload(sample.message()).writeLong(-1);
            assertThat((Object) sample.reader().apply(payload)).as(name).isEqualTo(sample.message());
        });
    }

    @Test
    void read_everyTruncation_isRefused() {
        SAMPLES.forEach((name, sample) -> {
            ByteBuf payload = payload(sample.message());
            for (int sizeBytes = 0; sizeBytes < payload.writerIndex(); sizeBytes++) {
                ByteBuf part = payload.copy(0, sizeBytes);
                assertThatThrownBy(() -> sample.reader().apply(part))
                        .as(name + " of " + part.writerIndex() + " bytes")
                        .isInstanceOf(FrameException.class);
            }
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void read_mutatedBytes_isReadOrRefusedAndNothingElse(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SAMPLES.forEach((name, sample) -> {
            for (int round = 0; round < 400; round++) {
                ByteBuf payload = mutate(payload(sample.message()), random);
                String bytes = ByteBufUtil.hexDump(payload);
                try {
                    assertThat((Object) sample.reader().apply(payload)).isNotNull();
                } catch (FrameException expected) {
                    assertThat(expected).hasMessageContaining(" ");
                } catch (RuntimeException e) {
                    fail("seed " + seed + ", " + name + ", bytes " + bytes, e);
                }
            }
        });
    }

    @Test
    void codes_ofTypesAndErrors_areUnique() {
        Set<Integer> codes = new HashSet<>(Set.of(
                MessageType.CREATE,
                MessageType.GET,
                MessageType.PUT,
                MessageType.DELETE,
                MessageType.MIGRATION_DATA,
                MessageType.REPLICATE,
                MessageType.FILL_DATA,
                MessageType.GROUP_CALL,
                MessageType.GROUP_CALLS,
                MessageType.FENCE));
        MessageType.CONTROL.forEach(
                type -> assertThat(codes.add(type.code())).as(type.name()).isTrue());
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.of(code.code())).isEqualTo(code);
        }
        assertThat(ErrorCode.of(60_000)).isEqualTo(ErrorCode.UNKNOWN);
        assertThat(MessageType.nameOf(MessageType.CREATE)).isEqualTo("create");
        assertThat(MessageType.nameOf(MessageType.LOOKUP.code())).isEqualTo("lookup");
        assertThat(MessageType.nameOf(999)).isEqualTo("type 999");
    }

    @Test
    void control_everyMessageTypeOfTheClass_isListedOnce() throws IllegalAccessException {
        List<MessageType<?, ?>> constants = new ArrayList<>();
        for (Field field : MessageType.class.getFields()) {
            if (field.getType() == MessageType.class) {
                constants.add((MessageType<?, ?>) field.get(null));
            }
        }
        assertThat(MessageType.CONTROL).containsExactlyInAnyOrderElementsOf(constants);
    }

    @Test
    void samples_everyMessageType_haveItsRequestAndItsReply() {
        for (MessageType<?, ?> type : MessageType.CONTROL) {
            assertThat(SAMPLES).containsKeys(type.name() + "-request", type.name() + "-reply");
        }
    }

    @Test
    void page_everyCode_hasARowWithItsName() throws IOException, IllegalAccessException {
        Map<Integer, String> names = new TreeMap<>();
        MessageType.CONTROL.forEach(type -> names.put(type.code(), type.name()));
        for (Field field : MessageType.class.getFields()) {
            if (field.getType() == int.class) {
                names.put(field.getInt(null), MessageType.nameOf(field.getInt(null)));
            }
        }
        String page = Files.readString(root().resolve("docs/formats/protocol.md"));
        Map<Integer, String> rows = new TreeMap<>();
        Pattern.compile("(?m)^\\| (\\d+) \\| ([a-z-]+) \\|(?:[^|\\n]*\\|){3}$")
                .matcher(page)
                .results()
                .forEach(row -> rows.put(Integer.valueOf(row.group(1)), row.group(2)));
        assertThat(rows).isEqualTo(names);
    }

    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.isDirectory(directory.resolve("docs/formats"))) {
            directory = directory.getParent();
        }
        return Objects.requireNonNull(directory, "the formats are not above the working directory");
    }

    private static ByteBuf payload(Message message) {
        ByteBuf out = Unpooled.buffer();
        message.writeTo(out);
        return out;
    }

    private static ByteBuf mutationHeader() {
        ByteBuf out = Unpooled.buffer();
        new MutationHeader(1, 2, 3, ChunkLayouts.FLAG_ZEROED, 5).writeTo(out);
        assertThat(out.readableBytes()).isEqualTo(MutationHeader.BYTES);
        return out;
    }

    private static ByteBuf migrationData() {
        ByteBuf out = Unpooled.buffer();
        MIGRATION_DATA.writeTo(out);
        assertThat(out.readableBytes()).isEqualTo(MigrationData.BYTES);
        return out;
    }

    private static ByteBuf replicate() {
        ByteBuf out = Unpooled.buffer();
        REPLICATE.writeTo(out);
        assertThat(out.readableBytes()).isEqualTo(Replicate.BYTES);
        return out;
    }

    private static ByteBuf fillData() {
        ByteBuf out = Unpooled.buffer();
        FILL_DATA.writeTo(out);
        assertThat(out.readableBytes()).isEqualTo(FillData.BYTES);
        return out;
    }

    private static ByteBuf groupCalls() {
        ByteBuf out = Unpooled.buffer();
        GROUP_CALLS.writeTo(out);
        assertThat(out.readableBytes()).isEqualTo(GroupCalls.BYTES);
        out.writeIntLE(GroupCalls.Head.BYTES + GET.length());
        GROUP_CALL.writeTo(out);
        out.writeCharSequence(GET, StandardCharsets.UTF_8);
        return out;
    }

    /** One call that was carried out, and one that was left out. */
    private static ByteBuf groupCallsReply() {
        ByteBuf out = Unpooled.buffer();
        out.writeIntLE(2).writeIntLE(5).writeByte(GroupCalls.DONE);
        out.writeCharSequence("$-1\r", StandardCharsets.UTF_8);
        out.writeIntLE(1).writeByte(GroupCalls.LEFT_OUT);
        return out;
    }

    @Test
    void groupCalls_malformedHeads_areRefused() {
        assertThatThrownBy(() -> GroupCalls.read(Unpooled.buffer().writeIntLE(0).writeIntLE(0)))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("0 calls");
        assertThatThrownBy(() ->
                        GroupCalls.read(Unpooled.buffer().writeIntLE(1 << 20).writeIntLE(1)))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("flags");
        assertThatThrownBy(() -> GroupCalls.Head.read(Unpooled.buffer().writeZero(GroupCalls.Head.BYTES)))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("NID 0");
    }

    private static ByteBuf movedRanges() {
        ByteBuf out = Unpooled.buffer();
        MovedRanges.write(out, List.of(MOVED));
        return out;
    }

    private static ByteBuf lookupFrame() {
        ByteBuf out = Unpooled.buffer();
        Frame.start(out, Frame.KIND_REQUEST, MessageType.LOOKUP.code(), 0x0123456789abcdefL);
        new Lookup(0x8000000000000001L).writeTo(out);
        Frame.finish(out);
        return out;
    }

    private static ByteBuf mutate(ByteBuf payload, SplittableRandom random) {
        int changes = random.nextInt(4);
        for (int i = 0; i < changes && payload.isReadable(); i++) {
            payload.setByte(random.nextInt(payload.writerIndex()), random.nextInt(256));
        }
        if (random.nextInt(4) == 0) {
            payload.writerIndex(random.nextInt(payload.writerIndex() + 1));
        }
        return payload;
    }

    private static Map<String, String> readGolden() throws IOException {
        Map<String, String> golden = new LinkedHashMap<>();
        try (InputStream in =
                Objects.requireNonNull(MessageFormatTest.class.getResourceAsStream("/golden/protocol.txt"))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            text.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> {
                        String[] nameAndBytes = line.split(" ", 2);
                        golden.put(nameAndBytes[0], nameAndBytes.length == 1 ? "" : nameAndBytes[1]);
                    });
        }
        return golden;
    }
}
