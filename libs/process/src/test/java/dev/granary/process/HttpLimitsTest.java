package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import io.prometheus.client.CollectorRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an {@link HttpPort} bears from callers of whom nothing is known ({@code HttpConnection}). */
class HttpLimitsTest implements HttpContent {

    private static final int FIRST_MILLIS = 300;
    private static final int PATIENCE_MILLIS = 20_000;

    private final List<Socket> open = new ArrayList<>();
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private volatile int bodyBytes = 3;
    private final HttpPort port;

    HttpLimitsTest() throws IOException {
        port = HttpPort.open(
                new HostAddress("127.0.0.1", 0),
                this,
                Map.of("/slow", (_, _) -> {
                    try {
                        mayAnswer.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return HttpAnswer.text(200, "at last\n");
                }),
                HttpGate.OPEN,
                new HttpConnection.Times(FIRST_MILLIS, 2 * FIRST_MILLIS, 4 * FIRST_MILLIS));
    }

    @Override
    public Optional<String> notReadyReason() {
        return Optional.empty();
    }

    @Override
    public String statusJson() {
        return "x".repeat(bodyBytes);
    }

    @Override
    public CollectorRegistry metrics() {
        return new CollectorRegistry();
    }

    @AfterEach
    void close() throws IOException {
        mayAnswer.countDown();
        for (Socket each : open) {
            each.close();
        }
        port.close();
    }

    /** Returns what the port has refused, by reason. */
    private double refused(String reason) {
        CollectorRegistry registry = new CollectorRegistry();
        port.refusals().register(registry);
        return registry.getSampleValue("granary_http_refused_total", new String[] {"reason"}, new String[] {reason});
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        open.add(socket);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Reads until the other side has closed. */
    private static String rest(Socket socket) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        try {
            in.transferTo(bytes);
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException _) {
            // It was closed while this side still sent.
            return bytes.toString(StandardCharsets.ISO_8859_1);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    private String ask(String request) throws IOException {
        Socket socket = connect();
        send(socket, request);
        return rest(socket);
    }

    @Test
    void request_tooLargeOrNoHttp_isRefusedAndEndsTheConnection() throws IOException {
        assertThat(ask("GET /" + "a".repeat(HttpPort.MOST_LINE_BYTES) + " HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 414 ");
        assertThat(ask("GET /status HTTP/1.1\r\nA: " + "a".repeat(HttpPort.MOST_HEADER_BYTES) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ");
        assertThat(ask("GET /status HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"))
                .startsWith("HTTP/1.1 413 ");
        assertThat(ask("GET /status HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 413 ");
        assertThat(ask("\u0000\u0001\u0002 nonsense\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(ask("GET http://%zz/ HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(ask("POST /status HTTP/1.1\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 405 ");
        assertThat(refused("request")).isEqualTo(7);
    }

    @Test
    void request_thatComesTooSlowly_endsInTime() throws Exception {
        long start = System.nanoTime();
        assertThat(ask("")).isEmpty();
        assertThat(ask("GET /status HTTP/1.1\r\n")).isEmpty();
        // A byte from time to time helps nothing.
        Socket slow = connect();
        long begun = System.nanoTime();
        try {
            while (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(20)) {
                send(slow, "G");
                Thread.sleep(FIRST_MILLIS / 10);
            }
        } catch (IOException _) {
            assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(15));
        }
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
    }

    @Test
    void connection_severalRequestsAfterEachOther_areAnsweredUntilNoneComes() throws IOException {
        Socket socket = connect();
        for (int i = 0; i < 3; i++) {
            send(socket, "GET /status HTTP/1.1\r\n\r\n");
            byte[] answer = socket.getInputStream().readNBytes("HTTP/1.1 200 OK\r\n".length());
            assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200 OK\r\n");
            socket.getInputStream()
                    .readNBytes("content-type: application/json\r\ncontent-length: 4\r\n\r\nxxx\n".length());
        }
        assertThat(rest(socket)).isEmpty();
        assertThat(ask("GET /status HTTP/1.0\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("\r\n\r\nxxx\n");
    }

    @Test
    void connection_severalRequestsAtOnce_answersTheFirst() throws IOException {
        String request = "GET /status HTTP/1.1\r\n\r\n";

        assertThat(ask(request.repeat(3)).split("HTTP/1.1 200", -1)).hasSize(2);
    }

    /** A page that takes for ever, and a caller that does not read what it has asked for. */
    @Test
    void answer_thatTakesTooLong_endsInTimeAndHoldsUpNobody() throws Exception {
        Socket waiting = connect();
        send(waiting, "GET /slow HTTP/1.1\r\n\r\n");
        bodyBytes = 64 << 20;
        Socket deaf = connect();
        send(deaf, "GET /status HTTP/1.1\r\n\r\n");
        for (int i = 0; i < 20; i++) {
            assertThat(ask("GET /healthz HTTP/1.0\r\n\r\n")).endsWith("ok\n");
        }
        assertThat(rest(waiting)).isEmpty();
        Thread.sleep(6 * FIRST_MILLIS);
        assertThat(rest(deaf).length()).isLessThan(64 << 20);
    }

    @Test
    void connect_moreThanAnAddressMayHave_isClosedAtOnceAndHasRoomAgainLater() throws Exception {
        for (int i = 0; i < HttpPort.MOST_OF_ADDRESS; i++) {
            Socket socket = connect();
            send(socket, "GET /slow HTTP/1.1\r\n\r\n");
        }
        Socket tooMany = connect();
        assertThat(rest(tooMany)).isEmpty();
        assertThat(refused("connections")).isEqualTo(1);
        mayAnswer.countDown();
        for (Socket each : open) {
            each.close();
        }
        String answer = "";
        for (int i = 0; i < 200 && answer.isEmpty(); i++) {
            Thread.sleep(20);
            answer = ask("GET /healthz HTTP/1.0\r\n\r\n");
        }
        assertThat(answer).endsWith("ok\n");
    }
}
