package dev.granary.tools.simulate;

import dev.granary.cli.base.UserException;
import dev.granary.simulation.big.BigPlan;
import picocli.CommandLine.Option;

/** The options of a big simulation. */
final class BigOptions {

    @Option(
            names = "--big",
            required = true,
            description = "Instead of seeds: one run of many super-peers and storage peers with synthetic ranges, which"
                    + " grows, loses super-peers and shrinks, to plan for sizes that no test machine has.")
    private boolean big;

    @Option(names = "--super-peers", paramLabel = "N", defaultValue = "300", description = "At most. Default: 300.")
    private int superPeers = 300;

    @Option(names = "--storage-peers", paramLabel = "N", defaultValue = "10000", description = "Default: 10000.")
    private int storagePeers = 10_000;

    @Option(
            names = "--ranges",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Zones of two million chunks, in all. Default: 1000000.")
    private int ranges = 1_000_000;

    @Option(names = "--clients", paramLabel = "N", defaultValue = "200", description = "Default: 200.")
    private int clients = 200;

    @Option(
            names = "--virtual-seconds",
            paramLabel = "N",
            defaultValue = "120",
            description = "How long it runs, in virtual time. Default: 120.")
    private int virtualSeconds = 120;

    boolean isWanted() {
        return big;
    }

    BigPlan plan(long seed) {
        try {
            return new BigPlan(seed, superPeers, storagePeers, ranges, clients, virtualSeconds);
        } catch (IllegalArgumentException e) {
            throw new UserException(String.valueOf(e.getMessage()), e);
        }
    }
}
