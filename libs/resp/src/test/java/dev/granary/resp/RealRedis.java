package dev.granary.resp;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A redis-server of the system property {@code granary.redis.server}, on a socket in a folder of its own. */
final class RealRedis implements AutoCloseable {

    static final String PASSWORD = "open-sesame";

    private final Process process;
    private final Path socket;

    RealRedis(Path folder) throws Exception {
        String server = System.getProperty("granary.redis.server");
        if (server == null) {
            throw new IllegalStateException("no redis-server; run libs/resp/compare-with-redis");
        }
        socket = folder.resolve("socket");
        process = new ProcessBuilder(
                        server,
                        "--port",
                        "0",
                        "--unixsocket",
                        socket.toString(),
                        "--save",
                        "",
                        "--dir",
                        folder.toString(),
                        "--requirepass",
                        PASSWORD,
                        "--enable-debug-command",
                        "yes")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        for (int tries = 0; !isUp(); tries++) {
            if (tries > 200 || !process.isAlive()) {
                throw new IllegalStateException(server + " does not start: " + Files.readString(folder.resolve("log")));
            }
            Thread.sleep(50);
        }
    }

    private boolean isUp() {
        try (SocketChannel channel = connect()) {
            return channel.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    /** Sends bytes, then no more, and returns all that comes until the server closes the connection. */
    String answer(byte[] bytes) throws IOException {
        try (SocketChannel channel = connect()) {
            send(channel, bytes);
            channel.shutdownOutput();
            StringBuilder text = new StringBuilder();
            ByteBuffer in = ByteBuffer.allocate(1 << 16);
            while (channel.read(in) >= 0) {
                text.append(StandardCharsets.ISO_8859_1.decode(in.flip()));
                in.clear();
            }
            return text.toString();
        }
    }

    /** Logs in, asks for a version of the protocol, sends requests, and returns their replies. */
    String replies(Protocol protocol, String... requests) throws IOException {
        try (SocketChannel channel = connect()) {
            String opening = Wire.array("HELLO", String.valueOf(protocol.number()), "AUTH", "default", PASSWORD);
            send(channel, Wire.bytes(opening + String.join("", requests)));
            StringBuilder text = new StringBuilder();
            ByteBuffer in = ByteBuffer.allocate(1 << 16);
            int seen = 0;
            int begin = 0;
            for (int at = 0; seen <= requests.length; ) {
                if (channel.read(in) < 0) {
                    throw new IOException("closed after " + seen + " replies: " + text);
                }
                text.append(StandardCharsets.ISO_8859_1.decode(in.flip()));
                in.clear();
                for (int end; (end = ReplyText.end(text.toString(), at)) > 0; at = end) {
                    begin = seen++ == 0 ? end : begin;
                }
            }
            return text.substring(begin);
        }
    }

    private static void send(SocketChannel channel, byte[] bytes) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(bytes);
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
