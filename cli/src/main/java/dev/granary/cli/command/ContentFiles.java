package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.net.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads contents of chunks from files. */
final class ContentFiles {

    private ContentFiles() {}

    /** The content of a file, or of standard input for {@code -}. */
    static byte[] read(String file) throws IOException {
        byte[] content;
        try {
            content = file.equals("-") ? System.in.readNBytes(Frame.MAX_CHUNK_BYTES + 1) : readFile(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new UserException("there is no file " + file, e);
        }
        if (content.length > Frame.MAX_CHUNK_BYTES) {
            throw new UserException(file + " is larger than a chunk may be (" + Frame.MAX_CHUNK_BYTES + " bytes)");
        }
        return content;
    }

    private static byte[] readFile(Path path) throws IOException {
        try (var in = Files.newInputStream(path)) {
            return in.readNBytes(Frame.MAX_CHUNK_BYTES + 1);
        }
    }
}
