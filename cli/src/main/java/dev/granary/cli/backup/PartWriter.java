package dev.granary.cli.backup;

import dev.granary.client.NamedChunk;
import dev.granary.client.admin.BackedUpKey;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/** Collects blocks into one part of a cluster backup. Not thread-safe. */
final class PartWriter {

    private final ByteBuf out = Unpooled.buffer(1 << 20);
    private long chunks;
    private long payloadBytes;
    private long names;
    private long keys;

    PartWriter() {
        out.writeBytes(PartFormat.MAGIC).writeIntLE(PartFormat.VERSION);
    }

    /** The size of the part so far. */
    int sizeBytes() {
        return out.readableBytes();
    }

    boolean isEmpty() {
        return out.readableBytes() == PartFormat.HEADER_BYTES;
    }

    long chunks() {
        return chunks;
    }

    void add(ChunkBlock block) {
        int start = begin(PartFormat.CHUNKS);
        out.writeShortLE(block.owner()).writeLongLE(block.startCid()).writeLongLE(block.endCidInclusive());
        out.writeIntLE(block.cids().length);
        for (long cid : block.cids()) {
            out.writeIntLE((int) (cid - block.startCid()));
        }
        for (int size : block.sizes()) {
            out.writeIntLE(size);
        }
        out.writeBytes(block.payload());
        end(start);
        chunks += block.cids().length;
        payloadBytes += block.payloadBytes();
    }

    void addNames(List<NamedChunk> more) {
        int start = begin(PartFormat.NAMES);
        out.writeIntLE(more.size());
        for (NamedChunk name : more) {
            byte[] utf8 = name.name().getBytes(StandardCharsets.UTF_8);
            out.writeShortLE(utf8.length).writeBytes(utf8).writeLongLE(name.cid());
        }
        end(start);
        names += more.size();
    }

    void add(KeyBlock block) {
        int start = begin(PartFormat.KEYS);
        out.writeShortLE(block.group()).writeIntLE(block.keys().size());
        for (BackedUpKey key : block.keys()) {
            out.writeLongLE(key.expiresAtMillis());
            out.writeIntLE(key.key().length).writeBytes(key.key());
            out.writeIntLE(key.value().length).writeBytes(key.value());
        }
        end(start);
        keys += block.keys().size();
    }

    /** Ends the part. */
    byte[] finish() {
        int start = begin(PartFormat.END);
        out.writeLongLE(chunks).writeLongLE(payloadBytes).writeLongLE(names);
        if (keys > 0) {
            out.writeLongLE(keys);
        }
        end(start);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    private int begin(int kind) {
        int start = out.writerIndex();
        out.writeIntLE(0).writeIntLE(0).writeByte(kind);
        return start;
    }

    private void end(int start) {
        int content = start + PartFormat.FRAME_BYTES;
        int length = out.writerIndex() - content;
        CRC32C checksum = new CRC32C();
        checksum.update(out.array(), out.arrayOffset() + content, length);
        out.setIntLE(start, length).setIntLE(start + Integer.BYTES, (int) checksum.getValue());
    }
}
