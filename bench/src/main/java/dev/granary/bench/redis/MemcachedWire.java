package dev.granary.bench.redis;

import java.nio.ByteBuffer;

/** The text protocol of memcached, with the commands that all its clients know. */
public final class MemcachedWire extends Wire {

    private static final byte[] GET = ascii("get ");
    private static final byte[] DELETE = ascii("delete ");
    private static final byte[] SET = ascii("set ");
    private static final byte[] NO_FLAGS = ascii(" 0 ");
    private static final int BEHIND_VALUE = "\r\nEND\r\n".length();

    public MemcachedWire(int expirySeconds) {
        super(expirySeconds);
    }

    @Override
    void get(byte[] key, ByteBuffer out) {
        out.put(GET).put(key);
        line(out);
    }

    @Override
    void delete(byte[] key, ByteBuffer out) {
        out.put(DELETE).put(key);
        line(out);
    }

    @Override
    void beginSet(byte[] key, int expirySeconds, int valueBytes, ByteBuffer out) {
        out.put(SET).put(key).put(NO_FLAGS);
        decimal(expirySeconds, out);
        out.put((byte) ' ');
        decimal(valueBytes, out);
        line(out);
    }

    @Override
    boolean read(ByteBuffer in, Reply reply) {
        int end = lineEnd(in);
        if (end < 0) {
            return false;
        }
        if (in.get(in.position()) == 'V') {
            // VALUE key flags bytes
            int digits = end;
            while (in.get(digits - 1) != ' ') {
                digits--;
            }
            return value(in, end + 2, number(in, digits, end), BEHIND_VALUE, reply);
        }
        String text = text(in, in.position(), end);
        switch (text) {
            case "STORED", "DELETED" -> reply.is(Reply.Outcome.DONE);
            case "END", "NOT_FOUND" -> reply.is(Reply.Outcome.MISS);
            default -> reply.isError(text);
        }
        in.position(end + 2);
        return true;
    }
}
