package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * What a storage peer holds.
 *
 * @param chunks number of chunks
 * @param payloadBytes their bytes
 * @param bookkeepingBytes all bytes of chunk memory in use that are not payload
 * @param usedBytes payload and bookkeeping
 * @param capacityBytes size of its chunk memory
 * @param copies copies of others' zones on its disk
 * @param logBytes that the logs on its disk take
 */
public record PeerStatistics(
        long chunks,
        long payloadBytes,
        long bookkeepingBytes,
        long usedBytes,
        long capacityBytes,
        long copies,
        long logBytes)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(chunks).writeLongLE(payloadBytes).writeLongLE(bookkeepingBytes);
        out.writeLongLE(usedBytes).writeLongLE(capacityBytes);
        out.writeLongLE(copies).writeLongLE(logBytes);
    }

    static PeerStatistics read(ByteBuf in) {
        return new PeerStatistics(
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE());
    }
}
