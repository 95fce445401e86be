package dev.granary.storage.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.keyed.GroupCallBytes.Answer;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Another storage peer that gets calls on slot groups and answers as a test wants, and that takes groups over. */
final class AnsweringOwner {

    static final int NID = 0x9000;

    private static final String HOST = "other";
    private static final HostAddress ADDRESS = new HostAddress(HOST, 7500);

    static final Answer OTHER = Answer.of(GroupReply.done(Unpooled.copiedBuffer("$5\r\nother\r\n", UTF_8)));

    private final KeyedPeer peer;

    /** The calls that came: "open" if the group was to be opened for it, and the requests' words. */
    final List<String> calls = new ArrayList<>();

    /** The answers to the next calls, one each; those behind them are answered with "$5 other". */
    final Deque<Consumer<RpcRequest>> answers = new ArrayDeque<>();

    /**
     * The answers to the next calls that come together; those behind them are answered with "$5 other"
     * each. None at all for an empty list.
     */
    final Deque<List<Answer>> togetherAnswers = new ArrayDeque<>();

    /** The chunks that have come. */
    final Map<Long, byte[]> chunks = new TreeMap<>();

    /** Whether what has come is its own now. */
    boolean owns;

    AnsweringOwner(KeyedPeer peer) {
        this.peer = peer;
        peer.superPeer.addresses.put(NID, ADDRESS);
        start();
    }

    /** Starts its process, also after it was killed. */
    void start() {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
        identity.joinCluster(peer.superPeer.clusterId);
        identity.takeNid(NID);
        peer.node.world.node(HOST).restart(started -> {
            var _ = started.transport().listen(ADDRESS, new RpcServer(identity, this::handle));
        });
    }

    /** Kills its process: all connections are lost. */
    void kill() {
        peer.node.world.node(HOST).kill();
    }

    HostAddress address() {
        return ADDRESS;
    }

    private void handle(RpcRequest request) {
        if (request.type() == MessageType.GROUP_CALLS) {
            together(request);
        } else if (request.type() == MessageType.GROUP_CALL) {
            GroupCallBytes.Incoming incoming = GroupCallBytes.read(request.payload());
            calls.add((incoming.open() ? "open " : "") + words(incoming.call()));
            Consumer<RpcRequest> next = answers.poll();
            (next == null ? done("$5\r\nother\r\n") : next).accept(request);
        } else if (request.type() == MessageType.END_MIGRATION.code()) {
            EndMigration end = request.read(MessageType.END_MIGRATION);
            owns |= end.committed();
            request.reply(new Empty());
        } else {
            MigrationData header = MigrationData.read(request.payload());
            if ((header.flags() & MigrationData.FLAG_READ) == 0) {
                keep(request.payload());
            }
            request.reply(new Empty());
        }
    }

    private void together(RpcRequest request) {
        List<GroupCall> asked = GroupCallBytes.readAll(request.payload()).stream()
                .map(GroupCallBytes.Incoming::call)
                .toList();
        calls.add(asked.stream().map(AnsweringOwner::words).collect(Collectors.joining(" + ")));
        List<Answer> told = togetherAnswers.poll();
        if (told != null && told.isEmpty()) {
            return;
        }
        ByteBuf out = request.startReply(64);
        GroupCallBytes.writeAnswers(told == null ? Collections.nCopies(asked.size(), OTHER) : told, out);
        request.reply(out);
    }

    private static String words(GroupCall call) {
        String words = call.requests().toString(UTF_8).replaceAll("[*$]\\d+\r\n", "");
        return words.replace("\r\n", " ").strip();
    }

    private void keep(ByteBuf in) {
        long[] cids = new long[in.readIntLE()];
        int[] sizes = new int[cids.length];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = in.readLongLE();
        }
        for (int i = 0; i < cids.length; i++) {
            sizes[i] = in.readIntLE();
        }
        for (int i = 0; i < cids.length; i++) {
            byte[] bytes = new byte[sizes[i]];
            in.readBytes(bytes);
            chunks.put(cids[i], bytes);
        }
    }

    static Consumer<RpcRequest> done(String replies) {
        return reply(GroupReply.done(Unpooled.copiedBuffer(replies, UTF_8)));
    }

    static Consumer<RpcRequest> not(Outcome outcome, String message) {
        return reply(GroupReply.not(outcome, message));
    }

    private static Consumer<RpcRequest> reply(GroupReply reply) {
        return request -> {
            ByteBuf out = request.startReply(64);
            GroupCallBytes.writeReply(reply, out);
            request.reply(out);
        };
    }

    static void notOwner(RpcRequest request) {
        ByteBuf out = request.startReply(64);
        GroupCallBytes.writeNotOwner("another one owns it", out);
        request.reply(out);
    }

    /** Never answers. */
    static void keepSilent(RpcRequest request) {
        assert request.isCallerThere();
    }
}
