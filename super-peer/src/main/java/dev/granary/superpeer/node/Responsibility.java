package dev.granary.superpeer.node;

import dev.granary.net.rpc.RpcRequest;

/** Whether this super-peer answers for a place on the ring. */
@FunctionalInterface
public interface Responsibility {

    /**
     * Returns whether this super-peer answers for a NID now. If not, refuses the request with the super-peer that does,
     * or with the time to try again.
     */
    boolean answersFor(RpcRequest request, int nid);
}
