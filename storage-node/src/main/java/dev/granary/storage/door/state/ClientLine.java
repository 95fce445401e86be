package dev.granary.storage.door.state;

import java.util.concurrent.TimeUnit;

/** A connection as a line of {@code CLIENT LIST}. */
public final class ClientLine {

    private ClientLine() {}

    /** Returns the line, without its end. */
    public static String of(Client client, long nowNanos) {
        return of(client, nowNanos, client.link().heldBytes());
    }

    /**
     * Returns the line, without its end.
     *
     * @param heldBytes how many bytes of requests are held
     */
    public static String of(Client client, long nowNanos, int heldBytes) {
        Client.Link link = client.link();
        int queued = link.queued();
        long unsent = link.unsentBytes();
        StringBuilder flags = new StringBuilder();
        flags.append(client.monitor() ? "O" : "");
        flags.append(queued >= 0 ? "x" : "");
        flags.append(client.readOnly() ? "r" : "");
        flags.append(client.noEvict() ? "e" : "");
        flags.append(client.noTouch() ? "T" : "");
        return "id=" + client.id() + " addr=" + client.address() + " laddr=" + client.localAddress() + " fd=-1 name="
                + client.name() + " age=" + seconds(nowNanos - client.sinceNanos()) + " idle="
                + seconds(nowNanos - client.activeNanos()) + " flags=" + (flags.isEmpty() ? "N" : flags)
                + " db=0 sub=0 psub=0 ssub=0 multi=" + queued + " qbuf=" + heldBytes
                + " qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=" + unsent + " tot-mem="
                + (heldBytes + unsent) + " events=r cmd=" + client.lastCommand()
                + " user=" + client.account().name() + " redir=-1 resp="
                + client.protocol().number() + " lib-name=" + client.libName() + " lib-ver=" + client.libVersion();
    }

    private static long seconds(long nanos) {
        return Math.max(0, TimeUnit.NANOSECONDS.toSeconds(nanos));
    }
}
