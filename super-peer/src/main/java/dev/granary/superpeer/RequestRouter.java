package dev.granary.superpeer;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.StatusText;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Reads requests on the I/O thread and hands each to its part as a task of the scheduler. */
final class RequestRouter implements RequestHandler {

    private final Executor scheduler;
    private final Map<Integer, Consumer<RpcRequest>> routes = new HashMap<>();
    private volatile boolean stopped;

    RequestRouter(
            Executor scheduler,
            RingMembership membership,
            ArcService arc,
            NameService names,
            LockService locks,
            ClusterStatus status) {
        this.scheduler = scheduler;
        route(MessageType.GET_RING, (request, empty) -> membership.getRing(request));
        route(MessageType.JOIN_RING, membership::joinRing);
        route(MessageType.ASSIGN_NID, membership::assignNid);
        route(MessageType.OPEN_LEASE, arc::openLease);
        route(MessageType.RENEW_LEASE, arc::renewLease);
        route(MessageType.RESERVE_LIDS, arc::reserveLids);
        route(MessageType.CLOSE_LEASE, arc::closeLease);
        route(MessageType.LOOKUP, arc::lookup);
        route(MessageType.LIST_PEERS, (request, empty) -> arc.listPeers(request));
        route(MessageType.CHANGE_NAME, names::change);
        route(MessageType.GET_NAME, names::get);
        route(MessageType.LIST_NAMES, names::list);
        route(MessageType.ACQUIRE_LOCK, locks::acquire);
        route(MessageType.RENEW_LOCK, locks::renew);
        route(MessageType.RELEASE_LOCK, locks::release);
        route(MessageType.SHOW_LOCK, locks::show);
        route(MessageType.CLUSTER_STATUS, (request, empty) -> answerStatus(request, status));
    }

    private static void answerStatus(RpcRequest request, ClusterStatus status) {
        Async.whenDone(status.gather(), (json, failure) -> {
            if (json != null) {
                request.reply(new StatusText(json));
            } else {
                request.fail(ErrorCode.INTERNAL, String.valueOf(failure));
            }
        });
    }

    private <Q extends Message> void route(MessageType<Q, ?> type, BiConsumer<RpcRequest, Q> handler) {
        routes.put(type.code(), request -> {
            Q message = request.read(type);
            scheduler.execute(() -> {
                if (stopped) {
                    refuse(request);
                } else {
                    Answers.orFail(request, () -> handler.accept(request, message));
                }
            });
        });
    }

    @Override
    public void handle(RpcRequest request) {
        if (stopped) {
            refuse(request);
            return;
        }
        Consumer<RpcRequest> route = routes.get(request.type());
        if (route == null) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "a super-peer does not answer requests of the type '" + MessageType.nameOf(request.type()) + "'");
            return;
        }
        route.accept(request);
    }

    private static void refuse(RpcRequest request) {
        request.fail(ErrorCode.SHUTTING_DOWN, "this super-peer is stopping");
    }

    /** From now on every request is refused. */
    void stop() {
        stopped = true;
    }
}
