package dev.granary.cli.backup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** Cluster backups in a folder of a disk or of a mounted volume. */
public final class FolderStore implements BackupStore {

    private static final String UNFINISHED = ".unfinished";

    private final Path folder;

    public FolderStore(Path folder) {
        this.folder = folder;
    }

    @Override
    public String describe() {
        return folder.toString();
    }

    @Override
    public void put(String name, byte[] bytes, int sizeBytes) throws IOException {
        Path file = folder.resolve(name);
        Path parent = file.toAbsolutePath().getParent();
        Files.createDirectories(parent);
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        try (FileChannel channel = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes, 0, sizeBytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    @Override
    public byte[] get(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name));
    }

    @Override
    public List<String> list() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder, 2)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .toList();
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Path file = folder.resolve(name);
        Files.deleteIfExists(file);
        Path parent = file.getParent();
        if (parent != null && !parent.equals(folder) && Files.isDirectory(parent)) {
            try (Stream<Path> left = Files.list(parent)) {
                if (left.findAny().isPresent()) {
                    return;
                }
            }
            Files.delete(parent);
        }
    }
}
