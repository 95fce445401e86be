package dev.granary.net.access;

import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What the user of one connection may do. */
public interface UserRights {

    /**
     * Returns why a request is refused, or null when it may be carried out. On the connection's I/O thread; a user
     * without limits costs no allocation.
     *
     * @param type the code of a {@link MessageType}
     * @param payload of the request; its reader index stays where it is
     */
    @Nullable
    ErrorReply refusal(int type, ByteBuf payload);

    /** Returns whether a password has proved the user, so that its rights say what it may administer. */
    boolean mayAdminister();
}
