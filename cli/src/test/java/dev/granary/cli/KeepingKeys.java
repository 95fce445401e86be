package dev.granary.cli;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.ValueType;
import dev.granary.keyed.command.CommandCall;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The keys of a {@link KeepingCluster}, with the commands of a real storage peer. Thread-safe. */
public final class KeepingKeys {

    private final Map<Integer, Keys> groups = new TreeMap<>();
    private final CommandTable table = CommandTable.redis();
    private final KeyCommands commands = new KeyCommands();

    /** Carries out a command whose first argument is a key, and returns the reply. */
    public synchronized String command(String... arguments) {
        StringBuilder text = new StringBuilder("*" + arguments.length + "\r\n");
        for (String argument : arguments) {
            text.append("$")
                    .append(argument.length())
                    .append("\r\n")
                    .append(argument)
                    .append("\r\n");
        }
        int group = SlotGroup.ofKey(arguments[1].getBytes(StandardCharsets.ISO_8859_1));
        ByteBuf out = Unpooled.buffer();
        run(SlotGroup.nid(group), Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1), out);
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    /** Whether somebody has used a slot group. */
    synchronized boolean has(int groupNid) {
        return groups.containsKey(groupNid);
    }

    /** Answers a call as the owner of its group. */
    public synchronized void carryOut(RpcRequest request) {
        ByteBuf in = request.payload();
        int groupNid = in.readUnsignedShortLE();
        // Flags, how many requests there are, and how many keys are watched.
        in.skipBytes(2 + 2 * Integer.BYTES);
        ByteBuf out = request.startReply(64);
        out.writeByte(0);
        run(groupNid, in.copy(), out);
        request.reply(out);
    }

    private void run(int groupNid, ByteBuf requests, ByteBuf out) {
        Keys keys = groups.computeIfAbsent(groupNid, any -> new Keys());
        ReplyWriter reply = new ReplyWriter(out, Protocol.RESP2);
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, UnpooledByteBufAllocator.DEFAULT)) {
            decoder.authenticated(true);
            decoder.add(requests);
            while (decoder.next() == RequestDecoder.Step.REQUEST) {
                Command command = Objects.requireNonNull(table.find(decoder.request()));
                commands.run(new CommandCall(command, decoder.request(), keys, reply));
            }
        }
    }

    /** The keys of one group on the heap, by the text of their bytes. */
    private static final class Keys implements Keyspace {

        private final TreeMap<String, KeyEntry> entries = new TreeMap<>();

        private static String text(byte[] key) {
            return new String(key, StandardCharsets.ISO_8859_1);
        }

        @Override
        public long nowMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public @Nullable KeyEntry find(byte[] key) {
            KeyEntry entry = entries.get(text(key));
            return entry == null || entry.expiresAtMillis() <= nowMillis() ? null : entry;
        }

        @Override
        public void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
            entries.remove(text(key));
            if (expiresAtMillis > nowMillis()) {
                entries.put(text(key), new KeyEntry(type, content, expiresAtMillis));
            }
        }

        @Override
        public boolean remove(byte[] key) {
            return entries.remove(text(key)) != null;
        }

        @Override
        public long size() {
            return entries.size();
        }

        @Override
        public long scan(long cursor, int count, KeyVisitor visitor) {
            List<String> keys = new ArrayList<>(entries.keySet());
            int end = (int) Math.min(keys.size(), cursor + count);
            keys.subList((int) cursor, end).forEach(key -> {
                byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
                KeyEntry entry = find(bytes);
                if (entry != null) {
                    visitor.visit(bytes, entry);
                }
            });
            return end == keys.size() ? 0 : end;
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
}
