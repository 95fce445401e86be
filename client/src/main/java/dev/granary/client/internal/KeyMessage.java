package dev.granary.client.internal;

import dev.granary.client.ClientOptions;
import dev.granary.net.FrameException;
import dev.granary.net.message.GroupCalls;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Reply;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A message with requests on keys to one owner, and its answer ({@link GroupCalls}).
 *
 * @param requests all requests of the batch
 * @param parts which of them are in the message
 */
record KeyMessage(List<KeyRequest> requests, List<Part> parts) {

    /**
     * Requests on keys of one slot group.
     *
     * @param open whether the group is to be opened if nobody has it
     * @param indexes of the requests
     */
    @SuppressWarnings("ArrayRecordComponent") // It is read, never compared.
    record Part(int group, boolean open, int[] indexes) {

        private Part slice(int from, int to) {
            return new Part(group, open, Arrays.copyOfRange(indexes, from, to));
        }
    }

    /**
     * What became of a part.
     *
     * @param outcome one of {@link GroupCalls}
     * @param replies of the first requests of the part, if it was carried out
     * @param text why it was not
     */
    record Answer(int outcome, List<Reply> replies, String text) {}

    /** Cuts the parts for one owner into messages within the limits of a request. */
    static List<KeyMessage> cut(List<KeyRequest> requests, List<Part> parts, ClientOptions options) {
        List<KeyMessage> messages = new ArrayList<>();
        List<Part> message = new ArrayList<>();
        int count = 0;
        long bytes = 0;
        for (Part part : parts) {
            int from = 0;
            for (int i = 0; i < part.indexes.length; i++) {
                int sizeBytes = requests.get(part.indexes[i]).maxBytes();
                boolean full = count == options.requestChunks() || bytes + sizeBytes > options.requestBytes();
                if (count > 0 && full) {
                    if (i > from) {
                        message.add(part.slice(from, i));
                    }
                    messages.add(new KeyMessage(requests, message));
                    message = new ArrayList<>();
                    count = 0;
                    bytes = 0;
                    from = i;
                }
                count++;
                bytes += sizeBytes;
            }
            message.add(part.slice(from, part.indexes.length));
        }
        messages.add(new KeyMessage(requests, message));
        return messages;
    }

    void write(int flags, ByteBuf out) {
        new GroupCalls(flags, parts.size()).writeTo(out);
        for (Part part : parts) {
            int start = out.writerIndex();
            out.writeIntLE(0);
            write(part, out);
            out.setIntLE(start, out.writerIndex() - start - Integer.BYTES);
        }
    }

    private void write(Part part, ByteBuf out) {
        int commands = 0;
        int maxBytes = 0;
        List<KeyRequest> watched = new ArrayList<>();
        for (int index : part.indexes) {
            KeyRequest request = requests.get(index);
            commands += request.commands().size();
            maxBytes += request.maxBytes();
            if (request.mark() != null) {
                watched.add(request);
            }
        }
        out.ensureWritable(GroupCalls.Head.BYTES + maxBytes);
        int flags = part.open ? GroupCalls.Head.OPEN : 0;
        new GroupCalls.Head(SlotGroup.nid(part.group), flags, commands, watched.size()).writeTo(out);
        for (KeyRequest request : watched) {
            Long mark = request.mark();
            out.writeLongLE(mark == null ? 0 : mark)
                    .writeIntLE(request.key().length)
                    .writeBytes(request.key());
        }
        for (int index : part.indexes) {
            requests.get(index).writeTo(out);
        }
    }

    /** Reads the answer, one for each part. */
    List<Answer> read(ByteBuf in) {
        int count = in.readIntLE();
        if (count != parts.size()) {
            throw new FrameException(parts.size() + " calls on slot groups were answered for " + count);
        }
        List<Answer> answers = new ArrayList<>(count);
        for (Part part : parts) {
            answers.add(read(part, in.readSlice(in.readIntLE())));
        }
        return answers;
    }

    private Answer read(Part part, ByteBuf in) {
        int outcome = in.readUnsignedByte();
        if (outcome != GroupCalls.DONE) {
            return new Answer(outcome, List.of(), in.toString(StandardCharsets.UTF_8));
        }
        List<Reply> replies = new ArrayList<>(part.indexes.length);
        for (int i = 0; i < part.indexes.length && in.isReadable(); i++) {
            replies.add(reply(requests.get(part.indexes[i]), in));
        }
        if (replies.isEmpty() || in.isReadable()) {
            throw new FrameException("a call with " + part.indexes.length + " requests has " + replies.size()
                    + " replies, and " + in.readableBytes() + " bytes behind them");
        }
        return new Answer(outcome, replies, "");
    }

    private static Reply reply(KeyRequest request, ByteBuf in) {
        List<Reply> replies = new ArrayList<>(request.commands().size());
        for (int i = 0; i < request.commands().size(); i++) {
            Reply reply = Reply.read(in);
            if (reply == null) {
                throw new FrameException("a reply for a key ends too early");
            }
            replies.add(reply);
        }
        return replies.size() == 1 ? replies.getFirst() : new Reply.Elements(replies);
    }
}
