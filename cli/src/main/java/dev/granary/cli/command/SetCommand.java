package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.cli.keys.KeyOrCid;
import dev.granary.cli.keys.LifetimeConverter;
import dev.granary.client.GranaryClient;
import dev.granary.client.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the value of a key. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Set the value of a key, whether there is the key or not.",
            "Keys are found by their hash and stand beside chunks; clients of the Redis protocol see the same ones.",
        },
        footer = {
            "",
            "  granary set greeting hello --expire 30m",
            "  granary get greeting",
        })
public final class SetCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private DurabilityOption durability = new DurabilityOption();

    @Parameters(index = "0", paramLabel = "KEY", description = "Any text.")
    private String key = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "VALUE", description = "Text to store as UTF-8.")
    private @Nullable String value;

    @Option(names = "--file", paramLabel = "FILE", description = "Store the content of a file; - is standard input.")
    private @Nullable String file;

    @Option(
            names = "--expire",
            paramLabel = "DURATION",
            converter = LifetimeConverter.class,
            description = "Remove the key after this time, such as 500ms, 30s, 10m, 12h or 7d.")
    private @Nullable Duration lifetime;

    @Option(names = "--if-absent", description = "Fail when there is the key already.")
    private boolean ifAbsent;

    @Option(names = "--if-present", description = "Fail when there is no such key.")
    private boolean ifPresent;

    @Option(names = "--key", description = "KEY is a key even if it begins with 0x as the CIDs of chunks do.")
    private boolean alwaysKey;

    @Override
    public Integer call() throws IOException {
        if (ifAbsent && ifPresent) {
            throw new UserException("--if-absent and --if-present exclude each other");
        }
        if (!alwaysKey && KeyOrCid.looksLikeCid(key)) {
            throw new UserException(
                    "'" + key + "' looks like the CID of a chunk: change chunks with 'granary put', or say"
                            + " --key if it is a key");
        }
        byte[] content = content();
        try (GranaryClient client = connect.connect(durability.level())) {
            Keys<String> keys = client.keys();
            if (ifAbsent && !setIfAbsent(keys, content)) {
                throw new UserException("there is the key '" + key + "' already");
            }
            if (ifPresent && !setIfPresent(keys, content)) {
                throw new UserException("there is no key '" + key + "'");
            }
            if (!ifAbsent && !ifPresent) {
                set(keys, content);
            }
        }
        return 0;
    }

    private boolean setIfAbsent(Keys<String> keys, byte[] content) {
        return lifetime == null ? keys.setIfAbsent(key, content) : keys.setIfAbsent(key, content, lifetime);
    }

    private boolean setIfPresent(Keys<String> keys, byte[] content) {
        return lifetime == null ? keys.setIfPresent(key, content) : keys.setIfPresent(key, content, lifetime);
    }

    private void set(Keys<String> keys, byte[] content) {
        if (lifetime == null) {
            keys.set(key, content);
        } else {
            keys.set(key, content, lifetime);
        }
    }

    private byte[] content() throws IOException {
        if (value != null && file == null) {
            return value.getBytes(StandardCharsets.UTF_8);
        }
        if (value == null && file != null) {
            return ContentFiles.read(file);
        }
        throw new UserException("say what to set: VALUE, or --file FILE (one of them)");
    }
}
