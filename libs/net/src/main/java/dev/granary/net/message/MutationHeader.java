package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * The header of every request that changes chunks, little-endian.
 *
 * <pre>
 *  0          8          16                24       28
 *  +----------+----------+-----------------+--------+--------+
 *  | clientId | sequence | ackedSequence   | flags  | count  |
 *  +----------+----------+-----------------+--------+--------+
 *   int64      int64      int64             int32    int32
 * </pre>
 *
 * (clientId, sequence) is the request id: an owner that has already carried it out repeats its answer and changes
 * nothing (SAFETY rule "retries"). A client counts sequences from 1 for each storage peer and has seen the answers of
 * all up to ackedSequence, so the owner may forget those.
 *
 * @param clientId random, of one client instance; not 0
 * @param sequence of the request
 * @param ackedSequence all requests up to it are answered and will not be repeated
 * @param flags see the requests
 * @param count of chunks in the request
 */
public record MutationHeader(long clientId, long sequence, long ackedSequence, int flags, int count) {

    public static final int BYTES = 32;

    public void writeTo(ByteBuf out) {
        write(out, clientId, sequence, ackedSequence, flags, count);
    }

    /** Writes a header that is never an object. */
    public static void write(ByteBuf out, long clientId, long sequence, long ackedSequence, int flags, int count) {
        out.writeLongLE(clientId).writeLongLE(sequence).writeLongLE(ackedSequence);
        out.writeIntLE(flags).writeIntLE(count);
    }

    public static MutationHeader read(ByteBuf in) {
        return new MutationHeader(in.readLongLE(), in.readLongLE(), in.readLongLE(), in.readIntLE(), in.readIntLE());
    }
}
