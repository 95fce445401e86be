package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a decoder makes of bytes that come in pieces: the arguments of each request, and at the end the refusal, if
 * there is one. It fails if the decoder does not end, holds too much, or leaves memory behind.
 */
final class DecodedStream {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final List<String> seen = new ArrayList<>();
    private final RequestLimits limits;
    private final RequestDecoder decoder;
    private final int mostBytes;

    private DecodedStream(RequestLimits limits, boolean authenticated, int largestPiece) {
        this.limits = limits;
        decoder = new RequestDecoder(limits, allocator);
        decoder.authenticated(authenticated);
        // Buffers double when they grow, and begin with some bytes.
        mostBytes = 4 * (limits.requestBytes() + limits.lineBytes() + largestPiece) + 1024;
    }

    /** Decodes bytes that are cut at the given places, which rise. */
    static List<String> of(byte[] bytes, RequestLimits limits, boolean authenticated, int... cuts) {
        int largest = 0;
        int from = 0;
        int[] ends = Arrays.copyOf(cuts, cuts.length + 1);
        ends[cuts.length] = bytes.length;
        for (int end : ends) {
            largest = Math.max(largest, end - from);
            from = end;
        }
        DecodedStream stream = new DecodedStream(limits, authenticated, largest);
        from = 0;
        for (int end : ends) {
            stream.add(bytes, from, end);
            from = end;
        }
        stream.end();
        return stream.seen;
    }

    private void add(byte[] bytes, int from, int end) {
        ByteBuf piece = allocator.buffer(Math.max(1, end - from)).writeBytes(bytes, from, end - from);
        decoder.add(piece);
        int steps = 0;
        RequestDecoder.Step step;
        while ((step = decoder.next()) == RequestDecoder.Step.REQUEST) {
            if (++steps > bytes.length) {
                throw new AssertionError("more requests than bytes");
            }
            seen.add(Wire.arguments(decoder.request()).toString());
        }
        long used = allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
        if (used > mostBytes) {
            throw new AssertionError(used + " bytes are held, more than " + mostBytes + ", with " + limits);
        }
        if (step == RequestDecoder.Step.REFUSED
                && (seen.isEmpty() || !seen.getLast().startsWith("-"))) {
            seen.add("-" + decoder.refusal());
        }
    }

    private void end() {
        decoder.close();
        long left = allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes were not given back");
        }
    }
}
