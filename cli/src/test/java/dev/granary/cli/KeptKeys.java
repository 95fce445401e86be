package dev.granary.cli;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.ValueType;
import dev.granary.keyed.command.CommandCall;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.RequestWriter;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keys on the heap, with the commands of a storage peer: of a cluster, or of a server of the Redis protocol. */
public final class KeptKeys implements Keyspace {

    /** By key, each byte a character. */
    private final TreeMap<String, KeyEntry> entries = new TreeMap<>();

    private final CommandTable table = CommandTable.redis();
    private final KeyCommands commands = new KeyCommands();

    /** Returns what finds requests among the bytes of a client. */
    public static RequestDecoder decoder() {
        RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, UnpooledByteBufAllocator.DEFAULT);
        decoder.authenticated(true);
        return decoder;
    }

    /** Carries out the requests that are whole, and returns their replies. */
    public synchronized ByteBuf answer(RequestDecoder decoder) {
        ByteBuf out = Unpooled.buffer();
        ReplyWriter reply = new ReplyWriter(out, Protocol.RESP2);
        while (decoder.next() == RequestDecoder.Step.REQUEST) {
            Command command = table.find(decoder.request());
            if (command == null || !commands.has(command.name())) {
                reply.error("ERR unknown command");
            } else {
                commands.run(new CommandCall(command, decoder.request(), this, reply));
            }
        }
        return out;
    }

    /** Carries out requests, and returns their replies; the requests are released. */
    ByteBuf answer(ByteBuf requests) {
        try (RequestDecoder decoder = decoder()) {
            decoder.add(requests);
            return answer(decoder);
        }
    }

    /** Carries out a command, and returns the reply with spaces in place of the ends of lines. */
    public String ask(String... words) {
        ByteBuf request = Unpooled.buffer();
        RequestWriter.write(
                request, List.of(words).stream().map(KeptKeys::bytes).toArray(byte[][]::new));
        return answer(request)
                .toString(StandardCharsets.UTF_8)
                .replace("\r\n", " ")
                .strip();
    }

    /** Answers a message of a client with calls on slot groups. */
    void answer(RpcRequest request) {
        ByteBuf in = request.payload();
        GroupCalls head = GroupCalls.read(in);
        ByteBuf out = request.startReply(64).writeIntLE(head.calls());
        for (int i = 0; i < head.calls(); i++) {
            ByteBuf call = in.readSlice(in.readIntLE());
            var _ = GroupCalls.Head.read(call);
            ByteBuf replies = answer(call.retain());
            out.writeIntLE(1 + replies.readableBytes())
                    .writeByte(GroupCalls.DONE)
                    .writeBytes(replies);
        }
        request.reply(out);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String name(byte[] key) {
        return new String(key, StandardCharsets.ISO_8859_1);
    }

    @Override
    public long nowMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public @Nullable KeyEntry find(byte[] key) {
        KeyEntry entry = entries.get(name(key));
        return entry == null || entry.expiresAtMillis() <= nowMillis() ? null : entry;
    }

    @Override
    public void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
        entries.put(name(key), new KeyEntry(type, content, expiresAtMillis));
    }

    @Override
    public boolean remove(byte[] key) {
        return entries.remove(name(key)) != null;
    }

    @Override
    public long size() {
        return entries.size();
    }

    /** The cursor counts the keys that were visited. */
    @Override
    public long scan(long cursor, int count, KeyVisitor visitor) {
        entries.entrySet().stream()
                .skip(cursor)
                .limit(count)
                .filter(entry -> entry.getValue().expiresAtMillis() > nowMillis())
                .forEach(
                        entry -> visitor.visit(entry.getKey().getBytes(StandardCharsets.ISO_8859_1), entry.getValue()));
        return cursor + count < entries.size() ? cursor + count : 0;
    }

    @Override
    public byte @Nullable [] anyKey() {
        return entries.isEmpty() ? null : entries.firstKey().getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void clear() {
        entries.clear();
    }
}
