package dev.granary.access;

import dev.granary.net.FrameException;
import dev.granary.net.message.GroupCalls;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.KeyPositions;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Compares calls on slot groups with what a user may do: each request in them, and each watched key. Any thread. The
 * owner of the group reads the same bytes again.
 */
final class KeyedNeeds {

    private static final int SHOWN_BYTES = 64;

    private final RuleNames names;

    KeyedNeeds(RuleNames names) {
        this.names = names;
    }

    /** Returns why a call is refused, null when it is not. */
    @Nullable
    Denial one(User user, ByteBuf payload) {
        return call(user, payload.duplicate());
    }

    /** Returns why several calls are refused, null when none of them is. */
    @Nullable
    Denial several(User user, ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        int calls = GroupCalls.read(in).calls();
        Denial denial = null;
        for (int i = 0; denial == null && i < calls; i++) {
            int length = in.readIntLE();
            if (length <= 0 || length > in.readableBytes()) {
                throw new FrameException("a call has " + length + " bytes, of " + in.readableBytes());
            }
            denial = call(user, in.readSlice(length));
        }
        return denial;
    }

    private @Nullable Denial call(User user, ByteBuf in) {
        GroupCalls.Head head = GroupCalls.Head.read(in);
        Denial denial = null;
        for (int i = 0; denial == null && i < head.watched(); i++) {
            denial = watched(user, in);
        }
        return denial == null ? requests(user, in) : denial;
    }

    private @Nullable Denial watched(User user, ByteBuf in) {
        in.skipBytes(Long.BYTES);
        int length = in.readIntLE();
        if (length < 0 || length > in.readableBytes()) {
            throw new FrameException("a watched key has " + length + " bytes, of " + in.readableBytes());
        }
        int start = in.readerIndex();
        in.skipBytes(length);
        Command watch = names.find("watch");
        return watch != null && user.allowsToRead(watch, in, start, length)
                ? null
                : new Denial(
                        Denial.Reason.KEY,
                        in.toString(start, Math.min(length, SHOWN_BYTES), StandardCharsets.ISO_8859_1),
                        0);
    }

    private @Nullable Denial requests(User user, ByteBuf in) {
        // The decoder writes in what it reads, and the owner must find the same requests as this.
        ByteBuf copy = in.alloc().buffer(in.readableBytes()).writeBytes(in);
        KeyPositions places = new KeyPositions();
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, in.alloc())) {
            decoder.authenticated(true);
            decoder.add(copy);
            Denial denial = null;
            while (denial == null && decoder.next() == RequestDecoder.Step.REQUEST) {
                denial = request(user, decoder.request(), places);
            }
            return denial;
        }
    }

    private @Nullable Denial request(User user, Request request, KeyPositions places) {
        Command command = names.find(request);
        if (command == null) {
            return new Denial(Denial.Reason.COMMAND, request.text(0, SHOWN_BYTES), 0);
        }
        Denial denial = user.check(command, request, 0, places);
        boolean isOnAllKeys = user.root().allKeys() && user.selectors().isEmpty();
        // Where keys cannot be told from the other arguments, they may be any.
        return denial == null && !isOnAllKeys && command.hasKeys() && !places.find(command, request)
                ? new Denial(Denial.Reason.KEY, command.name(), 0)
                : denial;
    }
}
