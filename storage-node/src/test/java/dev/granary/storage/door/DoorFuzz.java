package dev.granary.storage.door;

import dev.granary.access.Access;
import dev.granary.env.SystemClock;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.overlay.HostAddress;
import dev.granary.resp.RequestLimits;
import dev.granary.storage.door.chunks.ChunkCommands;
import dev.granary.storage.door.chunks.ChunkRoom;
import dev.granary.storage.door.command.DoorTable;
import dev.granary.storage.door.command.LocalCommands;
import dev.granary.storage.door.keys.Routes;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.door.state.DoorCounters.Closing;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.RedirectMode;
import dev.granary.storage.keyed.EvictionPolicy;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.keyed.hot.HotKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One try of fuzzing: bytes reach a door over a connection, in pieces. Its handlers do not fail, its answers are whole
 * replies, and all buffers are given back. {@code e2e/fuzz/run} lets Jazzer make up the bytes.
 */
public final class DoorFuzz {

    /** Values are small, so that a short request does not need much memory. */
    private static final DoorLimits LIMITS =
            DoorLimits.defaults().withRequest(new RequestLimits(1 << 10, 16 << 10, 32 << 10, 4 << 10, 10, 1 << 10));

    private static final DoorConfig CONFIG = new DoorConfig(
            new HostAddress("127.0.0.1", 0), null, "127.0.0.1", LIMITS, RedirectMode.AWARE, Polling.AUTO, 1, null);

    private static final LocalCommands LOCAL = new LocalCommands();

    private DoorFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(DoorFuzz::fuzzerTestOneInput);
    }

    /** The first byte says how large the pieces are, in units of 8 bytes. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether the connection is open at the end. */
    static boolean isRead(byte[] input) {
        if (input.length == 0) {
            return false;
        }
        boolean open;
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
        HotKeys hotKeys = new HotKeys(new SystemClock());
        ChunkRoom room = new ChunkRoom(LIMITS.chunkBytes());
        try (LonePeer peer = new LonePeer(allocator, hotKeys).atOnce()) {
            DoorState state = new DoorState(
                    CONFIG,
                    new SystemClock(),
                    peer,
                    () -> OpenDoor.FIGURES,
                    new KeyedLimits(1 << 20, EvictionPolicy.NOEVICTION),
                    hotKeys,
                    DoorTable.of(LOCAL, peer::has),
                    new Access(null, new SecureRandom()));
            state.announced(new HostAddress("127.0.0.1", 7000));
            EmbeddedChannel channel = new EmbeddedChannel();
            channel.config().setAllocator(allocator);
            state.clients().tryEnter(1);
            Routes routes = new Routes(state, LOCAL, ChunkCommands.all(new HeapChunks(), room));
            channel.pipeline().addLast(new Session(state, routes, peer, channel));
            int pieceBytes = 8 * (1 + (input[0] & 0xff));
            for (int from = 1; from < input.length && channel.isOpen(); from += pieceBytes) {
                byte[] piece = Arrays.copyOfRange(input, from, Math.min(input.length, from + pieceBytes));
                channel.writeInbound(allocator.buffer().writeBytes(piece));
                channel.runPendingTasks();
            }
            channel.checkException();
            checkReplies(channel);
            open = channel.isOpen();
            channel.finishAndReleaseAll();
            channel.runPendingTasks();
            if (state.counters().closedSum(Closing.FAILURE) != 0) {
                throw new AssertionError("a request has failed");
            }
            if (room.usedBytes() != 0) {
                throw new AssertionError("values of chunks hold " + room.usedBytes() + " bytes");
            }
            if (state.clients().count() != 0 || state.clients().heldBytes() != 0) {
                throw new AssertionError(state.clients().count() + " clients hold "
                        + state.clients().heldBytes() + " bytes");
            }
        }
        long left = allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes of buffers were not given back");
        }
        return open;
    }

    private static void checkReplies(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
            all.writeBytes(sent);
            sent.release();
        }
        for (int at = 0; at < all.writerIndex(); ) {
            at = ReplyCursor.end(all, at);
        }
    }

    /** Returns inputs with which a fuzzer begins. */
    public static List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (String lines : List.of(
                "SET a 1|GET a|INCR a|MGET a b|DEL a b",
                "HELLO 3|HSET h f v g w|HGETALL h|HSCAN h 0 MATCH * COUNT 2|HRANDFIELD h -3 WITHVALUES",
                "MULTI|SET a 1|GET a|EXEC|WATCH a|MULTI|DISCARD|UNWATCH",
                "CLIENT REPLY SKIP|PING|CLIENT NO-EVICT on|CLIENT LIST|CLIENT INFO|CLIENT ID|CLIENT KILL ID 1",
                "CLUSTER SLOTS|CLUSTER SHARDS|CLUSTER NODES|CLUSTER KEYSLOT {a}b|CLUSTER INFO|ASKING|READONLY",
                "CONFIG GET *|CONFIG SET timeout 5|INFO all|COMMAND COUNT|COMMAND DOCS get|COMMAND GETKEYS set a b",
                "SETBIT k 7 1|BITCOUNT k 0 -1 BIT|BITFIELD k INCRBY u8 0 3 OVERFLOW FAIL|BITPOS k 1|SETRANGE k 3 x",
                "SET k v EX 10 GET|EXPIRE k 5 NX|PTTL k|GETEX k PERSIST|OBJECT ENCODING k|DUMP k|TYPE k|SCAN 0",
                "SLOWLOG GET 3|LATENCY LATEST|LATENCY HISTOGRAM|MEMORY USAGE a|DBSIZE|KEYS *|RANDOMKEY|TIME|MONITOR",
                "CHUNK.CREATE x|CHUNK.GET 0x8000000000000001|CHUNK.MGET 0x8000000000000001|CHUNK.DEL 0x8000000000000001",
                "CHUNK.CREATE x|CHUNK.NAME SET n 0x8000000000000001|CHUNK.NAME GET n|CHUNK.LOCK 0x8000000000000001 5",
                "HOTKEYS START METRICS 1 CPU|SET a 1|HOTKEYS GET|HOTKEYS STOP|HOTKEYS RESET",
                "HELLO 3|CLIENT MAINT_NOTIFICATIONS ON moving-endpoint-type none|PING",
                "LCS a b|INCRBYFLOAT a 1.5|APPEND a x|GETRANGE a 0 -1|COPY a {a}b|RENAME a {a}b|FLUSHALL|QUIT",
                "SUBSCRIBE c|EVAL x 0|DEBUG SLEEP 0|WAIT 0 0|AUTH a b|RESET|SELECT 1|ECHO x|RESTORE k 0 x")) {
            StringBuilder inline = new StringBuilder("\7");
            StringBuilder arrays = new StringBuilder("\1");
            for (String line : lines.split("\\|", -1)) {
                inline.append(line).append("\r\n");
                arrays.append(new String(RespClient.request(line.split(" ", -1)), StandardCharsets.ISO_8859_1));
            }
            seeds.add(inline.toString().getBytes(StandardCharsets.ISO_8859_1));
            seeds.add(arrays.toString().getBytes(StandardCharsets.ISO_8859_1));
        }
        return seeds;
    }
}
