package dev.granary.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One try of fuzzing: bytes are the records in a file of the command log. The log is refused as damaged, or it opens;
 * then it takes a command, and has the same commands when it is opened once more. {@code e2e/fuzz/run} lets Jazzer make
 * up the bytes.
 */
public final class CommandLogFuzz {

    private static final String FILE = "arc-0000000000000001.log";

    private static final int PAYLOAD_CRC_AT = 20;

    private static final int HEADER_CRC_AT = 24;

    private CommandLogFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(CommandLogFuzz::fuzzerTestOneInput);
    }

    /** If the first byte is even, the checksums are put right before: no fuzzer finds one. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether the log was opened. */
    static boolean isRead(byte[] input) {
        if (input.length == 0) {
            return false;
        }
        byte[] records = Arrays.copyOfRange(input, 1, input.length);
        if ((input[0] & 1) == 0) {
            putChecksums(records);
        }
        CrashDisk disk = new CrashDisk();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(FileHeader.encode(1));
        file.writeBytes(records);
        disk.damage(FILE, file.toByteArray());
        try {
            reopen(disk);
            return true;
        } catch (LogDamagedException refused) {
            if (!Arrays.equals(disk.content(FILE), file.toByteArray())) {
                throw new AssertionError("a damaged file was changed", refused);
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void reopen(CrashDisk disk) throws IOException {
        List<String> expected;
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            expected = new ArrayList<>(Replayed.of(log).commands());
            log.appendAndSync("more".getBytes(UTF_8));
        }
        expected.add("more");
        List<String> again;
        try {
            again = Replayed.from(disk);
        } catch (LogDamagedException e) {
            throw new AssertionError("a log that was opened is damaged now", e);
        }
        if (!again.equals(expected)) {
            throw new AssertionError("it had " + expected + ", and has " + again);
        }
    }

    private static void putChecksums(byte[] records) {
        ByteBuffer view = Bytes.view(records);
        int at = 0;
        while (records.length - at >= RecordHeader.LENGTH) {
            int length = view.getInt(at);
            int most = records.length - at - RecordHeader.LENGTH;
            if (length >= 0 && length <= most) {
                view.putInt(at + PAYLOAD_CRC_AT, Bytes.crc32c(records, at + RecordHeader.LENGTH, length));
            }
            view.putInt(at + HEADER_CRC_AT, Bytes.crc32c(records, at, HEADER_CRC_AT));
            if (length < 0 || length > most) {
                return;
            }
            at += RecordHeader.LENGTH + length;
        }
    }

    /** Returns inputs with which a fuzzer begins. */
    public static List<byte[]> seeds() {
        byte[] first = RecordHeader.encode(1, 0, "hello".getBytes(UTF_8));
        byte[] second = RecordHeader.encode(2, 1, new byte[0]);
        byte[] third = RecordHeader.encode(3, 0, "third".getBytes(UTF_8));
        byte[] torn = third.clone();
        torn[RecordHeader.LENGTH] ^= 1;
        return List.of(
                input(0, first, second, third),
                input(1, first, second, third),
                input(1, first, second, torn),
                input(1, first, torn, third),
                input(0, second, first),
                input(1, first, Arrays.copyOf(third, 20)));
    }

    private static byte[] input(int first, byte[]... records) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        for (byte[] record : records) {
            out.writeBytes(record);
        }
        return out.toByteArray();
    }
}
