package dev.granary.storage.door.chunks;

import dev.granary.client.AsyncNames;
import dev.granary.client.NamedChunk;
import dev.granary.overlay.Cid;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** {@code CHUNK.NAME}: names that stand for chunks. Super-peers keep them. */
final class ChunkNames {

    private static final int USUAL_COUNT = 100;

    private ChunkNames() {}

    static void addTo(Map<String, ChunkCall.Body> bodies) {
        bodies.put("chunk.name|set", ChunkNames::set);
        bodies.put("chunk.name|get", ChunkNames::get);
        bodies.put("chunk.name|del", ChunkNames::delete);
        bodies.put("chunk.name|list", ChunkNames::list);
    }

    /** Answers OK, or nothing if the condition does not hold, as {@code SET} does. */
    private static void set(ChunkCall call) throws BadArgument {
        String name = call.name(2, false);
        long cid = call.cid(3);
        AsyncNames names = call.chunks().names();
        if (call.count() == 4) {
            call.answer(() -> names.put(name, cid), true, before -> call.reply().simple("OK"));
        } else if (call.is(4, "nx")) {
            call.end(5);
            answerCondition(call, () -> names.putIfAbsent(name, cid));
        } else if (call.is(4, "ifeq")) {
            long expected = call.anyCid(5);
            call.end(6);
            answerCondition(call, () -> names.replace(name, expected, cid));
        } else {
            throw call.syntax();
        }
    }

    private static void answerCondition(ChunkCall call, Supplier<CompletableFuture<Boolean>> change) {
        call.answer(change, true, done -> {
            if (done) {
                call.reply().simple("OK");
            } else {
                call.reply().nothing();
            }
        });
    }

    private static void get(ChunkCall call) throws BadArgument {
        String name = call.name(2, false);
        call.answer(() -> call.chunks().names().get(name), false, found -> {
            if (found.isPresent()) {
                call.reply().bulk(Cid.toHex(found.getAsLong()));
            } else {
                call.reply().nothing();
            }
        });
    }

    private static void delete(ChunkCall call) throws BadArgument {
        String name = call.name(2, false);
        AsyncNames names = call.chunks().names();
        if (call.count() == 3) {
            call.answer(() -> names.remove(name), true, before -> call.reply().integer(before.isPresent() ? 1 : 0));
            return;
        }
        if (!call.is(3, "ifeq")) {
            throw call.syntax();
        }
        long expected = call.anyCid(4);
        call.end(5);
        call.answer(
                () -> names.remove(name, expected), true, done -> call.reply().integer(done ? 1 : 0));
    }

    private static void list(ChunkCall call) throws BadArgument {
        String prefix = "";
        String after = "";
        int limit = USUAL_COUNT;
        for (int i = 2; i < call.count(); i += 2) {
            if (call.is(i, "prefix")) {
                prefix = call.name(i + 1, true);
            } else if (call.is(i, "after")) {
                after = call.name(i + 1, true);
            } else if (call.is(i, "count")) {
                limit = (int) call.number(i + 1, 1, AsyncNames.MAX_LISTED, "COUNT");
            } else {
                throw call.syntax();
            }
        }
        String begin = prefix;
        String last = after;
        int most = limit;
        call.answer(() -> call.chunks().names().list(begin, last, most), false, found -> write(call, found));
    }

    private static void write(ChunkCall call, List<NamedChunk> found) {
        call.reply().array(2 * found.size());
        for (NamedChunk each : found) {
            call.reply().bulk(each.name());
            call.reply().bulk(Cid.toHex(each.cid()));
        }
    }
}
