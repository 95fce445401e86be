package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.cli.keys.KeyOrCid;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes chunks and keys. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        description = {
            "Delete chunks and keys. Fails when one of them does not exist; the others are deleted.",
            "What begins with 0x is the CID of a chunk, all else is a key.",
        })
public final class DeleteCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private DurabilityOption durability = new DurabilityOption();

    @Mixin
    private KeysAndCids arguments = new KeysAndCids();

    @Option(names = "--token", paramLabel = "TOKEN", description = "Of the lock of the one chunk; see 'granary lock'.")
    private long token;

    @Override
    public Integer call() {
        List<Long> cids = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (KeyOrCid each : arguments.all()) {
            String key = each.key();
            if (key == null) {
                cids.add(each.cid());
            } else {
                keys.add(key);
            }
        }
        if (token != 0 && (cids.size() != 1 || !keys.isEmpty())) {
            throw new UserException("--token takes one chunk, not " + (cids.size() + keys.size()) + " chunks and keys");
        }
        try (GranaryClient client = connect.connect(durability.level())) {
            if (token != 0) {
                client.heldLock(cids.getFirst(), token).delete();
                return 0;
            }
            return deleteChunks(client, cids.stream().mapToLong(Long::longValue).toArray()) + deleteKeys(client, keys)
                            == 0
                    ? 0
                    : 1;
        }
    }

    /** Returns how many were not deleted. */
    private static int deleteChunks(GranaryClient client, long[] cids) {
        ChunkOutcome[] outcomes = client.deleteAll(cids);
        int failed = 0;
        for (int i = 0; i < cids.length; i++) {
            if (outcomes[i] != ChunkOutcome.OK) {
                failed++;
                System.err.println("granary: chunk " + Cid.toHex(cids[i]) + " was not deleted: "
                        + outcomes[i].name().toLowerCase(Locale.ROOT).replace('_', ' '));
            }
        }
        return failed;
    }

    private static int deleteKeys(GranaryClient client, List<String> keys) {
        int failed = 0;
        for (String key : keys) {
            if (!client.keys().delete(key)) {
                failed++;
                System.err.println("granary: there is no key '" + key + "'");
            }
        }
        return failed;
    }
}
