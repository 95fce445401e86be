package dev.granary.process;

import dev.granary.env.Disk;
import dev.granary.env.Environment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Who a process is (SAFETY rule "incarnations"). The disk id is made once and kept in the file {@code identity} of the
 * data directory, two lines: {@code granary-identity 1} and {@code diskId=<UUID>}. The incarnation is made at each
 * start and kept nowhere.
 *
 * @param diskId of the data directory
 * @param incarnation of the process, not 0
 */
public record NodeIdentity(UUID diskId, long incarnation) {

    private static final String FILE = "identity";
    private static final String FIRST_LINE = "granary-identity 1";
    private static final String DISK_ID = "diskId=";

    /**
     * Reads the identity of the disk, or makes one for a disk that has none.
     *
     * @throws IOException when the disk fails or the file is damaged: a new identity is never made in its place
     */
    public static NodeIdentity open(Environment environment) throws IOException {
        Disk disk = environment.disk();
        UUID diskId;
        if (disk.exists(FILE)) {
            diskId = parse(new String(disk.read(FILE), StandardCharsets.UTF_8));
        } else {
            diskId = randomUuid(environment.random());
            String content = FIRST_LINE + "\n" + DISK_ID + diskId + "\n";
            disk.writeAtomically(FILE, content.getBytes(StandardCharsets.UTF_8));
        }
        return new NodeIdentity(diskId, nonZero(environment.random()));
    }

    private static UUID parse(String content) throws IOException {
        String[] lines = content.split("\n", -1);
        if (lines.length == 3 && lines[0].equals(FIRST_LINE) && lines[1].startsWith(DISK_ID) && lines[2].isEmpty()) {
            try {
                return UUID.fromString(lines[1].substring(DISK_ID.length()));
            } catch (IllegalArgumentException e) {
                throw damaged(content, e);
            }
        }
        throw damaged(content, null);
    }

    private static IOException damaged(String content, @Nullable Exception cause) {
        return new IOException(
                "the file '" + FILE + "' of the data directory is damaged or of a newer version, it reads '"
                        + content.strip()
                        + "'. Restore it; delete the whole data directory only if this node may be a new one.",
                cause);
    }

    /** A random UUID, of version 4. */
    public static UUID randomUuid(RandomGenerator random) {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L; // version 4: random
        long low = (random.nextLong() & ~(3L << 62)) | (1L << 63); // the variant of RFC 9562
        return new UUID(high, low);
    }

    private static long nonZero(RandomGenerator random) {
        long value = random.nextLong();
        while (value == 0) {
            value = random.nextLong();
        }
        return value;
    }
}
