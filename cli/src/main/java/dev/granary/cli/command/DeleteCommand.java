package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.Cid;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes chunks. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        description = "Delete chunks. Fails when one of them does not exist; the others are deleted.")
public final class DeleteCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private DurabilityOption durability = new DurabilityOption();

    @Parameters(
            arity = "1..*",
            paramLabel = "CID",
            converter = CidConverter.class,
            description = "Chunk identifier such as 0x8000000000000001.")
    private List<Long> cids = List.of();

    @Option(names = "--token", paramLabel = "TOKEN", description = "Of the lock of the one chunk; see 'granary lock'.")
    private long token;

    @Override
    public Integer call() {
        if (token != 0) {
            return deleteLocked();
        }
        long[] targets = cids.stream().mapToLong(Long::longValue).toArray();
        ChunkOutcome[] outcomes;
        try (GranaryClient client = connect.connect(durability.level())) {
            outcomes = client.deleteAll(targets);
        }
        int failed = 0;
        for (int i = 0; i < targets.length; i++) {
            if (outcomes[i] != ChunkOutcome.OK) {
                failed++;
                System.err.println("granary: chunk " + Cid.toHex(targets[i]) + " was not deleted: "
                        + outcomes[i].name().toLowerCase(Locale.ROOT).replace('_', ' '));
            }
        }
        return failed == 0 ? 0 : 1;
    }

    private int deleteLocked() {
        if (cids.size() != 1) {
            throw new UserException("--token takes one chunk, not " + cids.size());
        }
        try (GranaryClient client = connect.connect(durability.level())) {
            client.heldLock(cids.getFirst(), token).delete();
        }
        return 0;
    }
}
