package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.overlay.BackupZone;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets a recovery go on without the storage peers that it waits for. */
@Command(
        name = "recover",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Recover a zone without the storage peers that it waits for.",
            "After all storage peers of a zone have stopped at once, its recovery waits until each of them has told what",
            "its disk holds, as any of them may have what the others have not. 'granary status' shows who is missing.",
            "Start these again if you can; what only they have is lost otherwise.",
        },
        footer = {"", "  granary recover 0x8000/3 --accept-loss"})
public final class RecoverCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Parameters(paramLabel = "ZONE", description = "As 'granary status' calls it, such as 0x8000/3.")
    private String zone = "";

    @Option(
            names = "--accept-loss",
            required = true,
            description = "That what only the missing storage peers have may be lost.")
    private boolean acceptLoss;

    @Override
    public Integer call() {
        int id;
        try {
            id = BackupZone.parse(zone);
        } catch (IllegalArgumentException e) {
            throw new UserException("'" + zone + "' is not the id of a zone, such as 0x8000/3", e);
        }
        if (!acceptLoss) {
            throw new UserException("say --accept-loss if what only the missing storage peers have may be lost");
        }
        try (ClusterAdmin admin = connect.administer()) {
            admin.recoverZone(id);
        }
        System.out.println(
                "zone " + zone + " is recovered from the copies that there are; 'granary status' shows how far");
        return 0;
    }
}
