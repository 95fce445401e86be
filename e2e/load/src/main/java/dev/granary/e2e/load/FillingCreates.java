package dev.granary.e2e.load;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.Place;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Creates chunks until no storage peer has room for another one. Then it overwrites some of them until it is told to
 * stop, and deletes all.
 */
public final class FillingCreates {

    /** Ever smaller ones, so that little room is left. */
    private static final int[] SIZES_BYTES = {64 << 10, 8 << 10, 1 << 10, 128};

    private static final int CHUNKS_PER_BATCH = 64;

    /** How many chunks are written again and again; they lie on all storage peers. */
    private static final int REWRITTEN = 48;

    private static final Duration DEADLINE = Duration.ofSeconds(4);
    private static final long PAUSE_MILLIS = 100;
    private static final int DELETE_TRIES = 20;
    private static final long DELETE_PAUSE_MILLIS = 500;

    private FillingCreates() {}

    /** Chunks of one size that were created together. */
    private static final class Batch {
        private final long[] cids;
        private final int sizeBytes;

        Batch(long[] cids, int sizeBytes) {
            this.cids = cids;
            this.sizeBytes = sizeBytes;
        }
    }

    /**
     * Prints {@code FILLED} once the memory is full, and {@code EMPTIED} when it has deleted what it has created.
     *
     * @param arguments seeds separated by commas, and the folder in which the file {@code stop} appears
     */
    public static void main(String[] arguments) throws InterruptedException {
        Path stop = Path.of(arguments[1], "stop");
        ClientOptions options = ClientOptions.of(arguments[0].split(",", -1))
                .withDeadline(DEADLINE)
                .withBatchDeadline(DEADLINE);
        try (GranaryClient client = GranaryClient.connect(options)) {
            System.out.println("STARTED");
            List<Batch> created = new ArrayList<>();
            for (int sizeBytes : SIZES_BYTES) {
                fill(client, sizeBytes, created, stop);
            }
            System.out.println("FILLED with " + chunks(created) + " chunks");
            while (!Files.exists(stop)) {
                rewriteSome(client, created);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            for (Batch batch : created) {
                delete(client, batch.cids);
            }
            System.out.println("EMPTIED");
        }
    }

    private static void fill(GranaryClient client, int sizeBytes, List<Batch> created, Path stop) {
        while (!Files.exists(stop)) {
            try {
                created.add(new Batch(client.createZeroed(CHUNKS_PER_BATCH, sizeBytes, Place.anywhere()), sizeBytes));
            } catch (GranaryException e) {
                System.out.println("no more chunks of " + sizeBytes + " bytes behind " + chunks(created) + ": " + e);
                return;
            }
        }
    }

    /** Owners notice that a backup is silent when they have a change for it. */
    private static void rewriteSome(GranaryClient client, List<Batch> created) {
        int step = Math.max(1, created.size() / REWRITTEN);
        List<Long> cids = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < created.size(); i += step) {
            cids.add(created.get(i).cids[0]);
            values.add(new byte[created.get(i).sizeBytes]);
        }
        try {
            client.putAll(cids.stream().mapToLong(Long::longValue).toArray(), values);
        } catch (GranaryException e) {
            System.out.println("some chunks could not be written: " + e.getMessage());
        }
    }

    /** Tries again after a failure: what is deleted already is no chunk any more, which is no failure. */
    private static void delete(GranaryClient client, long[] cids) throws InterruptedException {
        for (int tries = 1; tries <= DELETE_TRIES; tries++) {
            try {
                client.deleteAll(cids);
                return;
            } catch (GranaryException e) {
                System.out.println("a batch could not be deleted: " + e);
                TimeUnit.MILLISECONDS.sleep(DELETE_PAUSE_MILLIS);
            }
        }
    }

    private static long chunks(List<Batch> created) {
        return created.stream().mapToLong(batch -> batch.cids.length).sum();
    }
}
