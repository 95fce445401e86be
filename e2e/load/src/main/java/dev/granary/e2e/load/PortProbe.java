package dev.granary.e2e.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Tells to which ports a pod can connect: a line for each, {@code OPEN HOST:PORT} or {@code CLOSED HOST:PORT}. */
public final class PortProbe {

    /** A policy drops what it does not let through, so that nothing answers. */
    private static final int TIMEOUT_MILLIS = 1_500;

    private PortProbe() {}

    /**
     * Tries them one after the other.
     *
     * @param places each {@code HOST:PORT}
     */
    public static void main(String[] places) {
        for (String place : places) {
            System.out.println((isOpen(place) ? "OPEN " : "CLOSED ") + place);
        }
    }

    private static boolean isOpen(String place) {
        int colon = place.lastIndexOf(':');
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(
                            place.substring(0, colon), Integer.parseInt(place, colon + 1, place.length(), 10)),
                    TIMEOUT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
