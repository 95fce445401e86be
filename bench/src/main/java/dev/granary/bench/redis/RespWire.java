package dev.granary.bench.redis;

import java.nio.ByteBuffer;

/** The protocol of Redis, RESP2. */
public final class RespWire extends Wire {

    private static final byte[] GET = ascii("*2\r\n$3\r\nGET\r\n$");
    private static final byte[] DELETE = ascii("*2\r\n$3\r\nDEL\r\n$");
    private static final byte[] SET = ascii("*3\r\n$3\r\nSET\r\n$");
    private static final byte[] SET_EXPIRING = ascii("*4\r\n$5\r\nSETEX\r\n$");

    public RespWire(int expirySeconds) {
        super(expirySeconds);
    }

    private static void command(byte[] command, byte[] key, ByteBuffer out) {
        out.put(command);
        decimal(key.length, out);
        line(out);
        out.put(key);
        line(out);
    }

    @Override
    void get(byte[] key, ByteBuffer out) {
        command(GET, key, out);
    }

    @Override
    void delete(byte[] key, ByteBuffer out) {
        command(DELETE, key, out);
    }

    @Override
    void beginSet(byte[] key, int expirySeconds, int valueBytes, ByteBuffer out) {
        if (expirySeconds == 0) {
            command(SET, key, out);
        } else {
            command(SET_EXPIRING, key, out);
            String seconds = Integer.toString(expirySeconds);
            out.put(ascii("$" + seconds.length() + "\r\n" + seconds + "\r\n"));
        }
        out.put((byte) '$');
        decimal(valueBytes, out);
        line(out);
    }

    @Override
    boolean read(ByteBuffer in, Reply reply) {
        int end = lineEnd(in);
        if (end < 0) {
            return false;
        }
        int from = in.position() + 1;
        switch (in.get(in.position())) {
            case '$' -> {
                int length = number(in, from, end);
                if (length >= 0) {
                    return value(in, end + 2, length, 2, reply);
                }
                reply.is(Reply.Outcome.MISS);
            }
            case '+' -> reply.is(Reply.Outcome.DONE);
            case ':' -> reply.is(number(in, from, end) == 0 ? Reply.Outcome.MISS : Reply.Outcome.DONE);
            case '-' -> reply.isError(text(in, from, end));
            default -> throw new IllegalArgumentException("no reply of RESP: " + text(in, from - 1, end));
        }
        in.position(end + 2);
        return true;
    }
}
