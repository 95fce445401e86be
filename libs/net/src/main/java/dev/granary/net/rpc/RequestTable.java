package dev.granary.net.rpc;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/**
 * Hands each request to the handler of its type, and refuses a type without a handler with BAD_REQUEST. Each part of a
 * node adds its handlers before the first request comes. Nothing changes afterwards, so any thread may use the table
 * then.
 *
 * <pre>
 *   type --table--> what stands in front (a gate, a check) --> handler, on the I/O thread
 *                                                               +--> or read there, and handled as a task
 * </pre>
 */
public final class RequestTable implements RequestHandler {

    private final String node;
    private final Map<Integer, RequestHandler> handlers;
    private final UnaryOperator<RequestHandler> front;

    /** @param node for messages to people: what kind of node it is, with its article */
    public RequestTable(String node) {
        this(node, new HashMap<>(), handler -> handler);
    }

    private RequestTable(String node, Map<Integer, RequestHandler> handlers, UnaryOperator<RequestHandler> front) {
        this.node = node;
        this.handlers = handlers;
        this.front = front;
    }

    /**
     * Returns a view of this table whose handlers stand behind a check that may refuse a request in their place.
     *
     * @param inner makes a handler that calls the given one or answers itself; it stands behind earlier checks
     */
    public RequestTable behind(UnaryOperator<RequestHandler> inner) {
        return new RequestTable(node, handlers, handler -> front.apply(inner.apply(handler)));
    }

    /**
     * Adds a handler that runs on the I/O thread.
     *
     * @param type the code of a {@link MessageType}
     * @throws IllegalStateException when the type has a handler already
     */
    public void add(int type, RequestHandler handler) {
        if (handlers.putIfAbsent(type, front.apply(handler)) != null) {
            throw new IllegalStateException("two parts answer '" + MessageType.nameOf(type) + "'");
        }
    }

    /** Adds a handler of control messages, which are read and handled on the I/O thread. */
    public <Q extends Message> void add(MessageType<Q, ?> type, BiConsumer<RpcRequest, Q> handler) {
        add(type.code(), request -> handler.accept(request, request.read(type)));
    }

    /** Adds a handler of control messages, which are read on the I/O thread and handled by tasks. */
    public <Q extends Message> void addTask(MessageType<Q, ?> type, Executor tasks, BiConsumer<RpcRequest, Q> handler) {
        add(type, (request, message) -> tasks.execute(() -> handler.accept(request, message)));
    }

    @Override
    public void handle(RpcRequest request) {
        RequestHandler handler = handlers.get(request.type());
        if (handler == null) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    node + " does not answer requests of the type '" + MessageType.nameOf(request.type()) + "'");
        } else {
            handler.handle(request);
        }
    }
}
