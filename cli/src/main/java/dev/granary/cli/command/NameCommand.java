package dev.granary.cli.command;

import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryClient;
import dev.granary.client.NamedChunk;
import dev.granary.client.Names;
import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts, gets, removes and lists names. */
@Command(
        name = "name",
        mixinStandardHelpOptions = true,
        description = "Give names to chunks, and find chunks by their names.",
        footer = {
            "",
            "  granary name put config $(granary create \"v1\")",
            "  granary get $(granary name get config)",
        })
public final class NameCommand implements Runnable {

    private static final int PAGE_NAMES = 1000;

    /** A name as programs get it. */
    private record Named(String cid, String name) {}

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Say what to do: put, get, remove or list.");
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Let a name stand for a chunk, whatever it stands for now.")
    int put(
            @Mixin ConnectOptions connect,
            @Parameters(paramLabel = "NAME", description = "1 to 1024 bytes of UTF-8.") String name,
            @Parameters(
                            paramLabel = "CID",
                            converter = CidConverter.class,
                            description = "Chunk identifier such as 0x8000000000000001.")
                    long cid,
            @Option(names = "--if-absent", description = "Fail when the name stands for a chunk already.")
                    boolean ifAbsent,
            @Option(
                            names = "--replace",
                            paramLabel = "CID",
                            converter = CidConverter.class,
                            description = "Fail when the name does not stand for this chunk.")
                    @Nullable
                    Long replaced) {
        if (ifAbsent && replaced != null) {
            throw new UserException("--if-absent and --replace exclude each other");
        }
        try (GranaryClient client = connect.connect()) {
            Names names = client.names();
            if (ifAbsent && !names.putIfAbsent(name, cid)) {
                throw new UserException("the name '" + name + "' stands for a chunk already");
            }
            if (replaced != null && !names.replace(name, replaced, cid)) {
                throw new UserException("the name '" + name + "' does not stand for " + Cid.toHex(replaced));
            }
            if (!ifAbsent && replaced == null) {
                names.put(name, cid);
            }
        }
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Print the CID that a name stands for.")
    int get(@Mixin ConnectOptions connect, @Parameters(paramLabel = "NAME") String name) {
        try (GranaryClient client = connect.connect()) {
            System.out.println(Cid.toHex(found(name, client.names().get(name))));
        }
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Remove a name; its chunk stays.")
    int remove(@Mixin ConnectOptions connect, @Parameters(paramLabel = "NAME") String name) {
        try (GranaryClient client = connect.connect()) {
            found(name, client.names().remove(name));
        }
        return 0;
    }

    private static long found(String name, OptionalLong cid) {
        return cid.orElseThrow(() -> new UserException("the name '" + name + "' stands for nothing"));
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Print CIDs and names, a pair a line, in the order of the bytes of the names.")
    int list(
            @Mixin ConnectOptions connect,
            @Mixin OutputOption output,
            @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "Only names that begin with this.")
                    @Nullable
                    String prefix) {
        try (GranaryClient client = connect.connect()) {
            List<Named> all = new ArrayList<>();
            String after = "";
            List<NamedChunk> page;
            do {
                page = client.names().list(prefix == null ? "" : prefix, after, PAGE_NAMES);
                for (NamedChunk named : page) {
                    if (output.isText()) {
                        System.out.println(Cid.toHex(named.cid()) + " " + named.name());
                    } else {
                        all.add(new Named(Cid.toHex(named.cid()), named.name()));
                    }
                    after = named.name();
                }
            } while (page.size() == PAGE_NAMES);
            if (!output.isText()) {
                output.print(all, System.out);
            }
            System.out.flush();
        }
        return 0;
    }
}
