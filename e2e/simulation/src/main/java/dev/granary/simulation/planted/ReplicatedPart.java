package dev.granary.simulation.planted;

import dev.granary.log.batch.Batch;
import dev.granary.log.batch.BatchWriter;
import dev.granary.net.message.ReplicationMessages.Replicate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What an owner sends to a backup for one zone in one request. */
record ReplicatedPart(int zone, long epoch, long acknowledged, List<Batch> batches) {

    /** Starts the batch that replaces another one, and writes its entries. */
    interface Rewriter {
        void write(Batch batch, BatchWriter writer);
    }

    /** Reads all parts behind the header of a request. */
    static List<ReplicatedPart> readAll(Replicate header, ByteBuf in) {
        List<ReplicatedPart> parts = new ArrayList<>();
        for (int i = 0; i < header.zones(); i++) {
            int zone = in.readIntLE();
            long epoch = in.readLongLE();
            long acknowledged = in.readLongLE();
            parts.add(new ReplicatedPart(zone, epoch, acknowledged, readBatches(in.readSlice(in.readIntLE()))));
        }
        return parts;
    }

    private static List<Batch> readBatches(ByteBuf in) {
        List<Batch> batches = new ArrayList<>();
        while (in.isReadable()) {
            int start = in.readerIndex();
            in.skipBytes(Integer.BYTES + 1); // checksum and kind
            long size = varint(in);
            in.skipBytes((int) size);
            byte[] bytes = new byte[in.readerIndex() - start];
            in.getBytes(start, bytes);
            batches.add(Objects.requireNonNull(Batch.of(ByteBuffer.wrap(bytes)), "a batch that is not intact"));
        }
        return batches;
    }

    private static long varint(ByteBuf in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.readByte();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    /** Appends this part with rewritten batches. */
    void writeTo(ByteBuf out, Rewriter rewriter) {
        ByteBuf bytes = Unpooled.buffer();
        BatchWriter writer = new BatchWriter();
        for (Batch batch : batches) {
            rewriter.write(batch, writer);
            bytes.writeBytes(writer.finish());
        }
        out.writeIntLE(zone).writeLongLE(epoch).writeLongLE(acknowledged);
        out.writeIntLE(bytes.readableBytes());
        out.writeBytes(bytes);
    }
}
