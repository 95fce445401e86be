package dev.granary.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link Wire} of both protocols: {@link RespWire} and {@link MemcachedWire}. */
class WireTest {

    private static final byte[] KEY = "abcd".getBytes(StandardCharsets.US_ASCII);
    private static final Values VALUES = new Values(16, 16);

    private final Reply reply = new Reply();

    private static Wire wire(String protocol) {
        return protocol.equals("resp") ? new RespWire(0) : new MemcachedWire(0);
    }

    private static String written(Wire wire, long operation) {
        ByteBuffer out = ByteBuffer.allocate(1024);
        wire.write(operation, KEY, VALUES, out);
        return new String(out.array(), 0, out.position(), StandardCharsets.ISO_8859_1);
    }

    private static String value() {
        ByteBuffer value = ByteBuffer.allocate(16);
        VALUES.write(1, 0, value);
        return new String(value.array(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void write_resp_isAsClientsOfRedisWrite() {
        Wire wire = new RespWire(0);
        assertThat(written(wire, Operation.get(1))).isEqualTo("*2\r\n$3\r\nGET\r\n$4\r\nabcd\r\n");
        assertThat(written(wire, Operation.delete(1))).isEqualTo("*2\r\n$3\r\nDEL\r\n$4\r\nabcd\r\n");
        assertThat(written(wire, Operation.set(1, 0)))
                .isEqualTo("*3\r\n$3\r\nSET\r\n$4\r\nabcd\r\n$16\r\n" + value() + "\r\n");
        assertThat(written(new RespWire(600), Operation.set(1, 0)))
                .matches(
                        "(?s)\\*4\\r\\n\\$5\\r\\nSETEX\\r\\n\\$4\\r\\nabcd\\r\\n\\$[34]\\r\\n[0-9]{3,4}\\r\\n\\$16\\r\\n.*\\r\\n");
    }

    @Test
    void write_memcached_isAsItsClientsWrite() {
        Wire wire = new MemcachedWire(0);
        assertThat(written(wire, Operation.get(1))).isEqualTo("get abcd\r\n");
        assertThat(written(wire, Operation.delete(1))).isEqualTo("delete abcd\r\n");
        assertThat(written(wire, Operation.set(1, 0))).isEqualTo("set abcd 0 0 16\r\n" + value() + "\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "resp, '$3|xyz|', HIT",
        "resp, '$0||', HIT",
        "resp, '$-1|', MISS",
        "resp, '+OK|', DONE",
        "resp, ':1|', DONE",
        "resp, ':0|', MISS",
        "resp, '-ERR no|', ERROR",
        "memcached, 'VALUE abcd 0 3|xyz|END|', HIT",
        "memcached, 'END|', MISS",
        "memcached, 'STORED|', DONE",
        "memcached, 'DELETED|', DONE",
        "memcached, 'NOT_FOUND|', MISS",
        "memcached, 'NOT_STORED|', ERROR",
        "memcached, 'SERVER_ERROR out of memory|', ERROR",
        "memcached, 'ERROR|', ERROR"
    })
    void read_replyInTwoParts_isReadWhenAllOfItIsThere(String protocol, String text, Reply.Outcome outcome) {
        byte[] bytes = text.replace("|", "\r\n").getBytes(StandardCharsets.US_ASCII);
        Wire wire = wire(protocol);
        ByteBuffer in = ByteBuffer.allocate(bytes.length + 3).put(bytes).put(new byte[] {'+', '$', '\r'});
        for (int end = 0; end < bytes.length; end++) {
            in.position(0).limit(end);
            assertThat(wire.read(in, reply)).as("%d bytes", end).isFalse();
            assertThat(in.position()).isZero();
        }
        in.position(0).limit(in.capacity());
        assertThat(wire.read(in, reply)).isTrue();
        assertThat(in.position()).isEqualTo(bytes.length);
        assertThat(reply.outcome).isEqualTo(outcome);
        if (text.contains("xyz")) {
            assertThat(Wire.text(in, reply.valueAt, reply.valueAt + reply.valueLength))
                    .isEqualTo("xyz");
        }
        if (outcome == Reply.Outcome.ERROR) {
            assertThat(text).contains(reply.error);
        }
    }

    @Test
    void read_whatIsNoReply_isRefused() {
        ByteBuffer in = ByteBuffer.wrap("HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> new RespWire(0).read(in, reply)).isInstanceOf(IllegalArgumentException.class);
    }
}
