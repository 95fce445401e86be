package dev.granary.bench.overlay;

import dev.granary.overlay.CidRange;
import dev.granary.overlay.tree.CidTree;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Answers lookups of one loopback connection from a CID-tree: gets a CID, returns the whole range. */
final class LookupServer implements Closeable {

    private final CidTree tree;
    private final ServerSocket listener;
    private final Thread thread;

    LookupServer(CidTree tree) throws IOException {
        this.tree = tree;
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        thread = Thread.ofPlatform().name("lookup-server").start(this::serve);
    }

    /** Opens a connection to this server. */
    Socket connect() throws IOException {
        Socket socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
        socket.setTcpNoDelay(true);
        return socket;
    }

    private void serve() {
        try (Socket socket = listener.accept()) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] reply = new byte[LookupClient.REPLY_BYTES];
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                CidRange range = tree.find(in.readLong()).orElseThrow();
                LookupClient.write(range, reply);
                out.write(reply);
            }
        } catch (EOFException e) {
            // The client has closed its connection: the measurement is over.
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
