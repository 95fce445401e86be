package dev.granary.cli.command;

import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates chunks. */
@Command(
        name = "create",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Create chunks and print their identifiers (CIDs).",
        footer = {
            "",
            "  granary create \"hello\"                          one chunk with these bytes",
            "  granary create --file photo.jpg --on 0x4000     the content of a file, on that storage peer",
            "  granary create --size 32 --count 1000000 --near 0x8000000000000001",
        })
public final class CreateCommand implements Callable<Integer> {

    private static final int BATCH = 100_000;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private DurabilityOption durability = new DurabilityOption();

    @Parameters(arity = "0..*", paramLabel = "VALUE", description = "Text to store as UTF-8, one chunk for each.")
    private @Nullable List<String> values;

    @Option(names = "--file", paramLabel = "FILE", description = "Store the content of a file; - is standard input.")
    private @Nullable String file;

    @Option(names = "--size", paramLabel = "BYTES", description = "Store chunks of this many zero bytes.")
    private @Nullable Integer size;

    @Option(names = "--count", paramLabel = "N", description = "How many, with --size (default: 1).")
    private @Nullable Integer count;

    @Option(
            names = "--near",
            paramLabel = "CID",
            converter = CidConverter.class,
            description = "Place them on the storage peer that owns this chunk.")
    private @Nullable Long near;

    @Option(names = "--on", paramLabel = "NID", description = "Place them on this storage peer, such as 0x8000.")
    private @Nullable String on;

    @Option(names = "--output", paramLabel = "FILE", description = "Write all CIDs to a file, one a line.")
    private @Nullable Path output;

    @Override
    public Integer call() throws IOException {
        int sources = (values == null ? 0 : 1) + (file == null ? 0 : 1) + (size == null ? 0 : 1);
        if (sources != 1) {
            throw new UserException("say what to create: VALUE, or --file FILE, or --size BYTES (one of them)");
        }
        if (count != null && size == null) {
            throw new UserException("--count goes with --size");
        }
        if (near != null && on != null) {
            throw new UserException("--near and --on both name a place; give one of them");
        }
        int total = count == null ? 1 : count;
        if (size != null && (size < 1 || total < 1)) {
            throw new UserException("--size and --count must be at least 1");
        }
        Place place = place();
        List<byte[]> contents = size == null ? contents() : List.of();
        // The file is opened before the first create: nobody could find chunks whose CIDs were never told.
        try (GranaryClient client = connect.connect(durability.level());
                PrintWriter file = openOutput()) {
            if (size != null) {
                createMany(client, place, size, total, file);
            } else {
                print(client.createAll(contents, place), file);
            }
        }
        return 0;
    }

    private Place place() {
        if (near != null) {
            return Place.near(near);
        }
        if (on == null) {
            return Place.anywhere();
        }
        try {
            return Place.on(Nid.parse(on));
        } catch (IllegalArgumentException e) {
            throw new UserException("--on: " + e.getMessage(), e);
        }
    }

    private List<byte[]> contents() throws IOException {
        if (values != null) {
            return values.stream()
                    .map(value -> value.getBytes(StandardCharsets.UTF_8))
                    .toList();
        }
        return List.of(ContentFiles.read(Objects.requireNonNull(file, "--file")));
    }

    private static void createMany(
            GranaryClient client, Place place, int sizeBytes, int total, @Nullable PrintWriter file) {
        long[] cids = new long[total];
        long start = System.nanoTime();
        try (ProgressBar progress = Progress.bar("create", total)) {
            for (int from = 0; from < total; from += BATCH) {
                int step = Math.min(BATCH, total - from);
                System.arraycopy(client.createZeroed(step, sizeBytes, place), 0, cids, from, step);
                progress.stepBy(step);
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        if (total == 1 || file != null) {
            print(cids, file);
        }
        if (total > 1) {
            System.out.printf(
                    Locale.ROOT,
                    "created %s chunks of %s B: %s to %s, in %.2f s (%s a second)%n",
                    Sizes.count(total),
                    Sizes.count(sizeBytes),
                    Cid.toHex(cids[0]),
                    Cid.toHex(cids[total - 1]),
                    seconds,
                    Sizes.count(Math.round(total / seconds)));
        }
    }

    private @Nullable PrintWriter openOutput() {
        Path path = output;
        if (path == null) {
            return null;
        }
        try {
            return new PrintWriter(Files.newBufferedWriter(path, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UserException("--output " + path + " cannot be written: " + e, e);
        }
    }

    private static void print(long[] cids, @Nullable PrintWriter file) {
        if (file == null) {
            Arrays.stream(cids).forEach(cid -> System.out.println(Cid.toHex(cid)));
            return;
        }
        Arrays.stream(cids).forEach(cid -> file.println(Cid.toHex(cid)));
        if (file.checkError()) {
            throw new UserException("writing the CIDs to the file of --output failed; is the disk full?");
        }
    }
}
