package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads chunks. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Print the contents of chunks, each followed by a line break.")
public final class GetCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Parameters(
            arity = "1..*",
            paramLabel = "CID",
            converter = CidConverter.class,
            description = "Chunk identifier such as 0x8000000000000001.")
    private List<Long> cids = List.of();

    @Option(names = "--hex", description = "Print bytes as hexadecimal digits.")
    private boolean hex;

    @Option(names = "--raw", description = "Print the bytes alone, without a line break.")
    private boolean raw;

    @Option(names = "--output", paramLabel = "FILE", description = "Write the content of one chunk to a file.")
    private @Nullable Path output;

    @Override
    public Integer call() throws IOException {
        if (output != null && cids.size() != 1) {
            throw new UserException("--output takes one chunk, not " + cids.size());
        }
        try (GranaryClient client = connect.connect()) {
            for (long cid : cids) {
                byte[] value = client.get(cid);
                if (output != null) {
                    Files.write(output, value);
                } else if (hex) {
                    System.out.println(HexFormat.of().formatHex(value));
                } else {
                    System.out.write(value);
                    if (!raw) {
                        System.out.println();
                    }
                }
            }
            System.out.flush();
        }
        return 0;
    }
}
