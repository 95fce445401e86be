package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replaces the content of a chunk. */
@Command(
        name = "put",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Replace the content of a chunk; its size may change.")
public final class PutCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private DurabilityOption durability = new DurabilityOption();

    @Parameters(
            index = "0",
            paramLabel = "CID",
            converter = CidConverter.class,
            description = "Chunk identifier such as 0x8000000000000001.")
    private long cid;

    @Parameters(index = "1", arity = "0..1", paramLabel = "VALUE", description = "Text to store as UTF-8.")
    private @Nullable String value;

    @Option(names = "--file", paramLabel = "FILE", description = "Store the content of a file; - is standard input.")
    private @Nullable String file;

    @Option(names = "--token", paramLabel = "TOKEN", description = "Of a lock that is held; see 'granary lock'.")
    private long token;

    @Override
    public Integer call() throws IOException {
        byte[] content = content();
        try (GranaryClient client = connect.connect(durability.level())) {
            if (token == 0) {
                client.put(cid, content);
            } else {
                client.heldLock(cid, token).put(content);
            }
        }
        return 0;
    }

    private byte[] content() throws IOException {
        if (value != null && file == null) {
            return value.getBytes(StandardCharsets.UTF_8);
        }
        if (value == null && file != null) {
            return ContentFiles.read(file);
        }
        throw new UserException("say what to put: VALUE, or --file FILE (one of them)");
    }
}
