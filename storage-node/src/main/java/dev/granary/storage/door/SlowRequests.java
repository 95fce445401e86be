package dev.granary.storage.door;

import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.storage.door.keys.Route;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorState;
import io.netty.buffer.ByteBuf;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Finds the requests that took long. The time is that from when the door began until the reply was there. */
final class SlowRequests {

    /** Their arguments may be passwords. */
    private static final Set<String> SECRET = Set.of("auth", "hello", "acl|setuser");

    private final DoorState door;

    SlowRequests(DoorState door) {
        this.door = door;
    }

    /** Returns whether people may see the request. */
    static boolean isShown(Route route) {
        return !SECRET.contains(route.name());
    }

    /** Keeps the requests of a run, which begin its buffer, for {@link #look}; null if slow requests are not kept. */
    @Nullable
    ByteBuf keep(ByteBuf requests) {
        return door.settings().slowMicros() < 0 ? null : requests.retain();
    }

    /** Keeps the first request of a run if it took long; of the others nobody knows whether they did. */
    void look(Client client, Route route, @Nullable ByteBuf requests, long nanos) {
        if (requests == null) {
            return;
        }
        if (!isSlow(nanos)) {
            requests.release();
            return;
        }
        try (RequestDecoder decoder = new RequestDecoder(door.config().limits().request(), requests.alloc())) {
            decoder.authenticated(true);
            decoder.add(requests.readerIndex(0));
            if (decoder.next() == RequestDecoder.Step.REQUEST) {
                look(client, route, decoder.request(), nanos);
            }
        }
    }

    /** Keeps a request if it took long. */
    void look(Client client, Route route, Request request, long nanos) {
        if (isSlow(nanos) && isShown(route)) {
            door.slowLog()
                    .add(
                            client,
                            request,
                            door.clock().wallMillis(),
                            nanos,
                            door.settings().slowEntries());
        }
    }

    private boolean isSlow(long nanos) {
        long limit = door.settings().slowMicros();
        return limit >= 0 && TimeUnit.NANOSECONDS.toMicros(nanos) >= limit;
    }
}
