package dev.granary.storage.door;

import dev.granary.resp.Request;
import dev.granary.storage.door.keys.Route;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests that follow each other in a pipeline and are for keys of one slot group: they go as one call. A run that has
 * been taken is not changed any more.
 */
final class Run {

    private static final int MOST_REQUESTS = 1024;
    private static final int MOST_BYTES = 256 << 10;

    private final int group;
    private final ByteBuf requests;
    private final List<Route> routes = new ArrayList<>();

    /** Begins with a request. */
    Run(int group, Route route, Request request, ByteBufAllocator allocator) {
        this.group = group;
        this.requests = allocator.buffer(request.sizeBytes());
        add(route, request);
    }

    /** Returns whether a request for keys of a group may go with the others. */
    boolean takes(int otherGroup, Request request) {
        return otherGroup == group
                && routes.size() < MOST_REQUESTS
                && requests.readableBytes() + (long) request.sizeBytes() <= MOST_BYTES;
    }

    void add(Route route, Request request) {
        request.writeTo(requests);
        routes.add(route);
    }

    int group() {
        return group;
    }

    ByteBuf requests() {
        return requests;
    }

    /** Returns the commands of the requests, in their order. */
    List<Route> routes() {
        return routes;
    }
}
