package dev.granary.superpeer.node;

import dev.granary.net.Transport;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How much of each share of a super-peer's memory plan is taken (ADR 0206). Changed by tasks of the scheduler, read by
 * any thread.
 *
 * @param ownerWaiters requests that wait for the next owner of a chunk
 * @param lockWaiters lock requests that wait, in all arcs
 * @param commands that are proposed, and neither applied nor given up
 * @param raftMessages that are on their way to other super-peers
 * @param arcState the states of all arcs of which this super-peer has a replica; counted now and then
 * @param arcParts parts of arcs that are being handed out or fetched; counted now and then
 */
public record MemoryUse(
        MemoryBudget ownerWaiters,
        MemoryBudget lockWaiters,
        MemoryBudget commands,
        MemoryBudget raftMessages,
        MemoryBudget arcState,
        MemoryBudget arcParts) {

    static MemoryUse of(SuperPeerMemory memory) {
        return new MemoryUse(
                budget(memory, SuperPeerMemory.OWNER_WAITERS),
                budget(memory, SuperPeerMemory.LOCK_WAITERS),
                budget(memory, SuperPeerMemory.COMMANDS),
                budget(memory, SuperPeerMemory.RAFT_MESSAGES),
                budget(memory, SuperPeerMemory.ARC_STATE),
                budget(memory, SuperPeerMemory.ARC_PARTS));
    }

    private static MemoryBudget budget(SuperPeerMemory memory, String share) {
        return new MemoryBudget(memory.plan().bytes(share));
    }

    /** Returns the bytes that are taken, by the names of the shares. */
    public Map<String, Long> bytes(Transport transport) {
        Map<String, Long> used = new LinkedHashMap<>();
        used.put(SuperPeerMemory.INBOUND, transport.inboundBytes());
        used.put(SuperPeerMemory.OUTBOUND, transport.outboundBytes());
        used.put(SuperPeerMemory.OWNER_WAITERS, ownerWaiters.bytes());
        used.put(SuperPeerMemory.LOCK_WAITERS, lockWaiters.bytes());
        used.put(SuperPeerMemory.COMMANDS, commands.bytes());
        used.put(SuperPeerMemory.RAFT_MESSAGES, raftMessages.bytes());
        used.put(SuperPeerMemory.ARC_STATE, arcState.bytes());
        used.put(SuperPeerMemory.ARC_PARTS, arcParts.bytes());
        return used;
    }
}
