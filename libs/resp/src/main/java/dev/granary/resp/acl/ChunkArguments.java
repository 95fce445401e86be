package dev.granary.resp.acl;

import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandFlag;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that a request of the commands {@code CHUNK.*} is about. One that changes something needs to write them,
 * any other one to read them. What cannot be told from the arguments is all chunks: where a create goes that names no
 * storage peer, and names, which are one space for all chunks.
 *
 * @param begin the argument of the request at which it begins
 */
record ChunkArguments(Command command, Request request, int begin) {

    private static final String ALL = "*";
    private static final String HEX_PREFIX = "0x";
    private static final int LONGEST_BYTES = 18;
    private static final int NID_DIGITS = 4;
    private static final int CID_DIGITS = 16;

    /** Returns the first of the chunks that some permissions do not allow; null when they allow all. */
    @Nullable
    String lacks(Selector permissions) {
        return switch (command.name()) {
            case "chunk.get", "chunk.lock", "chunk.lockinfo", "chunk.put", "chunk.renew", "chunk.unlock" ->
                cids(permissions, 1, 1, request.count() - begin);
            case "chunk.mget" -> cids(permissions, Integer.MAX_VALUE, 1, request.count() - begin);
            case "chunk.mput" -> cids(permissions, Integer.MAX_VALUE, 2, request.count() - begin);
            case "chunk.del" -> cids(permissions, hasToken() ? 1 : Integer.MAX_VALUE, 1, request.count() - begin);
            case "chunk.create" -> place(permissions, 2);
            case "chunk.mcreate" -> place(permissions, 2 + request.number(begin + 1, -1));
            default -> chunks(permissions, 0, -1, ALL);
        };
    }

    private boolean hasToken() {
        return begin + 2 < request.count() && request.is(begin + 2, "token");
    }

    /** Looks at CIDs, at most so many, each so far behind the other. */
    private @Nullable String cids(Selector permissions, int most, int step, int arguments) {
        String lack = null;
        for (int i = 0, at = 1; lack == null && i < most && at < arguments; i++, at += step) {
            String cid = digits(begin + at, CID_DIGITS);
            long value = cid == null ? 0 : HexFormat.fromHexDigitsToLong(cid);
            lack = cid == null ? chunks(permissions, 0, -1, ALL) : chunks(permissions, value, value, cid);
        }
        return lack;
    }

    /** Looks at the place where chunks are created: {@code ON NID}, or any other one. */
    private @Nullable String place(Selector permissions, long argument) {
        long at = begin + argument;
        String nid = at >= begin + 1 && at + 2 == request.count() && request.is((int) at, "on")
                ? digits((int) at + 1, NID_DIGITS)
                : null;
        if (nid == null) {
            return chunks(permissions, 0, -1, ALL);
        }
        long value = HexFormat.fromHexDigitsToLong(nid);
        return chunks(permissions, ChunkRange.firstOf(value), ChunkRange.lastOf(value), nid);
    }

    private @Nullable String chunks(Selector permissions, long from, long to, String name) {
        boolean isChange = command.flags().contains(CommandFlag.WRITE);
        return permissions.allowsChunks(!isChange, isChange, from, to) ? null : "^" + name;
    }

    /** Returns a number of at most so many hexadecimal digits, or null for whatever else an argument is. */
    private @Nullable String digits(int argument, int count) {
        if (request.length(argument) > LONGEST_BYTES) {
            return null;
        }
        String text = request.text(argument);
        String digits = text.startsWith(HEX_PREFIX) ? text.substring(HEX_PREFIX.length()) : text;
        boolean isNumber =
                !digits.isEmpty() && digits.length() <= count && digits.chars().allMatch(HexFormat::isHexDigit);
        return isNumber ? digits : null;
    }
}
