package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.client.admin.ClusterAdmin;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives up a parked storage peer, which counts as dead from then on. */
@Command(
        name = "unpark",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Give up a storage peer that is parked and will not come back, because its disk is lost, say.",
            "Others wait for a parked storage peer, as its disk has all its chunks. Given up it counts as dead: what has",
            "copies is recovered from them, all else is lost. 'granary status' shows who is parked.",
        },
        footer = {"", "  granary unpark 0x4000 --accept-loss"})
public final class UnparkCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Parameters(
            paramLabel = "NID",
            converter = NidConverter.class,
            description = "The storage peer, such as 0x4000; 'granary status' lists them.")
    private int nid;

    @Option(
            names = "--accept-loss",
            required = true,
            description = "That chunks of which only this storage peer has a copy are lost.")
    private boolean acceptLoss;

    @Override
    public Integer call() {
        if (!acceptLoss) {
            throw new UserException("say --accept-loss if what only this storage peer has may be lost");
        }
        try (ClusterAdmin admin = connect.administer()) {
            admin.unpark(nid);
        }
        System.out.println("the storage peer is given up; 'granary status' shows what is recovered");
        return 0;
    }
}
