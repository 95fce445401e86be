package dev.granary.storage.door.state;

import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.overlay.HostAddress;
import org.jspecify.annotations.Nullable;

/**
 * What a door must know.
 *
 * @param listen where it listens; port 0 takes any free port
 * @param advertised where clients reach it; null for {@code advertiseHost} and the port that is listened on
 * @param advertiseHost the host under which others reach this storage peer
 * @param limits how much clients may take
 * @param redirect which clients are redirected
 * @param polling how it waits for the network
 * @param ioThreads number of I/O threads, at least 1
 * @param tls whether clients must show certificates; null when they speak without TLS
 */
public record DoorConfig(
        HostAddress listen,
        @Nullable HostAddress advertised,
        String advertiseHost,
        DoorLimits limits,
        RedirectMode redirect,
        Polling polling,
        int ioThreads,
        @Nullable ClientAuthentication tls) {

    /** Returns the same for a port that was taken before. */
    public DoorConfig listeningOn(int port) {
        return new DoorConfig(
                new HostAddress(listen.host(), port),
                advertised,
                advertiseHost,
                limits,
                redirect,
                polling,
                ioThreads,
                tls);
    }

    /** Returns where clients reach a door that listens on a port. */
    public HostAddress announced(int boundPort) {
        return advertised != null ? advertised : new HostAddress(advertiseHost, boundPort);
    }
}
