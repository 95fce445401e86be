package dev.granary.storage.door.chunks;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.Place;
import dev.granary.net.Frame;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.overlay.name.NameTrie;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.storage.door.keys.Caller;
import dev.granary.storage.door.keys.ComposedCommand;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A request about chunks: its arguments, and its way to owners and back. I/O thread only. */
final class ChunkCall {

    /** Carries out requests of one command. */
    @FunctionalInterface
    interface Body {

        /**
         * Begins to carry out a request, or answers it. All that is needed of it is copied when this returns.
         *
         * @throws BadArgument before anything was done
         */
        void run(ChunkCall call) throws BadArgument;
    }

    /** No CID is longer; nothing longer is shown in an error. */
    private static final int SHOWN_BYTES = 32;

    private static final int MOST_NAME_BYTES = NameTrie.MAX_NAME_BYTES;

    private static final String SYNTAX = "ERR syntax error";

    private static final String CID_HELP = "give a CID as CHUNK.CREATE answers it, such as 0x8000000000000001";

    private final Caller caller;
    private final Request request;
    private final AsyncGranaryClient chunks;
    private final ChunkRoom room;
    private final ChunkRoom.Share share;

    private ChunkCall(Caller caller, Request request, AsyncGranaryClient chunks, ChunkRoom room) {
        this.caller = caller;
        this.request = request;
        this.chunks = chunks;
        this.room = room;
        this.share = room.share();
    }

    static ComposedCommand command(AsyncGranaryClient chunks, ChunkRoom room, Body body) {
        return (caller, request) -> {
            ChunkCall call = new ChunkCall(caller, request, chunks, room);
            try {
                body.run(call);
            } catch (BadArgument e) {
                call.share.close();
                caller.reply().error(String.valueOf(e.getMessage()));
                caller.done();
            }
        };
    }

    AsyncGranaryClient chunks() {
        return chunks;
    }

    ChunkRoom.Share share() {
        return share;
    }

    /** Returns whether the client has closed its connection. */
    boolean isGone() {
        return caller.isGone();
    }

    ReplyWriter reply() {
        return caller.reply();
    }

    int count() {
        return request.count();
    }

    boolean is(int argument, String word) {
        return argument < request.count() && request.is(argument, word);
    }

    /** Fails unless the request ends before an argument. */
    void end(int argument) throws BadArgument {
        if (argument != request.count()) {
            throw syntax();
        }
    }

    /** Returns the error for arguments that no command has. */
    BadArgument syntax() {
        return new BadArgument(SYNTAX);
    }

    /** Fails unless the request has so many arguments. */
    void atLeast(int arguments) throws BadArgument {
        if (request.count() < arguments) {
            throw syntax();
        }
    }

    /** Fails unless there is such an argument. */
    private void need(int argument) throws BadArgument {
        if (argument >= request.count()) {
            throw syntax();
        }
    }

    /** Returns a CID of a chunk that is no part of a key. */
    long cid(int argument) throws BadArgument {
        long cid = anyCid(argument);
        if (isOfKey(cid)) {
            throw new BadArgument(ChunkErrors.text(new ChunkNotFoundException(cid), false));
        }
        return cid;
    }

    /** Returns whatever CID is given, also one of a slot group, where there are no chunks for anybody but keys. */
    long anyCid(int argument) throws BadArgument {
        need(argument);
        String text = request.text(argument, SHOWN_BYTES);
        long cid;
        try {
            cid = request.length(argument) > SHOWN_BYTES ? Cid.NONE : Cid.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadArgument("ERR invalid CID '" + text + "': " + CID_HELP);
        }
        if (cid == Cid.NONE) {
            throw new BadArgument("ERR invalid CID '" + text + "': " + CID_HELP);
        }
        return cid;
    }

    /** Returns the CIDs from an argument to the end, each so many arguments behind the other. */
    long[] anyCids(int first, int step) throws BadArgument {
        long[] cids = new long[(count() - first + step - 1) / step];
        takeRoom(cids.length, 0);
        for (int i = 0; i < cids.length; i++) {
            cids[i] = anyCid(first + i * step);
        }
        return cids;
    }

    /** Returns the same for chunks that are no part of keys. */
    long[] cids(int first, int step) throws BadArgument {
        long[] cids = anyCids(first, step);
        for (int i = 0; i < cids.length; i++) {
            cids[i] = cid(first + i * step);
        }
        return cids;
    }

    /** Returns the token of a lock, from an argument to the end: {@code TOKEN token}; 0 if the request ends there. */
    long token(int argument) throws BadArgument {
        if (argument == count()) {
            return 0;
        }
        end(argument + 2);
        if (!is(argument, "token")) {
            throw syntax();
        }
        return number(argument + 1, 1, Long.MAX_VALUE, "the token of a lock");
    }

    static boolean isOfKey(long cid) {
        return SlotGroup.isGroup(Cid.nid(cid));
    }

    /** Returns where new chunks go, from an argument to the end: nothing, {@code NEAR cid} or {@code ON nid}. */
    Place place(int argument) throws BadArgument {
        if (argument == count()) {
            return Place.anywhere();
        }
        end(argument + 2);
        if (is(argument, "near")) {
            return Place.near(cid(argument + 1));
        }
        if (!is(argument, "on")) {
            throw syntax();
        }
        String text = request.text(argument + 1, SHOWN_BYTES);
        int nid;
        try {
            nid = Nid.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadArgument(
                    "ERR invalid NID '" + text + "': give a NID as CLUSTER MYID ends with, such as 0x8000");
        }
        if (SlotGroup.isGroup(nid)) {
            throw new BadArgument("ERR NID " + Nid.toHex(nid) + " is of no storage peer: keys are kept there");
        }
        return Place.on(nid);
    }

    long number(int argument, long least, long most, String what) throws BadArgument {
        need(argument);
        long value = request.number(argument, Long.MIN_VALUE);
        if (value < least || value > most) {
            throw new BadArgument("ERR " + what + " must be a number from " + least + " to " + most);
        }
        return value;
    }

    /** Returns a name: 1 to 1024 bytes of UTF-8. */
    String name(int argument, boolean mayBeEmpty) throws BadArgument {
        need(argument);
        int length = request.length(argument);
        if (length > MOST_NAME_BYTES || (length == 0 && !mayBeEmpty)) {
            throw new BadArgument("ERR a name has 1 to " + MOST_NAME_BYTES + " bytes; this one has " + length);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes(argument)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BadArgument("ERR a name must be UTF-8");
        }
    }

    private byte[] bytes(int argument) {
        byte[] bytes = new byte[request.length(argument)];
        request.buffer().getBytes(request.start(argument), bytes);
        return bytes;
    }

    /** Returns a value, for which there must be room. */
    byte[] value(int argument) throws BadArgument {
        need(argument);
        int length = request.length(argument);
        if (length > Frame.MAX_CHUNK_BYTES) {
            throw new BadArgument("ERR a chunk has at most " + Frame.MAX_CHUNK_BYTES + " bytes; this value has "
                    + length + ": spread it over several chunks");
        }
        takeRoom(1, length);
        return bytes(argument);
    }

    /** Takes room for chunks, or refuses the request. */
    void takeRoom(int number, long valueBytes) throws BadArgument {
        if (!share.take(number, valueBytes)) {
            throw new BadArgument(noRoom());
        }
    }

    /** Returns the error for chunks for which there is no room. */
    String noRoom() {
        return share.isTooLarge()
                ? "ERR the chunks of this request take more than the " + room.mostBytes()
                        + " bytes that this door has for all requests; ask for less at once"
                : "TRYAGAIN the chunks of other requests take most of the " + room.mostBytes()
                        + " bytes that this door has for them; try again";
    }

    /** Returns how many bytes a client may leave unread. A larger reply would cost it its connection. */
    int mostReplyBytes() {
        return caller.door().config().limits().replyBytes();
    }

    /** Ends the request with a reply that is known at once. */
    void answer(Consumer<ReplyWriter> writer) {
        share.close();
        writer.accept(caller.reply());
        caller.done();
    }

    /**
     * Begins something, and answers when it has ended.
     *
     * @param isChange whether it may change something
     * @param writer writes the reply to what came of it
     */
    <T> void answer(Supplier<CompletableFuture<T>> operation, boolean isChange, Consumer<T> writer) {
        caller.await(begin(operation), (value, failure) -> {
            try (share) {
                if (failure != null) {
                    caller.reply().error(ChunkErrors.text(failure, isChange));
                } else {
                    writer.accept(value);
                }
            }
            caller.done();
        });
    }

    private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> operation) {
        try {
            return operation.get();
        } catch (RuntimeException e) {
            // A client that is being closed. What the request has taken must not stay taken.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Answers CIDs. */
    void cids(long[] cids) {
        caller.reply().array(cids.length);
        for (long cid : cids) {
            caller.reply().bulk(Cid.toHex(cid));
        }
    }

    /** Returns the values of so many arguments from one on. */
    List<byte[]> values(int first, int number, int step) throws BadArgument {
        byte[][] values = new byte[number][];
        for (int i = 0; i < number; i++) {
            values[i] = value(first + i * step);
        }
        return List.of(values);
    }
}
