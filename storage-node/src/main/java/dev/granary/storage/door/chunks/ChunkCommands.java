package dev.granary.storage.door.chunks;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.Place;
import dev.granary.env.Futures;
import dev.granary.overlay.Cid;
import dev.granary.resp.ReplyWriter;
import dev.granary.storage.door.keys.ComposedCommand;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code CHUNK.CREATE}, {@code GET}, {@code PUT}, {@code DEL}, and the same for several chunks: what is read and
 * changed by CID. The client of the storage peer asks the owners, so any door answers for any chunk. Chunks that keep
 * keys are there for nobody (ADR 0314).
 */
public final class ChunkCommands {

    private static final String OK = "OK";

    private ChunkCommands() {}

    /**
     * Returns all commands on chunks, by name; a subcommand with its container: {@code chunk.name|get}.
     *
     * @param chunks reaches owners and super-peers
     * @param room for values on their way
     */
    public static Map<String, ComposedCommand> all(AsyncGranaryClient chunks, ChunkRoom room) {
        Map<String, ChunkCall.Body> bodies = new HashMap<>();
        bodies.put("chunk.create", ChunkCommands::create);
        bodies.put("chunk.mcreate", ChunkCommands::createSeveral);
        bodies.put("chunk.get", ChunkCommands::get);
        bodies.put("chunk.mget", ChunkCommands::getSeveral);
        bodies.put("chunk.put", ChunkCommands::put);
        bodies.put("chunk.mput", ChunkCommands::putSeveral);
        bodies.put("chunk.del", ChunkCommands::delete);
        ChunkNames.addTo(bodies);
        ChunkLocks.addTo(bodies);
        Map<String, ComposedCommand> commands = new HashMap<>();
        bodies.forEach((name, body) -> commands.put(name, ChunkCall.command(chunks, room, body)));
        return commands;
    }

    private static void create(ChunkCall call) throws BadArgument {
        Place place = call.place(2);
        byte[] value = call.value(1);
        call.answer(() -> call.chunks().create(value, place), true, cid -> call.reply()
                .bulk(Cid.toHex(cid)));
    }

    private static void createSeveral(ChunkCall call) throws BadArgument {
        int number = (int) call.number(1, 1, call.count(), "the number of values");
        call.atLeast(2 + number);
        Place place = call.place(2 + number);
        List<byte[]> values = call.values(2, number, 1);
        call.answer(() -> call.chunks().createAll(values, place), true, call::cids);
    }

    private static void get(ChunkCall call) throws BadArgument {
        long cid = call.anyCid(1);
        if (ChunkCall.isOfKey(cid)) {
            call.answer(ReplyWriter::nothing);
            return;
        }
        call.takeRoom(1, 0);
        call.answer(
                () -> orNull(call.chunks().get(cid, new ChunkValue(call.share()))),
                false,
                (@Nullable ChunkValue found) -> {
                    byte[] bytes = found == null ? null : found.bytes();
                    if (found == null) {
                        call.reply().nothing();
                    } else if (bytes == null) {
                        call.reply().error(call.noRoom());
                    } else {
                        call.reply().bulk(bytes);
                    }
                });
    }

    /** A chunk that is not there is nothing, as a key is that is not there. */
    private static CompletableFuture<@Nullable ChunkValue> orNull(CompletableFuture<ChunkValue> get) {
        return get.<@Nullable ChunkValue>thenApply(found -> found)
                .exceptionallyCompose(failure -> Futures.causeOf(failure) instanceof ChunkNotFoundException
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(failure));
    }

    private static void getSeveral(ChunkCall call) throws BadArgument {
        long[] asked = call.anyCids(1, 1);
        long[] cids =
                LongStream.of(asked).filter(cid -> !ChunkCall.isOfKey(cid)).toArray();
        call.answer(
                () -> call.chunks().getObjects(cids, index -> new ChunkValue(call.share())),
                false,
                found -> writeSeveral(call, asked, found));
    }

    private static void writeSeveral(ChunkCall call, long[] asked, List<@Nullable ChunkValue> found) {
        if (found.stream().anyMatch(value -> value != null && value.bytes() == null)) {
            call.reply().error(call.noRoom());
            return;
        }
        long replyBytes = found.stream()
                .mapToLong(value -> value == null ? 0 : value.sizeBytes())
                .sum();
        if (replyBytes > call.mostReplyBytes()) {
            call.reply()
                    .error("ERR the reply would have more than " + call.mostReplyBytes()
                            + " bytes; ask for less at once");
            return;
        }
        call.reply().array(asked.length);
        int next = 0;
        for (long cid : asked) {
            ChunkValue value = ChunkCall.isOfKey(cid) ? null : found.get(next++);
            byte[] bytes = value == null ? null : value.bytes();
            if (bytes == null) {
                call.reply().nothing();
            } else {
                call.reply().bulk(bytes);
            }
        }
    }

    private static void put(ChunkCall call) throws BadArgument {
        long cid = call.cid(1);
        long token = call.token(3);
        byte[] value = call.value(2);
        call.answer(
                () -> token == 0
                        ? call.chunks().put(cid, value)
                        : call.chunks().heldLock(cid, token).put(value),
                true,
                done -> call.reply().simple(OK));
    }

    private static void putSeveral(ChunkCall call) throws BadArgument {
        if (call.count() % 2 == 0) {
            throw new BadArgument("ERR wrong number of arguments for 'chunk.mput' command: give a value for each CID");
        }
        long[] cids = call.cids(1, 2);
        if (LongStream.of(cids).distinct().count() < cids.length) {
            throw new BadArgument("ERR a chunk is named twice; nobody could say which value it gets");
        }
        List<byte[]> values = call.values(2, cids.length, 2);
        call.answer(() -> call.chunks().putAll(cids, values), true, outcomes -> writePut(call, cids, outcomes));
    }

    /** One for each chunk that has its value, zero for each that is not there. */
    private static void writePut(ChunkCall call, long[] cids, ChunkOutcome[] outcomes) {
        int full = Arrays.asList(outcomes).indexOf(ChunkOutcome.OUT_OF_MEMORY);
        if (full >= 0) {
            long put = Arrays.stream(outcomes)
                    .filter(outcome -> outcome == ChunkOutcome.OK)
                    .count();
            call.reply()
                    .error("OOM there is no room for the value of chunk " + Cid.toHex(cids[full]) + ": " + put + " of "
                            + cids.length + " chunks have their values. Delete chunks, or add storage peers.");
            return;
        }
        call.reply().array(cids.length);
        for (ChunkOutcome outcome : outcomes) {
            call.reply().integer(outcome == ChunkOutcome.OK ? 1 : 0);
        }
    }

    private static void delete(ChunkCall call) throws BadArgument {
        if (call.is(2, "token")) {
            deleteLocked(call);
            return;
        }
        long[] cids = LongStream.of(call.anyCids(1, 1))
                .filter(cid -> !ChunkCall.isOfKey(cid))
                .distinct()
                .toArray();
        call.answer(() -> call.chunks().deleteAll(cids), true, outcomes -> call.reply()
                .integer(Arrays.stream(outcomes)
                        .filter(outcome -> outcome == ChunkOutcome.OK)
                        .count()));
    }

    private static void deleteLocked(ChunkCall call) throws BadArgument {
        long cid = call.cid(1);
        AsyncChunkLock lock = call.chunks().heldLock(cid, call.token(2));
        call.answer(
                () -> lock.delete()
                        .thenApply(done -> 1)
                        .exceptionallyCompose(failure -> Futures.causeOf(failure) instanceof ChunkNotFoundException
                                ? CompletableFuture.completedFuture(0)
                                : CompletableFuture.failedFuture(failure)),
                true,
                deleted -> call.reply().integer(deleted));
    }
}
