package dev.granary.cli.command;

import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.UserException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.overlay.Cid;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves chunks to a storage peer. */
@Command(
        name = "migrate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Move a chunk, or a range of chunks of one creator, to a storage peer.",
            "They are read and written meanwhile.",
        },
        footer = {
            "",
            "  granary migrate 0x8000000000000001 --to 0x4000                       one hot chunk",
            "  granary migrate 0x8000000000000001 0x80000000000fffff --to 0x4000    a range",
        })
public final class MigrateCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Parameters(
            index = "0",
            paramLabel = "CID",
            converter = CidConverter.class,
            description = "The chunk, or the first one of a range, such as 0x8000000000000001.")
    private long first;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "LAST",
            converter = CidConverter.class,
            description = "The last chunk of the range; without it one chunk is moved.")
    private @Nullable Long last;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "NID",
            converter = NidConverter.class,
            description = "The storage peer that shall own them, such as 0x4000; 'granary status' lists them.")
    private int target;

    @Option(names = "--no-wait", description = "Return when the plan is made, not when it has ended.")
    private boolean noWait;

    @Override
    public Integer call() {
        long end = last == null ? first : last;
        if (Cid.nid(first) != Cid.nid(end) || Cid.compare(first, end) > 0) {
            throw new UserException(
                    "a range has one creator, and " + Cid.toHex(first) + " must not be above " + Cid.toHex(end));
        }
        try (ClusterAdmin admin = connect.administer()) {
            return Plans.follow(admin, admin.startMove(first, end, target), !noWait, output, System.out);
        }
    }
}
