package dev.granary.storage.door;

import dev.granary.resp.Protocol;
import dev.granary.storage.door.notice.Notice;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorState;
import java.util.ArrayDeque;

/**
 * What one client is told of planned maintenance, until there is a place between two replies. A client with an open
 * transaction, or with watched keys, is told afterwards: one that goes elsewhere at once would lose them. I/O thread
 * only.
 */
final class PendingNotices {

    /** More than two for each slot group: a client that lets so many wait will not miss the rest. */
    private static final int MOST = 1024;

    private final DoorState door;
    private final Client client;
    private final Output output;
    private final ArrayDeque<Notice> waiting = new ArrayDeque<>();

    PendingNotices(DoorState door, Client client, Output output) {
        this.door = door;
        this.client = client;
        this.output = output;
    }

    void add(Notice notice) {
        if (waiting.size() < MOST) {
            waiting.add(notice);
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Writes all that the client wants still. Called when all replies before are written, and none is begun. */
    void write() {
        long now = door.clock().nanoTime();
        for (Notice notice = waiting.poll(); notice != null; notice = waiting.poll()) {
            if (isWanted(notice, now) && notice.writeTo(output.writer(), now)) {
                door.counters().notified(notice.kind());
            }
        }
    }

    private boolean isWanted(Notice notice, long nowNanos) {
        return client.notices() != null
                && client.protocol() == Protocol.RESP3
                && door.aware().knows(client, nowNanos) == notice.isForClusterClients();
    }
}
