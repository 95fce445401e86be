package dev.granary.superpeer.node;

import dev.granary.net.rpc.RpcRequest;

/** Whether this super-peer answers for a place on the ring. */
@FunctionalInterface
public interface Responsibility {

    /** Whether it does, now; if not the request is answered with who does, or when to come again. */
    boolean answersFor(RpcRequest request, int nid);
}
