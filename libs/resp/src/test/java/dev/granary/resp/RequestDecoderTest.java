package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.resp.RequestDecoder.Step;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestDecoderTest {

    private static final RequestLimits SMALL = new RequestLimits(8, 100, 150, 60, 3, 10);

    /** All that a pipeline may have, within the small limits. */
    private static final String PIPELINE = Wire.array("SET", "k", "v".repeat(100))
            + "\r\nget \"k\\x41\"\n*0\r\n" + Wire.array("GET", "") + "  ping\r\n*-1\r\n"
            + Wire.array("MGET", "a", "\r\n$1\r\n", "*", "d");

    private static final List<String> ITS_REQUESTS = List.of(
            "[SET, k, " + "v".repeat(100) + "]", "[get, kA]", "[GET, ]", "[ping]", "[MGET, a, \r\n$1\r\n, *, d]");

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final RequestDecoder decoder = new RequestDecoder(SMALL, allocator);

    @AfterEach
    void nothingIsLeft() {
        decoder.close();
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    private ByteBuf bytes(String text) {
        return allocator.buffer(Math.max(1, text.length())).writeBytes(Wire.bytes(text));
    }

    @Test
    void next_pipelineSplitInTwoOrThreeAnywhere_givesTheSameRequests() {
        byte[] all = Wire.bytes(PIPELINE);
        for (int first = 0; first <= all.length; first++) {
            for (int second = first; second <= all.length; second++) {
                assertThat(DecodedStream.of(all, SMALL, true, first, second))
                        .as("cut at %d and %d", first, second)
                        .isEqualTo(ITS_REQUESTS);
            }
        }
    }

    @Test
    void next_everythingRead_holdsNothing() {
        decoder.add(bytes(Wire.array("GET", "k")));
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        assertThat(decoder.heldBytes()).isPositive();
        assertThat(decoder.next()).isEqualTo(Step.MORE);
        assertThat(decoder.heldBytes()).isZero();
    }

    @Test
    void writeTo_arraysAndInlineRequests_areArrays() {
        decoder.add(bytes(Wire.array("GET", "k") + "set \"a b\" 'c'\r\n"));
        ByteBuf out = allocator.buffer();
        while (decoder.next() == Step.REQUEST) {
            decoder.request().writeTo(out);
        }
        assertThat(Wire.text(out)).isEqualTo(Wire.array("GET", "k") + Wire.array("set", "a b", "c"));
        out.release();
    }

    @Test
    void next_pipelineByteByByte_givesTheSameRequests() {
        int[] cuts = new int[PIPELINE.length()];
        for (int i = 0; i < cuts.length; i++) {
            cuts[i] = i;
        }
        assertThat(DecodedStream.of(Wire.bytes(PIPELINE), SMALL, true, cuts)).isEqualTo(ITS_REQUESTS);
    }

    @Test
    void next_wholeRequests_areNotCopied() {
        ByteBuf sent = bytes(Wire.array("GET", "a") + Wire.array("GET", "b"));
        decoder.add(sent);
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        assertThat(decoder.request().buffer()).isSameAs(sent);
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        assertThat(decoder.request().buffer()).isSameAs(sent);
        assertThat(decoder.request().text(1)).isEqualTo("b");
        assertThat(decoder.next()).isEqualTo(Step.MORE);
    }

    @Test
    void next_thousandsOfRequests_allocatesNothing() {
        decoder.authenticated(true);
        byte[] pipeline =
                Wire.bytes(Wire.array("SET", "key:0123456789", "value").repeat(5_000));
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            decoder.add(Unpooled.wrappedBuffer(pipeline));
            long before = threads.getCurrentThreadAllocatedBytes();
            int requests = 0;
            while (decoder.next() == Step.REQUEST) {
                requests += decoder.request().count() / 3;
            }
            allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
            assertThat(requests).isEqualTo(5_000);
        }
        assertThat(allocated).isLessThan(5_000);
    }

    @Test
    void request_viewedOrCopied_holdsWhenTheDecoderHasGoneOn() {
        ByteBuf sent = bytes(Wire.array("GET", "a") + "\"in\\x41\" line\r\n" + Wire.array("GE"));
        decoder.add(sent.retain());
        decoder.next();
        Request viewed = decoder.request().view();
        Request copied = decoder.request().copy(allocator);
        decoder.next();
        Request inline = decoder.request().view();
        decoder.add(bytes(Wire.array("x".repeat(90))));
        while (decoder.next() == Step.REQUEST) {
            assertThatThrownBy(decoder.request()::release).isInstanceOf(IllegalStateException.class);
        }
        assertThat(Wire.arguments(viewed)).containsExactly("GET", "a");
        assertThat(Wire.arguments(copied)).containsExactly("GET", "a");
        assertThat(copied.buffer().capacity()).isEqualTo(copied.sizeBytes());
        assertThat(Wire.arguments(inline)).containsExactly("inA", "line");
        assertThatThrownBy(viewed::release).isInstanceOf(IllegalStateException.class);
        copied.release();
        sent.release();
    }

    @Test
    void request_wordsAndNumbers_areReadInPlace() {
        decoder.add(bytes(Wire.array("gEt", "-12", "12x")));
        decoder.next();
        Request request = decoder.request();
        assertThat(request.is(0, "get")).isTrue();
        assertThat(request.is(0, "get2")).isFalse();
        assertThat(request.is(0, "set")).isFalse();
        assertThat(request.number(1, 7)).isEqualTo(-12);
        assertThat(request.number(2, 7)).isEqualTo(7);
        assertThat(request.text(2, 2)).isEqualTo("12");
        assertThatThrownBy(() -> request.start(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void request_beforeThereIsOne_isRefused() {
        assertThatThrownBy(decoder::request).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(decoder::refusal).isInstanceOf(IllegalStateException.class);
        decoder.add(bytes("*1"));
        assertThat(decoder.next()).isEqualTo(Step.MORE);
        assertThatThrownBy(decoder::request).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void authenticated_betweenTwoRequests_countsForTheSecond() {
        decoder.add(bytes(Wire.array("AUTH", "secret") + Wire.array("MGET", "a", "b", "c")));
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        decoder.authenticated(true);
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        assertThat(decoder.request().count()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | *9 CRLF            | invalid multibulk length",
                "true  | *2x CRLF           | invalid multibulk length",
                "false | *4 CRLF            | unauthenticated multibulk length",
                "true  | *1 CRLF $101 CRLF  | invalid bulk length",
                "true  | *1 CRLF $-1 CRLF   | invalid bulk length",
                "false | *1 CRLF $11 CRLF   | unauthenticated bulk length",
                "true  | *1 CRLF :1 CRLF    | expected '$', got ':'",
                "true  | *2 CRLF $3 CRLF GET CRLF GET CRLF | expected '$', got 'G'",
                "true  | a 'b CRLF          | unbalanced quotes in request",
                "true  | LONG               | too big inline request",
                "true  | *LONG              | too big mbulk count string",
                "true  | *1 CRLF $LONG      | too big bulk count string",
                "true  | *3 CRLF $3 CRLF SET CRLF $60 CRLF LONG CRLF $99 CRLF | 'too big request, more than 150 bytes'"
            })
    void next_whatIsNotAllowed_isRefusedForEver(boolean authenticated, String sent, String why) {
        String quoted = why.startsWith("expected") ? why : why.replace("'", "");
        String text = sent.replace(" CRLF ", "\r\n").replace(" CRLF", "\r\n").replace("LONG", "x".repeat(61));
        decoder.authenticated(authenticated);
        decoder.add(bytes(text.replace("x".repeat(61) + "\r\n", "x".repeat(60) + "\r\n")));
        assertThat(decoder.next()).as(text).isEqualTo(Step.REFUSED);
        assertThat(decoder.refusal()).isEqualTo("ERR Protocol error: " + quoted);
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .as("a client that is refused holds no memory")
                .isZero();

        decoder.add(bytes(Wire.array("PING")));
        assertThat(decoder.next()).isEqualTo(Step.REFUSED);
    }

    @Test
    void next_zeroByteInALine_waitsUntilTheLineIsTooLong() {
        // Redis looks for the end of a line in a C string.
        decoder.add(bytes("*1\r\n\0003\r\nGET\r\n"));
        assertThat(decoder.next()).isEqualTo(Step.MORE);
        decoder.add(bytes("x".repeat(60)));
        assertThat(decoder.next()).isEqualTo(Step.REFUSED);
        assertThat(decoder.refusal()).isEqualTo("ERR Protocol error: too big bulk count string");
    }

    @Test
    void next_longestLineAndRequest_areAllowed() {
        decoder.authenticated(true);
        decoder.add(bytes("x".repeat(60) + "\n" + Wire.array("y".repeat(21), "y".repeat(100))));
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        assertThat(decoder.request().length(0)).isEqualTo(60);
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        assertThat(decoder.request().sizeBytes()).isLessThanOrEqualTo(150).isGreaterThan(138);
    }

    @Test
    void add_readOnlyBytes_areCopiedBeforeTheyAreChanged() {
        ByteBuf sent = bytes("get \"a\\x41\"\r\n");
        String before = Wire.text(sent);
        decoder.add(sent.retainedDuplicate().asReadOnly());
        assertThat(decoder.next()).isEqualTo(Step.REQUEST);
        assertThat(Wire.arguments(decoder.request())).containsExactly("get", "aA");
        assertThat(Wire.text(sent)).isEqualTo(before);
        sent.release();
    }

    @Test
    void heldBytes_clientThatNeverEndsAPipeline_stayFew() {
        decoder.authenticated(true);
        String request = Wire.array("SET", "k", "v".repeat(90));
        String split = request.substring(40) + request.substring(0, 40);
        decoder.add(bytes(request.substring(0, 40)));
        for (int i = 0; i < 10_000; i++) {
            decoder.add(bytes(split));
            assertThat(decoder.next()).isEqualTo(Step.REQUEST);
            assertThat(decoder.next()).isEqualTo(Step.MORE);
            assertThat(decoder.heldBytes()).isLessThan(2_000);
        }
    }
}
