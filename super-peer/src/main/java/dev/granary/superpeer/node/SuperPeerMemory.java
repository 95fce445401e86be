package dev.granary.superpeer.node;

import dev.granary.net.Transport;
import dev.granary.process.MemoryPlan;
import dev.granary.process.MemoryPlan.Area;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.process.MemoryPlan.Need;
import java.util.List;
import java.util.Map;

/**
 * What the parts of a super-peer may take that grow with what others send (SAFETY rule "budgets", ADR 0169). Its state is not
 * among them: that is the same on all members of a group, so that its bounds must not come from what one process has.
 *
 * @param plan of its process
 */
public record SuperPeerMemory(MemoryPlan plan) {

    private static final String INBOUND = "inbound-frames";

    /** What goes out has no bound of its own: it is as much as the others ask, and leave unread. */
    private static final String OUTBOUND = "outbound-frames";

    private static final long MIB = 1 << 20;

    /** A frame may be 16 MiB. */
    private static final List<Need> NEEDS = List.of(
            new Need(INBOUND, Area.DIRECT, 1, 18 * MIB, 256 * MIB),
            new Need(OUTBOUND, Area.DIRECT, 1, 18 * MIB, 256 * MIB));

    /**
     * The plan of a process with so much memory.
     *
     * @throws dev.granary.process.MemoryPlanException when that is too little; says what to change
     */
    public static SuperPeerMemory of(Limits limits) {
        return new SuperPeerMemory(MemoryPlan.of(limits, NEEDS));
    }

    /** With all that the parts ever need. */
    public static SuperPeerMemory ample() {
        return of(new Limits(1024 * MIB, 1024 * MIB));
    }

    /** What is taken of each share, by its name. Any thread. */
    public static Map<String, Long> usedBytes(Transport transport) {
        return Map.of(INBOUND, transport.inboundBytes(), OUTBOUND, transport.outboundBytes());
    }

    /** All frames together that are being received. */
    public long inboundBytes() {
        return plan.bytes(INBOUND);
    }
}
