package dev.granary.cli.command;

import dev.granary.cli.base.OutputOption;
import dev.granary.client.admin.ClusterAdmin;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Empties a storage peer. */
@Command(
        name = "drain",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Move everything that a storage peer has to the others, so that it can be stopped for good.",
            "It takes no new chunks from now on; 'granary plan abort' takes that back, what has moved stays.",
        },
        footer = {"", "  granary drain 0x4000", "  granary drain 0x4000 --no-wait && granary plan show"})
public final class DrainCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Parameters(
            paramLabel = "NID",
            converter = NidConverter.class,
            description = "The storage peer, such as 0x4000; 'granary status' lists them.")
    private int nid;

    @Option(names = "--no-wait", description = "Return when the plan is made, not when it has ended.")
    private boolean noWait;

    @Override
    public Integer call() {
        try (ClusterAdmin admin = connect.administer()) {
            return Plans.follow(admin, admin.startDrain(nid), !noWait, output, System.out);
        }
    }
}
