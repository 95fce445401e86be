package dev.granary.storage;

import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.ReportHoldings;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.data.ChunkService;
import dev.granary.storage.keyed.KeyedService;
import dev.granary.storage.migrate.Migrations;
import dev.granary.storage.replicate.Replication;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/** Which part of a storage peer answers which requests. */
final class RequestRouter {

    private static final long ASLEEP_RETRY_NANOS = 100_000_000;
    private static final long NOT_YET_RETRY_NANOS = 100_000_000;

    private RequestRouter() {}

    /** The table of a node that has all its parts. */
    static RequestHandler of(
            Executor scheduler,
            PlannedStop plannedStop,
            FreshStart freshStart,
            ChunkService chunks,
            Migrations migrations,
            Replication replication,
            Backups backups,
            NameCopies names,
            KeyedService keyed,
            BiConsumer<RpcRequest, ReportHoldings> reporter) {
        RequestTable requests = new RequestTable("a storage peer");
        RequestTable moves = requests.behind(handler -> unlessAsleep(plannedStop, handler));
        chunks.addTo(requests);
        migrations.addTo(moves);
        replication.addTo(moves);
        backups.addTo(requests, moves);
        names.addTo(requests);
        keyed.addTo(requests);
        plannedStop.addTo(requests);
        freshStart.addTo(requests);
        requests.addTask(MessageType.REPORT_HOLDINGS, scheduler, reporter);
        return requests;
    }

    /** Returns a handler that refuses requests while this peer is being parked: nothing may come to it or leave it. */
    private static RequestHandler unlessAsleep(PlannedStop plannedStop, RequestHandler handler) {
        return request -> {
            if (plannedStop.isRefusing()) {
                request.fail(ErrorReply.retryLater(ASLEEP_RETRY_NANOS, "this storage peer is being put to sleep"));
            } else {
                handler.handle(request);
            }
        };
    }

    /** Refuses a request that comes before the node has its parts: the caller asks again. */
    static void refuse(RpcRequest request) {
        request.fail(ErrorReply.retryLater(NOT_YET_RETRY_NANOS, "this storage peer is just starting"));
    }
}
