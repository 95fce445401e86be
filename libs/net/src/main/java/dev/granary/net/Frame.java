package dev.granary.net;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The frame that carries every message, little-endian.
 *
 * <pre>
 *  0        4    5    6        8                16        20
 *  +--------+----+----+--------+----------------+---------+-----------------+
 *  | length |ver.|kind|  type  |  correlation   | CRC-32C | payload ...     |
 *  +--------+----+----+--------+----------------+---------+-----------------+
 *   int32    u8   u8   uint16   int64            int32
 * </pre>
 *
 * <ul>
 *   <li>length: bytes that follow the length field (16 + payload)
 *   <li>version: {@link #VERSION}; another version is refused by closing the connection
 *   <li>kind: 1 request, 2 reply, 3 error reply
 *   <li>type: a code of {@link dev.granary.net.message.MessageType}; a reply repeats its request's
 *   <li>correlation: chosen by the requester, repeated in the reply
 *   <li>CRC-32C: over bytes 0 to 15 and the payload
 * </ul>
 */
public final class Frame {

    public static final int VERSION = 1;

    public static final int LENGTH_OFFSET = 0;
    public static final int LENGTH_BYTES = 4;
    public static final int VERSION_OFFSET = 4;
    public static final int KIND_OFFSET = 5;
    public static final int TYPE_OFFSET = 6;
    public static final int CORRELATION_OFFSET = 8;
    public static final int CHECKSUM_OFFSET = 16;
    public static final int HEADER_BYTES = 20;

    /** The largest frame, header included; a longer one is refused by closing the connection. */
    public static final int MAX_BYTES = 16 << 20;

    /** The largest payload of a single chunk that fits into a frame together with its description. */
    public static final int MAX_CHUNK_BYTES = 8 << 20;

    public static final int KIND_REQUEST = 1;
    public static final int KIND_REPLY = 2;
    public static final int KIND_ERROR = 3;

    private Frame() {}

    /** Writes a header with length and checksum left open; the payload follows it. */
    public static void start(ByteBuf out, int kind, int type, long correlation) {
        out.writeIntLE(0).writeByte(VERSION).writeByte(kind).writeShortLE(type);
        out.writeLongLE(correlation).writeIntLE(0);
    }

    /**
     * Fills in length and checksum of a frame that begins at the buffer's reader index and ends at its writer index.
     *
     * @throws FrameException when the frame is larger than {@link #MAX_BYTES}
     */
    public static void finish(ByteBuf frame) {
        finish(frame, new CRC32C());
    }

    /** Does the same with a checksum of the caller's, which allocates nothing. */
    public static void finish(ByteBuf frame, CRC32C crc) {
        int start = frame.readerIndex();
        requireSize(frame);
        frame.setIntLE(start + LENGTH_OFFSET, frame.readableBytes() - LENGTH_BYTES);
        frame.setIntLE(start + CHECKSUM_OFFSET, checksum(frame, crc));
    }

    /**
     * Checks that a written frame is not too large.
     *
     * @throws FrameException when it is
     */
    public static void requireSize(ByteBuf frame) {
        int sizeBytes = frame.readableBytes();
        if (sizeBytes > MAX_BYTES) {
            throw new FrameException("a frame of " + sizeBytes + " bytes is larger than the limit of " + MAX_BYTES);
        }
    }

    /**
     * Checks length, version, kind and checksum of a received frame.
     *
     * @throws FrameException saying what is wrong; the connection it came from cannot be trusted any more
     */
    public static void check(ByteBuf frame) {
        check(frame, new CRC32C());
    }

    /** Does the same with a checksum of the caller's, which allocates nothing. */
    public static void check(ByteBuf frame, CRC32C crc) {
        int start = frame.readerIndex();
        int sizeBytes = frame.readableBytes();
        if (sizeBytes < HEADER_BYTES || sizeBytes > MAX_BYTES) {
            throw new FrameException(
                    "a frame of " + sizeBytes + " bytes is outside " + HEADER_BYTES + ".." + MAX_BYTES);
        }
        int length = frame.getIntLE(start + LENGTH_OFFSET);
        if (length != sizeBytes - LENGTH_BYTES) {
            throw new FrameException("a frame of " + sizeBytes + " bytes says its length is " + length);
        }
        int version = frame.getUnsignedByte(start + VERSION_OFFSET);
        if (version != VERSION) {
            throw new FrameException("frame version " + version + " is not supported, only " + VERSION + " is");
        }
        int kind = kind(frame);
        if (kind < KIND_REQUEST || kind > KIND_ERROR) {
            throw new FrameException("frame kind " + kind + " is unknown");
        }
        int found = checksum(frame, crc);
        int said = frame.getIntLE(start + CHECKSUM_OFFSET);
        if (found != said) {
            throw new FrameException(
                    "frame checksum 0x%08x does not match its content (0x%08x)".formatted(said, found));
        }
    }

    public static int kind(ByteBuf frame) {
        return frame.getUnsignedByte(frame.readerIndex() + KIND_OFFSET);
    }

    public static int type(ByteBuf frame) {
        return frame.getUnsignedShortLE(frame.readerIndex() + TYPE_OFFSET);
    }

    public static long correlation(ByteBuf frame) {
        return frame.getLongLE(frame.readerIndex() + CORRELATION_OFFSET);
    }

    private static int checksum(ByteBuf frame, CRC32C crc) {
        crc.reset();
        int sizeBytes = frame.readableBytes();
        if (frame.nioBufferCount() == 1) {
            // One view for both parts: a received frame is a slice, and each view of a slice is an allocation.
            ByteBuffer bytes = frame.internalNioBuffer(frame.readerIndex(), sizeBytes);
            int start = bytes.position();
            crc.update(bytes.limit(start + CHECKSUM_OFFSET));
            crc.update(bytes.limit(start + sizeBytes).position(start + HEADER_BYTES));
        } else {
            update(crc, frame, frame.readerIndex(), CHECKSUM_OFFSET);
            update(crc, frame, frame.readerIndex() + HEADER_BYTES, sizeBytes - HEADER_BYTES);
        }
        return (int) crc.getValue();
    }

    private static void update(CRC32C crc, ByteBuf frame, int from, int sizeBytes) {
        for (ByteBuffer part : frame.nioBuffers(from, sizeBytes)) {
            crc.update(part);
        }
    }
}
