package dev.granary.storage.door.keys;

import dev.granary.resp.ReplyWriter;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The connection for which a request is carried out. Everything happens on its I/O thread. */
public interface Caller {

    DoorState door();

    Client client();

    ByteBufAllocator allocator();

    /** Returns where the reply goes. It is written in one go, right before {@link #done}. */
    ReplyWriter reply();

    /**
     * Has requests carried out, and goes on with what became of them; at once with a refusal when the client is gone.
     *
     * @param requests are given back by whoever carries them out
     * @param then gives back the replies
     */
    void call(int group, List<WatchedKey> watched, int count, ByteBuf requests, Consumer<GroupReply> then);

    /**
     * Goes on, on the I/O thread, when something has ended; also when the client is gone by then.
     *
     * @param then gets what came of it, or why it failed
     */
    <T> void await(CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> then);

    /** Returns whether the client is gone, so that nobody reads the reply. */
    boolean isGone();

    /** The reply is written. */
    void done();
}
