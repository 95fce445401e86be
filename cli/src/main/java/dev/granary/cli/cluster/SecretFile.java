package dev.granary.cli.cluster;

import dev.granary.net.access.ClusterSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Optional;

/** The file with the secret of a local cluster, in its directory; only its owner may read it. */
final class SecretFile {

    private static final String FILE = "cluster.secret";

    private SecretFile() {}

    /** Finds the file; empty for a cluster that was made without a secret. */
    static Optional<Path> find(Path directory) {
        Path file = directory.resolve(FILE).toAbsolutePath();
        return Files.exists(file) ? Optional.of(file) : Optional.empty();
    }

    /** Makes a random secret where there is none. */
    static void make(Path directory) throws IOException {
        if (find(directory).isPresent()) {
            return;
        }
        Path next = directory.resolve(FILE + ".next");
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(next, ClusterSecret.random(new SecureRandom()) + "\n");
        Files.move(next, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }
}
