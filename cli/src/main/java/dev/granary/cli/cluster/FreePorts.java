package dev.granary.cli.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports of this machine's loopback address that nobody listens on. */
final class FreePorts {

    private FreePorts() {}

    /** The port if it is free, otherwise 0, so that two clusters can run on this machine. */
    static int usable(int wanted) {
        if (wanted == 0) {
            return 0;
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wanted));
            return wanted;
        } catch (IOException e) {
            return 0;
        }
    }
}
