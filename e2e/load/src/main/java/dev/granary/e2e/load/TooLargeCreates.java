package dev.granary.e2e.load;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.Place;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** An application with a bug: it asks for chunks that are larger than any may be, again and again. */
public final class TooLargeCreates {

    /** A mebibyte more than a chunk may have. */
    private static final int SIZE_BYTES = 9 << 20;

    private static final long PAUSE_MILLIS = 20;

    private TooLargeCreates() {}

    /**
     * Works until it is stopped.
     *
     * @param arguments seeds separated by commas, and the folder in which the file {@code stop} appears
     */
    public static void main(String[] arguments) throws InterruptedException {
        Path stop = Path.of(arguments[1], "stop");
        long refused = 0;
        try (GranaryClient client = GranaryClient.connect(ClientOptions.of(arguments[0].split(",", -1)))) {
            System.out.println("STARTED");
            while (!Files.exists(stop)) {
                try {
                    client.createZeroed(1, SIZE_BYTES, Place.anywhere());
                    System.out.println("a chunk of " + SIZE_BYTES + " bytes was created");
                } catch (InvalidRequestException e) {
                    if (refused++ == 0) {
                        System.out.println("the first answer: " + e.getMessage());
                    }
                } catch (GranaryException e) {
                    System.out.println("another answer: " + e);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
        System.out.println(refused + " were refused");
    }
}
