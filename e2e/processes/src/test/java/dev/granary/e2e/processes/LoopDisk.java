package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A file system in a file, with a loop device of its own. Needs root. {@link #close} leaves nothing behind, and neither
 * does the end of this JVM, except by kill -9.
 */
final class LoopDisk implements AutoCloseable {

    private static final Path CONTROL = Path.of("/dev/loop-control");
    private static final int MEBIBYTE = 1 << 20;
    private static final int LIMIT_SECONDS = 300;

    private final Path directory;
    private final Path image;
    private final Path mount;
    private final Thread atExit = new Thread(this::removeAtExit, "remove-loop-disk");
    private String device = "";
    private boolean mounted;

    private LoopDisk(Path directory) {
        this.directory = directory;
        this.image = directory.resolve("disk.img");
        this.mount = directory.resolve("disk");
    }

    /** Returns why this machine cannot have such a disk; empty if it can. */
    static Optional<String> obstacle() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("a disk in a file needs root");
        }
        return Files.exists(CONTROL) ? Optional.empty() : Optional.of("a disk in a file needs " + CONTROL);
    }

    /**
     * Makes such a disk.
     *
     * @param mebibytes its size; the file grows with what is written
     */
    static LoopDisk make(long mebibytes) throws IOException, InterruptedException {
        assertThat(obstacle()).as("what keeps this machine from having it").isEmpty();
        LoopDisk disk = new LoopDisk(Files.createTempDirectory("granary-disk"));
        Runtime.getRuntime().addShutdownHook(disk.atExit);
        try {
            disk.open(mebibytes);
            return disk;
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            disk.close();
            throw e;
        }
    }

    private void open(long mebibytes) throws IOException, InterruptedException {
        run("truncate", "-s", mebibytes + "M", image.toString());
        device = run("losetup", "--find", "--show", "--direct-io=on", image.toString());
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device);
        Files.createDirectory(mount);
        run("mount", device, mount.toString());
        mounted = true;
    }

    /** Returns the directory for files on the disk. */
    Path directory() {
        return mount;
    }

    /** Returns the numbers of its device, such as {@code 7:0}. */
    String deviceNumbers() throws IOException, InterruptedException {
        return run("stat", "-c", "%Hr:%Lr", device);
    }

    /** Fills all free space with a file of its own. May be called again when there is free space again. */
    void fill() throws IOException {
        try (FileChannel channel = FileChannel.open(
                filler(), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            for (int bytes = MEBIBYTE; bytes > 0; bytes /= 2) {
                append(channel, bytes);
            }
        }
    }

    /** Appends until there is no space left. */
    private static void append(FileChannel channel, int bytes) {
        try {
            while (true) {
                ByteBuffer zeros = ByteBuffer.allocate(bytes);
                while (zeros.hasRemaining()) {
                    channel.write(zeros);
                }
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left on device");
        }
    }

    /** Frees the space that {@link #fill} took. */
    void free() throws IOException {
        Files.delete(filler());
    }

    private Path filler() {
        return mount.resolve("filler");
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(ended && process.exitValue() == 0)
                .as("%s: %s", String.join(" ", command), out)
                .isTrue();
        return out.strip();
    }

    /** When this JVM ends, processes that still write to the disk are ending, too. */
    private void removeAtExit() {
        try {
            remove("--lazy");
        } catch (IOException | InterruptedException | AssertionError e) {
            System.err.println("left behind: " + directory + ": " + e);
        }
    }

    private void remove(String... umountOptions) throws IOException, InterruptedException {
        if (mounted) {
            run(Stream.of(Stream.of("umount"), Stream.of(umountOptions), Stream.of(mount.toString()))
                    .flatMap(each -> each)
                    .toArray(String[]::new));
            mounted = false;
        }
        if (!device.isEmpty()) {
            run("losetup", "-d", device);
            device = "";
        }
        Files.deleteIfExists(image);
        Files.deleteIfExists(mount);
        Files.deleteIfExists(directory);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        remove();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
