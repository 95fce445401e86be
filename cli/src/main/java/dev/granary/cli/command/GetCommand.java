package dev.granary.cli.command;

import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.keys.KeyOrCid;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.Cid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads chunks and keys. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Print the contents of chunks and the values of keys, each followed by a line break.",
            "What begins with 0x is the CID of a chunk, all else is a key. Fails at the first one that is not there.",
        },
        footer = {
            "",
            "  granary get 0x8000000000000001",
            "  granary get greeting",
        })
public final class GetCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private KeysAndCids arguments = new KeysAndCids();

    @Option(names = "--hex", description = "Print bytes as hexadecimal digits.")
    private boolean hex;

    @Option(names = "--raw", description = "Print the bytes alone, without a line break.")
    private boolean raw;

    @Option(names = "--output", paramLabel = "FILE", description = "Write the content of one to a file.")
    private @Nullable Path output;

    @Option(
            names = "--json",
            description = "Print one JSON object a line: cid or key, the value as hex and, if it is UTF-8, as text.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        List<KeyOrCid> all = arguments.all();
        if (output != null && all.size() != 1) {
            throw new UserException("--output takes one chunk or key, not " + all.size());
        }
        try (GranaryClient client = connect.connect()) {
            for (KeyOrCid each : all) {
                print(each, read(client, each));
            }
            System.out.flush();
        }
        return 0;
    }

    private static byte[] read(GranaryClient client, KeyOrCid each) {
        String key = each.key();
        return key == null
                ? client.get(each.cid())
                : client.keys().get(key).orElseThrow(() -> new UserException("there is no key '" + key + "'"));
    }

    private void print(KeyOrCid each, byte[] value) throws IOException {
        if (output != null) {
            Files.write(output, value);
        } else if (json) {
            System.out.println(Json.compact(asJson(each, value)));
        } else if (hex) {
            System.out.println(HexFormat.of().formatHex(value));
        } else {
            System.out.write(value);
            if (!raw) {
                System.out.println();
            }
        }
    }

    private static Map<String, String> asJson(KeyOrCid each, byte[] value) {
        Map<String, String> object = new LinkedHashMap<>();
        String key = each.key();
        if (key == null) {
            object.put("cid", Cid.toHex(each.cid()));
        } else {
            object.put("key", key);
        }
        object.put("hex", HexFormat.of().formatHex(value));
        String text = new String(value, StandardCharsets.UTF_8);
        if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), value)) {
            object.put("text", text);
        }
        return object;
    }
}
