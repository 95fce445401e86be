package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.keyed.hash.HashForm;
import dev.granary.keyed.hash.HashPairs;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The commands that read fields of hashes. */
final class HashCommands {

    private HashCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("hget", HashCommands::hget);
        commands.put("hmget", HashCommands::hmget);
        commands.put("hstrlen", HashCommands::hstrlen);
        commands.put("hexists", HashCommands::hexists);
        commands.put("hlen", HashCommands::hlen);
        commands.put("hgetall", HashCommands::hgetall);
        commands.put("hkeys", HashCommands::hkeys);
        commands.put("hvals", HashCommands::hvals);
    }

    /** Returns the bytes of the hash that the first argument names; null if there is none. */
    static byte @Nullable [] content(CommandCall call) {
        KeyEntry entry = call.find(call.argument(1), ValueType.HASH);
        return entry == null ? null : entry.content();
    }

    /** Returns the field that the second argument names; null if there is none. */
    private static @Nullable HashPairs field(CommandCall call, byte @Nullable [] content) {
        if (content == null) {
            return null;
        }
        HashPairs pairs = new HashPairs(content);
        return pairs.find(call.argument(2)) ? pairs : null;
    }

    /** Answers some bytes of a hash. */
    static void bulk(CommandCall call, byte[] content, int from, int length) {
        call.reply().beginBulk(length);
        call.reply().out().writeBytes(content, from, length);
        call.reply().endBulk();
    }

    private static void hget(CommandCall call) {
        byte[] content = content(call);
        HashPairs field = field(call, content);
        if (content == null || field == null) {
            call.reply().nothing();
        } else {
            bulk(call, content, field.valueStart(), field.valueLength());
        }
    }

    /** Walks over the hash once, however many fields are asked for. */
    private static void hmget(CommandCall call) {
        byte[] content = content(call);
        Map<ByteBuffer, int[]> found = new HashMap<>();
        for (int i = 2; i < call.count(); i++) {
            found.put(ByteBuffer.wrap(call.argument(i)), new int[] {0, -1});
        }
        if (content != null) {
            HashPairs pairs = new HashPairs(content);
            while (pairs.next()) {
                int[] place = found.get(pairs.fieldInPlace());
                if (place != null) {
                    place[0] = pairs.valueStart();
                    place[1] = pairs.valueLength();
                }
            }
        }
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            int[] place = found.get(ByteBuffer.wrap(call.argument(i)));
            if (content == null || place == null || place[1] < 0) {
                call.reply().nothing();
            } else {
                bulk(call, content, place[0], place[1]);
            }
        }
    }

    private static void hstrlen(CommandCall call) {
        HashPairs field = field(call, content(call));
        call.reply().integer(field == null ? 0 : field.valueLength());
    }

    private static void hexists(CommandCall call) {
        call.reply().integer(field(call, content(call)) == null ? 0 : 1);
    }

    private static void hlen(CommandCall call) {
        byte[] content = content(call);
        call.reply().integer(content == null ? 0 : HashForm.count(content));
    }

    private static void hgetall(CommandCall call) {
        byte[] content = content(call);
        call.reply().map(content == null ? 0 : HashForm.count(content));
        answerAll(call, content, true, true);
    }

    private static void hkeys(CommandCall call) {
        byte[] content = content(call);
        call.reply().array(content == null ? 0 : HashForm.count(content));
        answerAll(call, content, true, false);
    }

    private static void hvals(CommandCall call) {
        byte[] content = content(call);
        call.reply().array(content == null ? 0 : HashForm.count(content));
        answerAll(call, content, false, true);
    }

    private static void answerAll(CommandCall call, byte @Nullable [] content, boolean fields, boolean values) {
        if (content == null) {
            return;
        }
        HashPairs pairs = new HashPairs(content);
        while (pairs.next()) {
            if (fields) {
                bulk(call, content, pairs.fieldStart(), pairs.fieldLength());
            }
            if (values) {
                bulk(call, content, pairs.valueStart(), pairs.valueLength());
            }
        }
    }
}
