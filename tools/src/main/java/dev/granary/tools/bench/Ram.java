package dev.granary.tools.bench;

import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.MemoryPlan;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.util.Locale;

/** Refuses measurements for which this machine has too little memory. */
final class Ram {

    private static final long BASE_PROCESS_BYTES = 160L << 20;

    private Ram() {}

    /**
     * Checks a measurement of chunk memory.
     *
     * @throws UserException when it needs more than is available
     */
    static void require(MemoryPlan plan) {
        long available = Machine.availableBytes();
        long payload = (long) (plan.chunks() * plan.sizeDistribution().meanBytes());
        long rest = plan.measuringHeapBytes() + BASE_PROCESS_BYTES;
        long needed = plan.layout().expectedBytes(plan.chunks(), payload) + rest;
        if (needed > available) {
            throw new UserException(String.format(
                    Locale.ROOT,
                    "%s chunks of %.0f B take some %s of RAM (%s layout), but only %s are available: use fewer chunks or"
                            + " smaller ones",
                    Sizes.count(plan.chunks()),
                    plan.sizeDistribution().meanBytes(),
                    Sizes.bytes(needed),
                    plan.layout(),
                    Sizes.bytes(available)));
        }
        if (plan.memoryBytes() > 0 && plan.memoryBytes() + rest > available) {
            throw new UserException("--memory asks for " + Sizes.bytes(plan.memoryBytes()) + ", but only "
                    + Sizes.bytes(available) + " of RAM are available");
        }
    }

    /**
     * Checks any other measurement.
     *
     * @param what the measurement, for the message
     * @throws UserException when it needs more than is available
     */
    static void require(long processBytes, String what) {
        long available = Machine.availableBytes();
        if (processBytes + BASE_PROCESS_BYTES > available) {
            throw new UserException(what + " would take some " + Sizes.bytes(processBytes + BASE_PROCESS_BYTES)
                    + " of RAM, but only " + Sizes.bytes(available) + " are available");
        }
    }
}
